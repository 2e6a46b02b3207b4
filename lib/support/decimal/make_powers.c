/* SPDX-License-Identifier: BSD-3-Clause */

/* Writes powers.c to standard output: powers of ten to 128 bits, in plain long arithmetic. */

#include <stdint.h>
#include <stdio.h>

#include "support/decimal/powers.h"

/* 5^342 has 795 bits; a remainder in the division is twice that at most. */
enum { LIMBS = 32 };

/* A natural number, least significant limb first. */
typedef struct natural {
    uint32_t limb[LIMBS];
} natural;

static void times_small(natural *a, uint32_t factor)
{
    uint64_t carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int not_less(const natural *a, const natural *b)
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] > b->limb[i];
    return 1;
}

static void subtract(natural *a, const natural *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < LIMBS; i++) {
        uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;

        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

static int bit(const natural *a, int i)
{
    return i < 0 ? 0 : (int)(a->limb[i / 32] >> (i % 32) & 1);
}

static int bit_length(const natural *a)
{
    int n = 32 * LIMBS;

    while (n > 0 && !bit(a, n - 1))
        n--;
    return n;
}

static void append_bit(hsi_power *p, int one)
{
    p->high = p->high << 1 | p->low >> 63;
    p->low = p->low << 1 | (uint64_t)one;
}

static natural power_of_five(int n)
{
    natural a = {{1}};

    while (n-- > 0)
        times_small(&a, 5);
    return a;
}

/* The first 128 bits of a. */
static hsi_power leading_bits(const natural *a)
{
    hsi_power p = {0, 0};
    int       top = bit_length(a) - 1;

    for (int i = 0; i < 128; i++)
        append_bit(&p, bit(a, top - i));
    return p;
}

/* The first 128 bits of 1/a, a > 1 and odd: long division, with 2^n > a the first dividend. */
static hsi_power leading_bits_of_inverse(const natural *a)
{
    hsi_power p = {0, 0};
    natural   rest = {{0}};
    int       n = bit_length(a);

    rest.limb[n / 32] = (uint32_t)1 << (n % 32);
    for (int i = 0; i < 128; i++) {
        int one = not_less(&rest, a);

        if (one)
            subtract(&rest, a);
        append_bit(&p, one);
        times_small(&rest, 2);
    }
    return p;
}

static hsi_power power_of_ten(int q)
{
    natural five = power_of_five(q < 0 ? -q : q);

    return q < 0 ? leading_bits_of_inverse(&five) : leading_bits(&five);
}

int main(void)
{
    puts("/* SPDX-License-Identifier: BSD-3-Clause */\n"
         "\n"
         "/* Written by make_powers.c: change that. */\n"
         "\n"
         "#include \"support/decimal/powers.h\"\n"
         "\n"
         "const hsi_power hsi_powers[HSI_POWER_MAX - HSI_POWER_MIN + 1] = {");
    for (int q = HSI_POWER_MIN; q <= HSI_POWER_MAX; q++) {
        hsi_power p = power_of_ten(q);

        printf("    {UINT64_C(0x%016llx), UINT64_C(0x%016llx)}, /* %d */\n",
               (unsigned long long)p.high, (unsigned long long)p.low, q);
    }
    puts("};");
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
