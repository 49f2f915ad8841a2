/* The table of those who listen: all that knows them by name. */
#include "cli/observers.h"

#include "run/live.h"

#define OBSERVER(file, name) extern const struct run_observer name;
#include "cli/observers.def"
#undef OBSERVER

const struct run_observer *const cli_observer[] = {
#define OBSERVER(file, name) &(name),
#include "cli/observers.def"
#undef OBSERVER
};

const size_t cli_observers = sizeof cli_observer / sizeof *cli_observer;

const char *cli_file_name(unsigned i)
{
    return run_file_name(cli_observer, cli_observers, i);
}
