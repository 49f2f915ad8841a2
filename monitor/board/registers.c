/*
 * The tables of the board's registers, their fields, and the reasons for which a write is refused.
 */
#include "monitor/board/board.h"

/* Names of the access column are short in the table. */
#define RW  MON_RW
#define RO  MON_RO
#define WO  MON_WO
#define W1C MON_W1C

const struct mon_register_row mon_board_registers[] = {
#define REGISTER(name, offset, bits, access, reset, sentence) \
    {#name, sentence, offset, reset, bits, access},
#define FIELD(register, name, low, bits, sentence)
#include "monitor/board/registers.def"
#undef REGISTER
#undef FIELD
    {0}};

const struct mon_field_row mon_board_fields[] = {
#define REGISTER(name, offset, bits, access, reset, sentence)
#define FIELD(register, name, low, bits, sentence) {#register, #name, sentence, low, bits},
#include "monitor/board/registers.def"
#undef REGISTER
#undef FIELD
    {0}};

const struct mon_row mon_board_reasons[] = {
#define REASON(name, number, sentence) {#name, "", sentence, number},
#include "monitor/board/reasons.def"
#undef REASON
    {0}};

/* Every field lies in its register, and every table fits the field that holds a row's number. */
#define REGISTER(name, offset, bits, access, reset, sentence)                                   \
    _Static_assert((bits) >= 1 && (bits) <= 32 && (offset) % 4 == 0, "a register is one word"); \
    _Static_assert((uint64_t)(reset) >> (bits) == 0, "a reset value has bits that do not exist");
#define FIELD(register, name, low, bits, sentence)                                            \
    _Static_assert((low) + (bits) <= MON_BITS_##register && (bits) < 31, "a field is in its " \
                                                                         "register");
#include "monitor/board/registers.def"
#undef REGISTER
#undef FIELD
#define REASON(name, number, sentence) \
    _Static_assert((number) <= MON_MAX_ERROR_REASON, "a reason fits ERROR.REASON");
#include "monitor/board/reasons.def"
#undef REASON
_Static_assert(MON_EV__COUNT <= MON_MAX_CONTROL0_EVENT + 1, "an event fits CONTROLk.EVENT");
_Static_assert(MON_SOURCES <= MON_MAX_SRAM_CONTROL_SOURCE + 1, "a source fits SRAM_CONTROL.SOURCE");
_Static_assert(MON_SPACE - 1 <= MON_MAX_ERROR_OFFSET, "an offset fits ERROR.OFFSET");
_Static_assert(MON_COUNTERS <= 1 << MON_BITS_WATCH, "a counter fits WATCH");
_Static_assert((int)MON_BIT_SRAM < (int)MON_BITS_OVERFLOW &&
                   (int)MON_BIT_SRAM < (int)MON_BITS_INTERRUPT,
               "a bit each");
_Static_assert(2 * MON_FIFO_KINDS <= 1 << MON_BITS_FIFO_SELECT, "a choice fits FIFO_SELECT");
