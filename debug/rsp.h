/*
 * gdb's remote serial protocol: packets on a connection, and who answers them (packets.def).
 */
#ifndef DBG_RSP_H
#define DBG_RSP_H

#include "debug/debug.h"

/** A packet that is answered. */
struct dbg_packet {
    struct dbg *d;
    const char *text; /**< behind the packet's name; as it came, but for escapes: any bytes, and a 0
                           behind the last */
    size_t count;     /**< [bytes] */
    char *answer;     /**< [DBG_PACKET] what is said; at first nothing, which refuses */
    size_t answered;  /**< [bytes] of it */
    bool none; /**< nothing is said at all, now: the run goes on, and its stop is the answer */
};

/** The front of a debugger that speaks the protocol on session.fd. */
extern const struct dbg_front dbg_gdb;

/** Answers one packet, as if it had come. @param text  [count] without frame, unescaped, and a 0
 *  behind it. For tests, too */
void dbg_packet_answer(struct dbg_packet *p, const char *text, size_t count);

/* ---- for those who answer -------------------------------------------------------------------- */

void dbg_answer(struct dbg_packet *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** "OK" or, of what could not be done, an error. */
void dbg_answer_done(struct dbg_packet *p, bool done);
void dbg_answer_hex(struct dbg_packet *p, const void *bytes, size_t count);
/** Raw bytes, of which some need an escape. */
void dbg_answer_raw(struct dbg_packet *p, const void *raw, size_t count);
/** A piece of a text, "OFFSET,LENGTH", as qXfer has it. */
void dbg_answer_piece(struct dbg_packet *p, const char *range, const void *bytes, size_t count);
/** Why the run stands, as "T05...". */
void dbg_answer_stop(struct dbg_packet *p);
/** How the run has ended, as "W00" or "X0b". */
void dbg_answer_end(struct dbg_packet *p);
/** A text for people, while the run goes. */
void dbg_say(struct dbg *d, const char *text);

/** Reads a hexadecimal number and moves on. @return false: there is none, or it is too great */
bool dbg_hex(const char **text, uint64_t *value);
/** Bytes of two digits each. @return how many, at most `most` */
size_t dbg_hex_bytes(const char *text, uint8_t *bytes, size_t most);
/** The next character is this one, and moves on. */
bool dbg_next(const char **text, char c);

/** A handler. */
typedef void dbg_packet_fn(struct dbg_packet *p);
#define PACKET(name, handler, sentence) dbg_packet_fn handler;
#include "debug/packets.def"

#endif
