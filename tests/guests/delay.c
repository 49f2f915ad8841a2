/* Delay slots and branch-likely: what happens in the slot, taken or not, and calls from it. */
#include "guest.h"

/* One branch in `op` on `a` and `b`; the slot adds 10, the fall-through 1, the target 100. */
#define BRANCH2(op, a, b)                                                                         \
    ({                                                                                            \
        int r_ = 0;                                                                               \
        __asm__ volatile(".set push\n.set noreorder\n\t" op " %1, %2, 1f\n\taddiu %0, %0, 10\n\t" \
                         "addiu %0, %0, 1\n1:\taddiu %0, %0, 100\n\t.set pop"                     \
                         : "+r"(r_)                                                               \
                         : "r"(a), "r"(b));                                                       \
        r_;                                                                                       \
    })
#define BRANCH1(op, a)                                                                        \
    ({                                                                                        \
        int r_ = 0;                                                                           \
        __asm__ volatile(".set push\n.set noreorder\n\t" op " %1, 1f\n\taddiu %0, %0, 10\n\t" \
                         "addiu %0, %0, 1\n1:\taddiu %0, %0, 100\n\t.set pop"                 \
                         : "+r"(r_)                                                           \
                         : "r"(a)                                                             \
                         : "$31");                                                            \
        r_;                                                                                   \
    })

static void integer_branches(int a, int b)
{
    printf("%d %d: beq %d bne %d beql %d bnel %d\n", a, b, BRANCH2("beq", a, b),
           BRANCH2("bne", a, b), BRANCH2("beql", a, b), BRANCH2("bnel", a, b));
    printf("%d: blez %d bgtz %d bltz %d bgez %d blezl %d bgtzl %d bltzl %d bgezl %d bltzal %d "
           "bgezal %d bltzall %d bgezall %d\n",
           a, BRANCH1("blez", a), BRANCH1("bgtz", a), BRANCH1("bltz", a), BRANCH1("bgez", a),
           BRANCH1("blezl", a), BRANCH1("bgtzl", a), BRANCH1("bltzl", a), BRANCH1("bgezl", a),
           BRANCH1("bltzal", a), BRANCH1("bgezal", a), BRANCH1("bltzall", a),
           BRANCH1("bgezall", a));
}

/* The slot of a compare-and-branch may change the compared register: the branch saw the old one. */
static int slot_changes_operand(void)
{
    int counter = 5, turns = 0;
    __asm__ volatile(".set push\n.set noreorder\n1:\taddiu %1, %1, 1\n\tbne %0, $0, 1b\n\t"
                     "addiu %0, %0, -1\n\t.set pop"
                     : "+r"(counter), "+r"(turns));
    return turns * 100 + counter;
}

/* jal's and jalr's slots run before the callee. */
static int call_slots(void)
{
    int value = 1;
    __asm__ volatile(".set push\n.set noreorder\n\t.set noat\n\tbal 1f\n\tsll %0, %0, 4\n\tb 2f\n\t"
                     "addiu %0, %0, 1\n1:\tjr $31\n\taddiu %0, %0, 2\n2:\n\t.set pop"
                     : "+r"(value)
                     :
                     : "$31");
    return value;
}

static int float_branches(double a, double b)
{
    int r = 0;
    __asm__ volatile(
        ".set push\n.set noreorder\n\tc.lt.d %1, %2\n\tnop\n\tbc1t 1f\n\taddiu %0, %0, "
        "10\n\taddiu %0, %0, 1\n1:\taddiu %0, %0, 100\n\tbc1fl 2f\n\taddiu %0, %0, "
        "1000\n\taddiu %0, %0, 2\n2:\n\t.set pop"
        : "+r"(r)
        : "f"(a), "f"(b));
    return r;
}

int main(void)
{
    static const int values[] = {-3, 0, 3};
    for (size_t i = 0; i < COUNT(values); i++)
        for (size_t j = 0; j < COUNT(values); j++)
            integer_branches(OPAQUE(values[i]), OPAQUE(values[j]));
    printf("slot changes operand: %d\n", slot_changes_operand());
    printf("call slots: %d\n", call_slots());
    printf("float: %d %d\n", float_branches(1, 2), float_branches(2, 1));
    return guest_result();
}
