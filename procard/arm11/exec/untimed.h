/*
 * Private to the interpreter without time, in which an instruction takes one PCycle: what timed.h
 * defines.
 */
#ifndef ARM11_EXEC_UNTIMED_H
#define ARM11_EXEC_UNTIMED_H

#define ISSUE1()       ISSUE()
#define ISSUE2()       ISSUE()
#define ISSUE_ROW(...) ISSUE()
#define DONE_ROW(...)  (now++)
#define ENTER2()       ISSUE()
#define ENTER3()       ISSUE()
#define ENTER5()       ISSUE()
#define RESULT()       ((void)0)
#define TAKES()        (now++)
#define OCCUPIES(more) ((void)0)
#define LATENCY
#define CALL(f)        arm11_untimed_##f
#define VIEW(va)       (&view[(va) >> c->base.dshift & view_mask])
#define OF_LINE(size)  (untimed_line | ((size)-1))
#define WROTE(va)      ((void)0)
#define WRITTEN_BACK() ((void)0)
#define BARRIER()      true

#define PREDICTED(cycles, more, call) ((cycles) = 1)
#define CALLED(back)                  ((void)0)
#define KNOWN_FROM(tick)              ((void)0)
#define TAKEN_BY(operation)           ((void)(operation), 1)
#define PASSES()                      ((void)wants)
#define FETCHED(pc)                   true
#define SHOW()                                \
    do {                                      \
        view = c->r.e ? c->blind : base->d;   \
        view_mask = c->r.e ? 0 : base->dmask; \
    } while (0)

#endif
