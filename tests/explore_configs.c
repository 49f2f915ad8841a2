/* The checker's machines: the table as data. */
#include "tests/explore_configs.h"

#define NUMBERS(...) \
    {                \
        __VA_ARGS__  \
    }
#define CONFIG(id, levels, fan0, fan1, populated, numbers, unused, processors, addresses, evicts, \
               ejects, refuses, special, protocol_id, fetching, linking, mirror, fast, text)      \
    {.name = #id,                                                                                 \
     .sentence = text,                                                                            \
     .rings = {levels, {fan0, fan1}},                                                             \
     .number = numbers,                                                                           \
     .stations = populated,                                                                       \
     .cards = processors,                                                                         \
     .lines = addresses,                                                                          \
     .idle = unused,                                                                              \
     .evict = evicts,                                                                             \
     .eject = ejects,                                                                             \
     .refuse = refuses,                                                                           \
     .functions = special,                                                                        \
     .protocol = &nm_protocols[NM_PROTOCOL_##protocol_id],                                        \
     .fetches = fetching,                                                                         \
     .links = linking,                                                                            \
     .swap = EX_SWAP_##mirror,                                                                    \
     .quick = fast},
const struct ex_config ex_configs[EX_CONFIGS] = {
#include "tests/explore_configs.def"
};
