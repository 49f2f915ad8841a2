/* The tables of the processor cards, one for each protocol. */
#include "machine/protocol/tables.h"

#define CARD_ACTION(name) name = NM_CARD_ACT_##name,
enum {
    NOTHING = 0,
#include "machine/actions.def"
};

enum { NM_MSG_NONE = NM_MSG__COUNT };
#define STATES(text, in_cache, outstanding, meaning)                   \
    {                                                                  \
        .name = text, .sentence = meaning, .line = NM_LINE_##in_cache, \
        .request = NM_MSG_##outstanding                                \
    }
#define TABLE_EVENTS "machine/protocol/card_events.def"
/* What procard/ takes for granted. */
#define AS_THE_R4400(table)                                                              \
    _Static_assert((int)table##_IS_I == NM_LINE_I && (int)table##_IS_S == NM_LINE_S &&   \
                       (int)table##_IS_E == NM_LINE_E && (int)table##_IS_D == NM_LINE_D, \
                   "the first four states are those of the secondary cache");            \
    _Static_assert((int)table##_EVENTS == NM_CARD_EVENTS, "the events are everybody's");

#define TABLE      nm_numachine_card
#define TABLE_FILE "machine/protocol/card.def"
#include "machine/protocol/table.h"
AS_THE_R4400(nm_numachine_card)

#define TABLE      nm_numachine_ce_card
#define TABLE_FILE "machine/protocol/numachine_ce_card.def"
#include "machine/protocol/table.h"
AS_THE_R4400(nm_numachine_ce_card)

#define TABLE      nm_flat_card
#define TABLE_FILE "machine/protocol/flat_card.def"
#include "machine/protocol/table.h"
AS_THE_R4400(nm_flat_card)
