/* Gravity among five bodies, a fast Fourier transform, and the mathematics library. */
#include "guest.h"

#include <complex.h>
#include <math.h>

enum { BODIES = 5, STEPS = 60, N = 64 };

static struct body {
    double x[3], v[3], mass;
} bodies[BODIES];

static void step(double dt)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            double d[3], square = 1e-3;
            for (int k = 0; k < 3; k++) {
                d[k] = bodies[i].x[k] - bodies[j].x[k];
                square += d[k] * d[k];
            }
            double pull = dt / (square * sqrt(square));
            for (int k = 0; k < 3; k++) {
                bodies[i].v[k] -= d[k] * bodies[j].mass * pull;
                bodies[j].v[k] += d[k] * bodies[i].mass * pull;
            }
        }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            bodies[i].x[k] += dt * bodies[i].v[k];
}

static void gravity(void)
{
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].x[k] = sin(i * 3 + k);
            bodies[i].v[k] = cos(i + k * 2) * 0.1;
        }
        bodies[i].mass = 1.0 / (i + 1);
    }
    for (int i = 0; i < STEPS; i++)
        step(0.01);
    for (int i = 0; i < BODIES; i++)
        printf("%a %a %a\n", bodies[i].x[0], bodies[i].x[1], bodies[i].x[2]);
}

static void fft(double complex *x, unsigned n, unsigned stride, double complex *out)
{
    if (n == 1) {
        out[0] = x[0];
        return;
    }
    fft(x, n / 2, stride * 2, out);
    fft(x + stride, n / 2, stride * 2, out + n / 2);
    for (unsigned k = 0; k < n / 2; k++) {
        double complex twiddle = cexp(-2 * M_PI * I * k / n) * out[k + n / 2], even = out[k];
        out[k] = even + twiddle;
        out[k + n / 2] = even - twiddle;
    }
}

static void transform(void)
{
    static double complex in[N], out[N];
    double energy = 0;

    for (int i = 0; i < N; i++)
        in[i] = sin(0.3 * i) + 0.5 * cos(1.1 * i) * I;
    fft(in, N, 1, out);
    for (int i = 0; i < N; i += 7)
        printf("%a %a\n", creal(out[i]), cimag(out[i]));
    for (int i = 0; i < N; i++)
        energy += cabs(out[i]) * cabs(out[i]);
    printf("%a\n", energy);
}

int main(void)
{
    gravity();
    transform();
    printf("%a %a %a %a %a\n", exp(OPAQUE(1.0)), log(OPAQUE(2.0)), pow(OPAQUE(1.1), 50),
           atan2(OPAQUE(1.0), -2), tgamma(OPAQUE(4.5)));
    printf("%a %a %a %a\n", fmod(OPAQUE(1e10), 0.7), cbrt(OPAQUE(3.0)), hypot(OPAQUE(3e200), 4e200),
           erf(OPAQUE(0.5)));
    return guest_result();
}
