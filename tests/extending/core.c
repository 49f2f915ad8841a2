/*
 * A core of one's own: a machine with one register and seven instructions (docs/extending.md).
 *
 * An instruction is a 32-bit word in memory: a letter, and a number of 24 bits. The program below
 * adds the numbers from 10 down to 1; processor 1 runs it too, over other data.
 */
#include "machine/values.h"
#include "monitor/board/registers.h"
#include "procard/procard.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

/* ---- the core -------------------------------------------------------------------------------- */

struct tiny {
    struct pc_cpu cpu; /* first: what the card knows */
    uint64_t pc, a;    /* the program counter and the register */
};

/* The instruction at pc; false: *stop says why there is none yet. */
static bool fetch(struct tiny *t, uint32_t *word, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &t->cpu;
    const struct pc_line *line = &cpu->i[t->pc >> cpu->ishift & cpu->imask];
    if (line->tag != t->pc >> cpu->ishift << cpu->ishift && !pc_fetch(cpu, t->pc, cpu->now, stop))
        return false;
    memcpy(word, (const void *)(line->host + t->pc), sizeof *word);
    *word = be32toh(*word);
    return true;
}

/* Data of 8 bytes, the slow way: pc_load looks everything up. */
static bool load(struct tiny *t, uint64_t address, uint64_t *value, enum pc_stop *stop)
{
    const uint8_t *bytes = pc_load(&t->cpu, address, 8, t->cpu.now, stop);
    if (bytes)
        memcpy(value, bytes, 8);
    *value = be64toh(*value);
    return bytes;
}

static bool store(struct tiny *t, uint64_t address, enum pc_stop *stop)
{
    const uint64_t value = htobe64(t->a);
    uint8_t *bytes = pc_store(&t->cpu, address, 8, t->cpu.now, stop);
    if (bytes)
        memcpy(bytes, &value, 8);
    return bytes;
}

/* One instruction. @return false: it has had no effect, and *stop says why */
static bool step(struct tiny *t, enum pc_stop *stop)
{
    enum pc_status state = PC_ST_INT;
    uint64_t operand = 0, next = t->pc + 4;
    uint32_t word;
    if (!fetch(t, &word, stop))
        return false;
    const uint64_t number = word & 0xffffff;
    switch (word >> 24) {
    case 'i': /* a = number */
        t->a = number;
        break;
    case 'l': /* a = memory[number] */
    case '+': /* a += memory[number] */
        if (!load(t, number, &operand, stop))
            return false;
        t->a = operand + (word >> 24 == '+' ? t->a : 0);
        state = PC_ST_LOAD;
        break;
    case 's': /* memory[number] = a */
        if (!store(t, number, stop))
            return false;
        state = PC_ST_STORE;
        break;
    case '-': /* a -= number */
        t->a -= number;
        break;
    case 'j': /* unless a is 0, to number */
        state = t->a ? PC_ST_BR_TAKEN : PC_ST_BR_UNTAKEN;
        next = t->a ? number : next;
        break;
    default: /* the operating system is wanted */
        t->cpu.exc = PC_EXC_SYS;
        *stop = PC_STOP_TRAP;
        return false;
    }
    t->pc = next;
    t->cpu.instructions++;
    pc_complete(&t->cpu, state, 1);
    return true;
}

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    enum pc_stop stop = PC_STOP_HORIZON;
    if (cpu->now >= horizon)
        return cpu->now;
    cpu->horizon = horizon;
    while (cpu->now < horizon)
        if (!step((struct tiny *)cpu, &stop))
            return pc_stopped(cpu, stop);
    return cpu->now;
}

static uint64_t pc(const struct pc_cpu *cpu)
{
    return ((const struct tiny *)cpu)->pc;
}

static const struct pc_core_ops core = {
    .name = "tiny", .size = sizeof(struct tiny), .run = run, .pc = pc};

static const struct nm_card_kind tiny_card = {&pc_card_ops, &core, &mon_numachine};

/* ---- a machine of them ----------------------------------------------------------------------- */

enum { NUMBER = 0x1000, SUM = 0x1008, PROGRAM = 0x2000, PROGRAM_BYTES = 0x100, CARDS = 2 };

/* Sums up the numbers from memory[NUMBER] down to 1, in memory[SUM]; card 1 has its own. */
static void put_program(uint8_t *image, uint64_t program, unsigned own)
{
    const struct {
        char letter;
        uint64_t number;
    } text[] = {{'i', 10},          {'s', NUMBER + own},
                {'l', SUM + own},   {'+', NUMBER + own},
                {'s', SUM + own},   {'l', NUMBER + own},
                {'-', 1},           {'s', NUMBER + own},
                {'j', program + 8}, {'h', 0}};
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
        const uint32_t word = htobe32((uint32_t)text[i].letter << 24 | (uint32_t)text[i].number);
        memcpy(image + program + 4 * i, &word, sizeof word);
    }
}

/* Addresses are physical ones. */
static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va;
    return NM_XLATE_OK;
}

int main(void)
{
    struct nm_params p;
    nm_params_default(&p);
    p.ring_stations = p.ring_locals = p.ring_groups = 1;
    p.processors = CARDS;
    p.check = true; /* every load is compared with what the protocol says it must find */
    struct nm_machine *m = nm_machine_new(&p, &tiny_card);
    nm_machine_set_space(m, &(struct nm_space){.translate = translate});
    for (unsigned card = 0; card < CARDS; card++) {
        put_program(nm_machine_image(m), PROGRAM + card * PROGRAM_BYTES, 16 * card);
        ((struct tiny *)pc_cpu_at(m, card))->pc = PROGRAM + card * PROGRAM_BYTES;
        nm_card_resume(m, card, 0);
    }
    for (unsigned left = CARDS; left; left--) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        if (why != NM_RUN_TRAP) {
            fprintf(stderr, "stopped with %d: %s\n", (int)why, nm_machine_error(m));
            return 1;
        }
        nm_card_take(m, trap.card);
    }
    for (unsigned card = 0; card < CARDS; card++) {
        struct nm_truth truth;
        uint64_t sum;
        memcpy(&sum, nm_machine_image(m) + SUM + 16 * card, sizeof sum);
        nm_card_truth(m, card, &truth);
        printf("card %u: %lu after %lu instructions, %lu loads, %lu stores\n", card,
               (unsigned long)be64toh(sum), (unsigned long)truth.instructions,
               (unsigned long)truth.loads, (unsigned long)truth.stores);
        if (be64toh(sum) != 55 || truth.instructions != 2 + 10 * 7 || truth.loads != 30 ||
            truth.stores != 21)
            return 1;
    }
    nm_machine_free(m);
    return 0;
}
