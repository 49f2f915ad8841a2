/* The checker's machines: the table as data. */
#include "tests/explore_configs.h"

#define NUMBERS(...) \
    {                \
        __VA_ARGS__  \
    }
#define CONFIG(name, levels, fan0, fan1, stations, numbers, idle, cards, lines, evict, eject, \
               refuse, functions, exclusive, links, swap, quick, sentence)                    \
    {#name,     sentence, {levels, {fan0, fan1}},                                             \
     numbers,   stations, cards,                                                              \
     lines,     idle,     evict,                                                              \
     eject,     refuse,   functions,                                                          \
     exclusive, links,    EX_SWAP_##swap,                                                     \
     quick},
const struct ex_config ex_configs[EX_CONFIGS] = {
#include "tests/explore_configs.def"
};
