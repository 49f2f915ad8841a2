#include "test_machine.h"

#include "input/experiment.h"
#include "machine/values.h"

#include <stdio.h>
#include <stdlib.h>

void test_machine(struct nm_params *p)
{
    const char *name = getenv("TEST_MACHINE");
    struct in_diag diag = {.out = stderr};
    struct in_machine mc;
    nm_params_default(p);
    if (!name)
        return;
    if (!in_machine_load(&mc, name, NULL, &diag))
        abort();
    *p = *mc.params;
    in_machine_free(&mc);
}
