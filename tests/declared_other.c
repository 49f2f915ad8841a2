/* Names that declared_guest.c has, too. */
#include <stdlib.h>

struct twice { /* declares twice-of-other */
    char letter[12];
};

static struct twice *volatile outer;
static int expanded[3]; /* declares expanded-of-other */

void declared_other(void (*say)(const volatile void *, const char *));
void declared_other(void (*say)(const volatile void *, const char *))
{
    static struct {
        int n;
    } calls; /* declares calls-of-other */
    outer = malloc(sizeof *outer);
    outer->letter[3] = (char)expanded[1];
    say(&outer->letter[3], "twice-of-other");
    say(&expanded[1], "expanded-of-other");
    say(&calls, "calls-of-other");
}
