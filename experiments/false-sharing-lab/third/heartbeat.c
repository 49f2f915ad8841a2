/*
 * A control loop and its supervisor. The loop looks at its gains in each round; the supervisor does
 * its own work, and gives a sign of life now and then in the same structure.
 */
#include "shown.h"
#include <stdatomic.h>

enum { ROUNDS = 3000, BEATS = 800, BETWEEN = 60 };

struct gains {
    int proportional, integral, differential;
};

struct controller {
    struct gains gains;
    APART atomic_uint beats;
};

struct motor {
    int speed, wanted, sum, last;
};

static OWN_LINE struct controller *controller;
static OWN_LINE struct motor motor;

static ALONE struct controller *controller_make(void)
{
    struct controller *c = (struct controller *)GET(sizeof *c);
    c->gains = (struct gains){40, 3, 9};
    atomic_init(&c->beats, 0);
    return c;
}

static ALONE int correction(const struct gains *g, int error, int sum, int change)
{
    return (g->proportional * error + g->integral * sum + g->differential * change) / 256;
}

static void motor_step(struct motor *m, const struct gains *g)
{
    int error = m->wanted - m->speed;
    m->sum = (m->sum + error) * 7 / 8;
    int push = correction(g, error, m->sum, error - m->last);
    m->last = error;
    m->speed += push;
    for (int k = 0; k < 6; k++)
        m->speed -= m->speed / 512;
}

static void control(void)
{
    motor.wanted = 5000;
    for (int r = 0; r < ROUNDS; r++)
        motor_step(&motor, &controller->gains);
}

static unsigned inspect(unsigned x)
{
    for (int i = 0; i < BETWEEN; i++)
        x = (x ^ (x >> 7)) * 69069u;
    return x;
}

static unsigned supervise(void)
{
    unsigned x = 1;
    for (int b = 0; b < BEATS; b++) {
        x = inspect(x);
        atomic_fetch_add(&controller->beats, 1); /* shares: controller_make() */
    }
    return x;
}

static void *work(void *argument)
{
    if (number(argument) == 0)
        control();
    else
        return (void *)(uintptr_t)(supervise() & 1);
    return NULL;
}

int main(int argc, char **argv)
{
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    controller = controller_make();
    shown("controller_make()", controller, sizeof *controller);
    crew(2, work);
    printf("speed %d, %u beats\n", motor.speed, atomic_load(&controller->beats));
    return atomic_load(&controller->beats) != BEATS || motor.speed < 3000 || motor.speed > 7000;
}
