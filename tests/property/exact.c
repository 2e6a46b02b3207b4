/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact.h"

#include <math.h>

static void add_limb(exact *sum, int at, uint64_t limb)
{
    while (limb) {
        sum->limb[at] += limb;
        limb = sum->limb[at] < limb;
        at++;
    }
}

void exact_add(exact *sum, double x)
{
    int      exponent, shift;
    uint64_t mantissa = (uint64_t)ldexp(frexp(x, &exponent), 53);

    if (!mantissa)
        return;
    exponent += 1074 - 53;
    if (exponent < 0) { /* a subnormal number: the dropped bits are zeros */
        mantissa >>= -exponent;
        exponent = 0;
    }
    shift = exponent % 64;
    add_limb(sum, exponent / 64, mantissa << shift);
    if (shift)
        add_limb(sum, exponent / 64 + 1, mantissa >> (64 - shift));
}

int exact_compare(const exact *a, const exact *b)
{
    int i;

    for (i = EXACT_LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

int exact_compare_double(const exact *a, double b)
{
    exact other = {{0}};

    if (isinf(b))
        return -1;
    exact_add(&other, b);
    return exact_compare(a, &other);
}
