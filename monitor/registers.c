/*
 * The tables of the board's registers, their fields, and the reasons for which a write is refused.
 */
#include "monitor/board.h"

/* Names of the access column are short in the table. */
#define RW  MON_RW
#define RO  MON_RO
#define WO  MON_WO
#define W1C MON_W1C

static const struct mon_register_row registers[] = {
#define REGISTER(name, offset, bits, access, reset, sentence) \
    {#name, sentence, offset, reset, bits, access},
#define FIELD(register, name, low, bits, sentence)
#include "monitor/registers.def"
#undef REGISTER
#undef FIELD
};

static const struct mon_field_row fields[] = {
#define REGISTER(name, offset, bits, access, reset, sentence)
#define FIELD(register, name, low, bits, sentence) {#register, #name, sentence, low, bits},
#include "monitor/registers.def"
#undef REGISTER
#undef FIELD
};

const struct mon_register_row *mon_registers(size_t *count)
{
    *count = sizeof registers / sizeof *registers;
    return registers;
}

const struct mon_field_row *mon_fields(size_t *count)
{
    *count = sizeof fields / sizeof *fields;
    return fields;
}

const struct mon_register_row *mon_register_at(uint32_t offset)
{
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (registers[i].offset == offset)
            return &registers[i];
    return NULL;
}

const char *mon_reason_sentence(unsigned reason)
{
    static const char *const sentences[] = {
#define REASON(name, number, sentence) [number] = sentence,
#include "monitor/reasons.def"
#undef REASON
    };
    return reason < sizeof sentences / sizeof *sentences ? sentences[reason] : "?";
}
