/*
 * The kinds of cores: the rows of cores.def as data.
 */
#include "procard/procard.h"

#include "machine/values.h"

#define CORE(id, family, ...) extern const struct nm_card_kind pc_##family;
#include "procard/cores.def"

const struct pc_core_row *pc_core_of(const struct nm_params *card)
{
    static const struct pc_core_row rows[] = {
#define CORE(id, family, name, title, isa, ...) [NM_CORE_##id] = {title, isa, &pc_##family},
#include "procard/cores.def"
    };

    return &rows[card->core];
}

enum mon_processor pc_processor_of(const struct nm_params *card)
{
    const struct nm_params *p = card; /* as the rows call them */

    switch (p->core) {
#define CORE(id, family, name, title, isa, own, ...) \
    case NM_CORE_##id:                               \
        return (enum mon_processor)(own);
#include "procard/cores.def"
    }
    return MON_PROCESSORS;
}

enum r10k_chip pc_chip_of(enum mon_processor processor)
{
    return processor <= MON_R12000 ? (enum r10k_chip)processor : R10K_CHIPS;
}

enum r10k_chip pc_counters_of(const struct nm_params *card)
{
    return pc_chip_of(pc_processor_of(card));
}
