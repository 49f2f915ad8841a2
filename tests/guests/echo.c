/* What a program is given and gives back: arguments, environment, standard input, exit status. */
#include "guest.h"

#include <string.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
    char line[256];
    int lines = 0;

    for (int i = 1; i < argc; i++)
        printf("argument %d: [%s]\n", i, argv[i]);
    CHECK(argc >= 1 && argv[argc] == NULL && argv[0][0] != '\0');
    CHECK(environ != NULL);
    CHECK(setenv("ADDED", "yes", 1) == 0 && strcmp(getenv("ADDED"), "yes") == 0);
    CHECK(getenv("SURELY_NOT_SET") == NULL);
    while (fgets(line, sizeof line, stdin) != NULL)
        printf("line %d: %s", ++lines, line);
    CHECK(feof(stdin));
    CHECK(write(2, "to standard error\n", 18) == 18);
    if (guest_result() != 0)
        return guest_result();
    exit(argc > 1 ? 42 : 0);
}
