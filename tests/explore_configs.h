/* The configurations of explore_configs.def as an array, for the programs that search them. */
#ifndef EXPLORE_CONFIGS_H
#define EXPLORE_CONFIGS_H

#include "tests/explore_model.h"

#define CONFIG(name, ...) EX_##name,
enum ex_config_name {
#include "tests/explore_configs.def"
    EX_CONFIGS
};
#undef CONFIG

extern const struct ex_config ex_configs[EX_CONFIGS];

#endif
