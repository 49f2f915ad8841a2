/*
 * What lies in a line: its objects, each with the bytes of the line that are its, and its cost
 * there.
 */
#include "look/sharing/sharing.h"

#include "base/alloc.h"
#include "look/cost.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

pc_bytes look_copy_read(const struct pc_missed_copy *copy)
{
    return (pc_bytes)copy->read[1] << 64 | copy->read[0];
}

pc_bytes look_copy_written(const struct pc_missed_copy *copy)
{
    return (pc_bytes)copy->written[1] << 64 | copy->written[0];
}

pc_bytes look_sharing_written(const struct look_sharing *s, const struct look_shared_line *line)
{
    enum { PART = 100 /* one time in so many is not again and again */ };
    const struct pc_missed_copy *copy = &s->truth->copy[line->copy];
    uint64_t taken = 0;
    pc_bytes written = 0;
    for (size_t i = 0; i < line->copies; i++)
        taken += copy[i].taken;
    for (size_t i = 0; i < line->copies; i++)
        if (copy[i].taken && copy[i].taken >= taken / PART)
            written |= look_copy_written(&copy[i]);
    return written;
}

static pc_bytes parts_word_at(unsigned byte)
{
    return (pc_bytes)15 << byte;
}

static struct look_held *parts_part_of(struct look_held *part, size_t *count,
                                       const struct look_object *at)
{
    size_t i = 0;
    while (i < *count && strcmp(part[i].at.key, at->key) != 0)
        i++;
    if (i == *count)
        part[(*count)++] = (struct look_held){.at = *at};
    return &part[i];
}

static int64_t parts_cost_of(const struct look_held *part)
{
    return doc_plus(part->lost.falsely, part->lost.truly);
}

static unsigned parts_first_of(const struct look_held *part)
{
    unsigned byte = 0;
    while (byte < 128 && !(part->bytes >> byte & 1))
        byte++;
    return byte;
}

static int by_cost(const void *x, const void *y)
{
    const struct look_held *a = x, *b = y;
    const int64_t p = parts_cost_of(a), q = parts_cost_of(b);
    return p != q ? (q > p) - (q < p) : (int)parts_first_of(a) - (int)parts_first_of(b);
}

/* A part is called by the dearest of its words, and by one that is read only if none is written. */
static void parts_call(struct look_held *part, const struct look_object *at, int64_t cost,
                       bool written)
{
    if (part->written > written || (part->written == written && cost <= part->most))
        return;
    part->most = cost;
    part->written = written;
    part->at = *at;
}

struct look_held *look_sharing_parts(const struct look_sharing *s,
                                     const struct look_shared_line *line, size_t *count)
{
    const struct doc_truth *truth = s->truth;
    const uint64_t va = truth->copy[line->copy].va;
    struct look_held *part = sim_alloc(line->rows + (size_t)truth->line / LOOK_WORD, sizeof *part);
    const pc_bytes written = look_sharing_written(s, line);
    pc_bytes touched = 0;
    struct look_object at;
    assert(truth->line);
    *count = 0;
    for (size_t i = line->copy; i < line->copy + line->copies; i++)
        touched |= look_copy_read(&truth->copy[i]) | look_copy_written(&truth->copy[i]);
    for (unsigned byte = 0; byte < truth->line; byte += LOOK_WORD) {
        if (!(touched & parts_word_at(byte)))
            continue;
        look_sharing_object(s, line, va + byte, &at);
        parts_part_of(part, count, &at)->bytes |= parts_word_at(byte);
    }
    for (size_t i = line->row; i < line->row + line->rows; i++) {
        const struct look_lost lost = look_lost_of(truth->row[i].v);
        if (!lost.falsely && !lost.truly)
            continue;
        look_object_asked(s->finder, truth, &truth->row[i], &at);
        struct look_held *p = parts_part_of(part, count, &at);
        const pc_bytes word = parts_word_at((unsigned)(truth->row[i].va - va) %
                                            (unsigned)truth->line / LOOK_WORD * LOOK_WORD);
        p->bytes |= word;
        parts_call(p, &at, doc_plus(lost.falsely, lost.truly), word & written);
        p->lost.falsely = doc_plus(p->lost.falsely, lost.falsely);
        p->lost.truly = doc_plus(p->lost.truly, lost.truly);
    }
    if (*count)
        qsort(part, *count, sizeof *part, by_cost);
    return part;
}
