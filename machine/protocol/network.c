/* The tables of the network caches, one for each protocol. */
#include "machine/protocol/tables.h"

#define NC_ACTION(name)   name = NM_DIR_ACT_##name,
#define BOTH_ACTION(name) name = NM_DIR_ACT_##name,
#include "machine/protocol/directory.h"

#define TABLE      nm_numachine_network
#define TABLE_FILE "machine/protocol/numachine_network.def"
#include "machine/protocol/table.h"

#define TABLE      nm_numachine_ce_network
#define TABLE_FILE "machine/protocol/numachine_ce_network.def"
#include "machine/protocol/table.h"

#define TABLE      nm_flat_network
#define TABLE_FILE "machine/protocol/flat_network.def"
#include "machine/protocol/table.h"
