/* Types whose header has no code, for tests/declared.py. */
struct bare { /* declares bare */
    int n, m[15];
};

/* a variable as macros declare them */
#define DECLARE(type, name) static type name[8]
