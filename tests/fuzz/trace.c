/*
 * Traces of any format. The idea: a file is refused with one line, or read to its end; what is read
 * can be written and read again, and is the same.
 */
#include "base/alloc.h"
#include "programs/traces/ntr.h"
#include "programs/traces/summary.h"
#include "programs/traces/writers.h"
#include "tests/fuzz/fuzz.h"

#include <xxhash.h>

const char *const fuzz_words[] = {
    "I  ",    " L ",       " S ",       " M ",  ",8\n",     "==1== ", "ifetch ", "read ",
    "write ", "byte(s) @", "<marker: ", "0x",   "ffffffff", "\n",     "1: T1 ",  "2 400000\n",
    "0 ",     "1 ",        TR_NTR_TAIL, "Tblk", "\x1f\x8b", NULL};

/* A small trace of our own. */
static size_t own_seed(uint8_t *out, size_t room)
{
    static const struct tr_op op[] = {
        {.kind = TR_OP_START},
        {.kind = TR_OP_FETCH, .address = 0x400000, .gap = 3},
        {.kind = TR_OP_LOAD, .address = 0x10000008, .size = 8},
        {.kind = TR_OP_BEGIN},
        {.kind = TR_OP_LL, .address = 0x10000010, .size = 4},
        {.kind = TR_OP_SC, .address = 0x10000010, .size = 4, .value = 7},
        {.kind = TR_OP_COMPUTE, .value = 1000},
        {.kind = TR_OP_SLEEP, .gap = 300},
        {.kind = TR_OP_FINISH},
        {.kind = TR_OP_END}};
    char *bytes;
    size_t size;
    FILE *file = sim_text_open(&bytes, &size);
    struct tr_sink *sink = tr_ntr_writer.open(file, &(struct tr_about){.made = "seed"});
    for (uint32_t t = 0; t < 2; t++)
        tr_ntr_writer.put(sink, t, op, sizeof op / sizeof *op);
    tr_ntr_writer.region(sink, 0, "r");
    tr_ntr_writer.close(sink);
    sim_text_close(file, &bytes);
    size = size < room ? size : room;
    memcpy(out, bytes, size);
    free(bytes);
    return size;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static const char *const texts[] = {
        "==7== Lackey\nI  00400000,4\n L 1fff000700,8\n S 1fff000701,32\nI  0040001e,7\n M 10,1\n",
        "Output format:\n<--record#-> <--instr#->: <---tid---> <record details>\n-----\n"
        " 1 0: 33 <marker: version 6>\n 2 1: 33 ifetch 8 byte(s) @ 0x401012 48 8d lea\n"
        " 2 1: 33      00\n 3 1: 34 write 8 byte(s) @ 0x00007ffc by PC 0x401012\nView tool "
        "results:\n",
        "7: T33 ifetch 5 byte(s) @ 0x7f non-branch\n8: T33 read 8 byte(s) @ 0x10 by PC 0x7f\n",
        "2 400000\n0 10000008\n1 1000000a 2\nr ffffffffffffffff 1\n4 0\n"};
    const unsigned count = sizeof texts / sizeof *texts;
    return number < count    ? fuzz_text_seed(texts[number], out, room)
           : number == count ? own_seed(out, room)
                             : 0;
}

/* What a trace holds, in a number: each thread's records in their order. */
struct held {
    uint64_t hash, records;
    bool bad;
};

static void check(const struct tr_op *op)
{
    FUZZ_CHECK(op->kind < TR_OP__COUNT, "kind %u", op->kind);
    const struct tr_op_row *row = &tr_op_rows[op->kind];
    const bool sized = row->sort == TR_REFERENCE && op->kind != TR_OP_FETCH;
    FUZZ_CHECK(sized == (op->size > 0) && op->size <= TR_SIZE_MAX, "size %u", op->size);
    FUZZ_CHECK(row->sort != TR_NOTE || !op->address, "a note's address");
    FUZZ_CHECK(row->value || !op->value, "a value of what has none");
}

static struct held hold(const char *path, struct tr_sink *sink)
{
    static uint64_t hash[TR_THREADS_MAX];
    char why[1024] = "";
    struct tr_batch batch;
    struct held held = {0};
    struct tr_summary sum;
    enum tr_more more = TR_BAD;
    struct tr_source *s = tr_open(path, why, sizeof why);
    memset(hash, 0, sizeof hash);
    tr_summary_begin(&sum, 64, 4096);
    while (s && (more = tr_next(s, &batch)) == TR_MORE) {
        FUZZ_CHECK(batch.count && batch.thread < tr_threads(s), "thread %u", batch.thread);
        for (size_t i = 0; i < batch.count; i++) {
            check(&batch.op[i]);
            const struct tr_op *op = &batch.op[i];
            const uint64_t parts[] = {op->address, op->value, op->gap, op->kind, op->size};
            hash[batch.thread] = XXH64(parts, sizeof parts, hash[batch.thread]);
        }
        held.records += batch.count;
        tr_summary_add(&sum, &batch);
        if (sink)
            tr_ntr_writer.put(sink, batch.thread, batch.op, batch.count);
    }
    tr_summary_end(&sum);
    tr_summary_free(&sum);
    held.bad = more == TR_BAD;
    if (held.bad && s)
        snprintf(why, sizeof why, "%s", tr_why(s));
    FUZZ_CHECK(!held.bad || (!strncmp(why, path, strlen(path)) && !strchr(why, '\n')), "'%s'", why);
    if (s)
        tr_close(s);
    held.hash = XXH64(hash, sizeof hash, 0);
    return held;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tr_about about = {.made = "fuzz"};
    fuzz_scratch();
    fuzz_write("in", data, size);
    FILE *out = fopen("again", "wb");
    if (!out)
        abort();
    struct tr_sink *sink = tr_ntr_writer.open(out, &about);
    const struct held first = hold("in", sink);
    tr_ntr_writer.close(sink);
    fclose(out);
    const struct held again = hold("again", NULL);
    FUZZ_CHECK(!again.bad && again.records == first.records && again.hash == first.hash,
               "%lu records, then %lu", (unsigned long)first.records, (unsigned long)again.records);
    return 0;
}
