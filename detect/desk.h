/*
 * Models of detectors at work: which there are, which the user wants, and who is told what. All
 * that a model gets, it gets here, so it gets no more than it has declared.
 */
#ifndef DET_DESK_H
#define DET_DESK_H

#include "detect/model.h"

enum det_finds { DET_ANY_SHARING, DET_FALSE_SHARING };

/** A row of models.def. Static. */
struct det_row {
    const char *name, *sentence, *paper;
    enum det_finds finds;
    const struct det_ops *ops;
};
extern const struct det_row det_rows[];
extern const size_t det_row_count;

/** A parameter's row. Static. */
struct det_parameter_row {
    const char *model, *name, *unit, *sentence;
    int64_t value, least, most; /**< value: if nothing is said */
};
extern const struct det_parameter_row det_parameter_rows[DET_PARAMETERS + 1];

/** Whether a parameter is the model's. */
bool det_owns(const struct det_row *row, enum det_parameters parameter);

/** The model of that name; NULL: there is none. */
const struct det_row *det_row_named(const char *name, size_t length);

/** A model that the user wants. */
struct det_choice {
    const struct det_row *row;
    int64_t value[DET_PARAMETERS + 1]; /**< of its parameters */
};

/** Reads "name:parameter=number:..." of a model that there is.
 *  @return false, with one sentence in `why` */
bool det_choose(struct det_choice *choice, const char *text, char *why, size_t size);

/** What a model has said, and cost. */
struct det_answer {
    const struct det_named *named; /**< [names] by score, the greatest first, then by address */
    size_t names;
    uint64_t bits, events, interrupts, lost;
    uint64_t pcycles; /**< of all processors, that handlers and instrumented code took */
};

struct det_desk;

/** Whether the models' tables find room in so many bytes of the host.
 *  @return false, with one sentence in `why` */
bool det_desk_fits(const struct det_machine *machine, const struct det_choice *choice,
                   size_t models, uint64_t memory, char *why, size_t size);

/** The machine, and the models (their choices are copied). */
struct det_desk *det_desk_new(const struct det_machine *machine, const struct det_choice *choice,
                              size_t models);
void det_desk_free(struct det_desk *desk);

/** A card shall spend so many PCycles for a detector. */
typedef void det_charge_fn(void *ctx, unsigned card, uint64_t pcycles);

/** Has `charge` called whenever a model makes a card spend time. From now on models hear at once.
 */
void det_desk_charge(struct det_desk *desk, det_charge_fn *charge, void *ctx);

/** Whether anybody wants to hear of it. */
bool det_desk_hears(const struct det_desk *desk, enum det_event_kind kind);

/** Whether anybody sees such members (DET_SEES_...) of an event. */
bool det_desk_sees(const struct det_desk *desk, unsigned sees);

/** What all that hear of accesses leave: DET_LEAVES_... Such accesses need not be told. */
unsigned det_desk_leaves(const struct det_desk *desk);

/** Tells all that want to hear of it, when everything before it has been told. An `access` is
 *  `trapped`, too, for those who watch its bytes. */
void det_desk_tell(struct det_desk *desk, enum det_event_kind kind, const struct det_event *event);

/** All events before a tick have been told. */
void det_desk_told(struct det_desk *desk, sim_tick before);

/** Nothing more happens: all models answer. */
void det_desk_end(struct det_desk *desk);

/** What a model has answered, by its number in det_desk_new; behind det_desk_end. It holds until
 *  det_desk_free. */
const struct det_answer *det_desk_answer(const struct det_desk *desk, size_t model);

#endif
