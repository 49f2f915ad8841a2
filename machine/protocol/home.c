/* The tables of the home memories' directories, one for each protocol. */
#include "machine/protocol/tables.h"

#define HOME_ACTION(name) name = NM_DIR_ACT_##name,
#define BOTH_ACTION(name) name = NM_DIR_ACT_##name,
#include "machine/protocol/directory.h"

#define TABLE      nm_numachine_home
#define TABLE_FILE "machine/protocol/numachine_home.def"
#include "machine/protocol/table.h"

#define TABLE      nm_numachine_ce_home
#define TABLE_FILE "machine/protocol/numachine_ce_home.def"
#include "machine/protocol/table.h"

#define TABLE      nm_flat_home
#define TABLE_FILE "machine/protocol/flat_home.def"
#include "machine/protocol/table.h"
