/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Exact comparisons, orders, and sums with an error bound, compared with exact arithmetic on wide
 * integers.
 */

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "core/solve_report.h"
#include "property/dice.h"
#include "property/sample.h"
#include "support/exact.h"
#include "support/ratio.h"

#include "suite.h"

/* A signed sum of products of two doubles: an integer in units of 2^-2148, in two's complement. */
enum { WIDE_LIMBS = 70 };

typedef struct wide {
    uint64_t limb[WIDE_LIMBS];
} wide;

static void wide_add_limb(wide *sum, int at, uint64_t limb)
{
    for (; limb && at < WIDE_LIMBS; at++) {
        sum->limb[at] += limb;
        limb = sum->limb[at] < limb;
    }
}

static void wide_negate(wide *x)
{
    int i;

    for (i = 0; i < WIDE_LIMBS; i++)
        x->limb[i] = ~x->limb[i];
    wide_add_limb(x, 0, 1);
}

/* sum += a * b */
static void wide_add_product(wide *sum, double a, double b)
{
    int         a_exponent, b_exponent, shift, part;
    uint64_t    x = (uint64_t)fabs(ldexp(frexp(a, &a_exponent), 53));
    uint64_t    y = (uint64_t)fabs(ldexp(frexp(b, &b_exponent), 53));
    __uint128_t product = (__uint128_t)x * y;
    bool        negative = signbit(a) != signbit(b);

    shift = a_exponent + b_exponent - 106 + 2148;
    for (; shift < 0; shift++)
        product >>= 1; /* the lower bits are zero: a subnormal factor has few bits */
    if (negative)
        wide_negate(sum);
    for (part = 0; part < 2; part++) {
        uint64_t half = (uint64_t)(product >> (64 * part));
        int      at = shift + 64 * part;

        wide_add_limb(sum, at / 64, half << at % 64);
        if (at % 64)
            wide_add_limb(sum, at / 64 + 1, half >> (64 - at % 64));
    }
    if (negative)
        wide_negate(sum);
}

static int wide_sign(const wide *x)
{
    int i;

    if (x->limb[WIDE_LIMBS - 1] >> 63)
        return -1;
    for (i = 0; i < WIDE_LIMBS; i++)
        if (x->limb[i])
            return 1;
    return 0;
}

static double draw_double(dice *d)
{
    static const double odd[] = {DBL_MIN, DBL_MAX, 0x1p-1074, 0x1.fffffffffffffp-1023, 1,
                                 0x1.fffffffffffffp0, 0x1.0000000000001p0, 3};
    uint64_t            bits;
    double              x;

    switch (dice_below(d, 6)) {
    case 0:
        return odd[dice_below(d, 8)];
    case 1:
        return dice_between(d, 1, 40);
    case 2: /* doubles of any exponent, subnormal ones included */
        bits = dice_word(d) & ~((uint64_t)1 << 63);
        memcpy(&x, &bits, sizeof x);
        return isfinite(x) && x > 0 ? x : 1;
    case 3: /* few bits anywhere */
        return ldexp(dice_between(d, 1, 15), (int)dice_below(d, 2000) - 1074);
    case 4:
        return ldexp((double)(1 + (dice_word(d) >> 12)), -1074); /* doubles up to the least normal
                                                                    one */
    default:
        return 1 + dice_unit(d);
    }
}

/* Draw four factors whose products are often equal, or differ in the last of 106 bits. */
static void draw_factors(dice *d, double f[4])
{
    int i, exponent = (int)dice_below(d, 400) - 200;

    for (i = 0; i < 4; i++)
        f[i] = draw_double(d);
    switch (dice_below(d, 4)) {
    case 0: /* equal products: a*b = b*a */
        f[2] = f[1];
        f[3] = f[0];
        break;
    case 1: /* equal products, scaled by a power of two if that is exact */
        f[2] = ldexp(f[0], exponent);
        f[3] = ldexp(f[1], -exponent);
        if (ldexp(f[2], -exponent) != f[0] || ldexp(f[3], exponent) != f[1] || isinf(f[2]) ||
            isinf(f[3])) {
            f[2] = f[0];
            f[3] = f[1];
        }
        break;
    case 2: /* a neighbour */
        f[2] = nextafter(f[0], DBL_MAX);
        f[3] = nextafter(f[1], 0) > 0 ? nextafter(f[1], 0) : f[1];
        break;
    default:
        break;
    }
}

static int exact_sign(const double f[4])
{
    wide difference = {{0}};

    wide_add_product(&difference, f[0], f[1]);
    wide_add_product(&difference, -f[2], f[3]);
    return wide_sign(&difference);
}

START_TEST(products_compare_exactly)
{
    size_t rounds = rounds_scaled(600000), i, equal = 0;
    dice   d = {61};
    double f[4];

    for (i = 0; i < rounds; i++) {
        int expected, found;

        draw_factors(&d, f);
        expected = exact_sign(f);
        found = hsi_compare_products(f[0], f[1], f[2], f[3]);
        equal += expected == 0;
        if (found != expected)
            ck_abort_msg("%a * %a against %a * %a: %d, not %d", f[0], f[1], f[2], f[3], found,
                         expected);
        if (hsi_compare_ratios(f[0], f[3], f[2], f[1]) != expected)
            ck_abort_msg("%a / %a against %a / %a", f[0], f[3], f[2], f[1]);
    }
    ck_assert_uint_gt(equal * 10, rounds); /* ties were tried */
}
END_TEST

START_TEST(small_integer_ratios_compare_exactly)
{
    int p1, q1, p2, q2;

    for (p1 = 1; p1 <= 24; p1++)
        for (q1 = 1; q1 <= 24; q1++)
            for (p2 = 1; p2 <= 24; p2++)
                for (q2 = 1; q2 <= 24; q2++) {
                    int difference = p1 * q2 - p2 * q1;

                    if (hsi_compare_ratios(p1, q1, p2, q2) != (difference > 0) - (difference < 0))
                        ck_abort_msg("%d/%d against %d/%d", p1, q1, p2, q2);
                }
}
END_TEST

START_TEST(infinite_times_come_first_and_last)
{
    ck_assert_int_eq(hsi_compare_ratios(INFINITY, 1, 1e308, 1e-308), 1);
    ck_assert_int_eq(hsi_compare_ratios(1e308, 1e-308, INFINITY, 1), -1);
    ck_assert_int_eq(hsi_compare_ratios(INFINITY, 1, INFINITY, 1e300), 0);
    ck_assert_int_eq(hsi_compare_ratios(1, INFINITY, 0x1p-1074, 1e308), -1);
    ck_assert_int_eq(hsi_compare_ratios(0x1p-1074, 1e308, 1, INFINITY), 1);
    ck_assert_int_eq(hsi_compare_ratios(1, INFINITY, 2, INFINITY), 0);
    ck_assert_int_eq(hsi_compare_ratios(1, INFINITY, INFINITY, 1), -1);
    ck_assert_int_eq(hsi_compare_ratios(INFINITY, 1, 1, INFINITY), 1);
}
END_TEST

static bool are_in_order(const hsi_problem *pb, hsi_rho_order kind, uint32_t a, uint32_t b)
{
    double f[4] = {pb->p[a], pb->q[b], pb->p[b], pb->q[a]};
    int    sign = exact_sign(f);

    if (sign)
        return kind == HSI_RHO_UP ? sign < 0 : sign > 0;
    if (kind == HSI_RHO_QUEUE && pb->priority[a] != pb->priority[b])
        return (pb->priority[a] > pb->priority[b]) == (pb->p[a] >= pb->q[a]);
    return a < b;
}

/* Fill in times with quotients that round to equal doubles but differ: a sort by rounded
 * quotients orders them wrongly. */
static void fill_near_ties(dice *d, size_t count, double *p, double *q, int64_t *priority)
{
    size_t i;

    for (i = 0; i < count; i++) {
        double base = dice_between(d, 1, 3);

        q[i] = ldexp(1 + (double)dice_below(d, 64) * DBL_EPSILON, (int)dice_below(d, 3));
        p[i] = base * q[i];
        if (dice_below(d, 2))
            p[i] = nextafter(p[i], dice_below(d, 2) ? INFINITY : 0);
        if (dice_below(d, 8) == 0) { /* times with quotients outside of the range of a double */
            p[i] = ldexp(p[i], dice_below(d, 2) ? 1000 : -1000);
            q[i] = ldexp(q[i], p[i] > 1 ? -1000 : 1000);
        }
        priority[i] = (int64_t)dice_below(d, 3) - 1;
    }
}

START_TEST(task_orders_are_exact)
{
    enum { MOST = 1500 };
    static double   p[MOST], q[MOST];
    static int64_t  priority[MOST];
    static uint32_t order[MOST];
    size_t          rounds = rounds_scaled(300), i, j, kind;
    dice            d = {62};

    for (i = 0; i < rounds; i++) {
        hsi_problem pb = {.n = i % 10 ? dice_below(&d, 60) : dice_between(&d, 500, MOST),
                          .m = 1, .k = 1, .p = p, .q = q, .priority = priority};

        fill_near_ties(&d, pb.n, p, q, priority);
        for (kind = HSI_RHO_UP; kind <= HSI_RHO_QUEUE; kind++) {
            ck_assert_int_eq(hsi_order_by_rho(&pb, (hsi_rho_order)kind, order), HS_OK);
            for (j = 1; j < pb.n; j++)
                if (!are_in_order(&pb, (hsi_rho_order)kind, order[j - 1], order[j]))
                    ck_abort_msg("order %zu: %a/%a stands before %a/%a", kind, p[order[j - 1]],
                                 q[order[j - 1]], p[order[j]], q[order[j]]);
        }
    }
}
END_TEST

/* Check that the true sum lies within `error` of high + low. */
static void check_enclosed(const hsi_sum *s, const wide *truth)
{
    int side;

    for (side = -1; side <= 1; side += 2) {
        wide difference = *truth;

        wide_add_product(&difference, -s->high, 1);
        wide_add_product(&difference, -s->low, 1);
        wide_add_product(&difference, side * s->error, 1);
        if (wide_sign(&difference) == -side)
            ck_abort_msg("%a + %a is wrong by more than %a", s->high, s->low, s->error);
    }
}

START_TEST(uncertain_sum_is_not_surely_nonnegative)
{
    static const hsi_sum surely[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, 0, 0.5}};
    static const hsi_sum perhaps[] = {{-1, 0, 0}, {0, -0x1p-1074, 0}, {1, 0, 1}, {1, 0, 2}, {0, 0, 1}};

    for (size_t i = 0; i < sizeof surely / sizeof *surely; i++)
        ck_assert(hsi_sum_surely_nonnegative(&surely[i]));
    for (size_t i = 0; i < sizeof perhaps / sizeof *perhaps; i++)
        ck_assert(!hsi_sum_surely_nonnegative(&perhaps[i]));
}
END_TEST

START_TEST(sums_round_up)
{
    static const hsi_sum sums[] = {{1, 0x1p-60, 0}, {1, 0, 0x1p-60}, {1, 0, 0}, {1, -0x1p-60, 0}};
    static const double  up[] = {1 + 0x1p-52, 1 + 0x1p-52, 1, 1};

    for (size_t i = 0; i < sizeof up / sizeof *up; i++)
        ck_assert(hsi_sum_round_up(&sums[i]) == up[i]);
}
END_TEST

START_TEST(sums_know_their_error)
{
    size_t rounds = rounds_scaled(20000), i, j;
    dice   d = {63};

    for (i = 0; i < rounds; i++) {
        hsi_sum  s = {0, 0, 0};
        wide     truth = {{0}};
        unsigned terms = dice_between(&d, 1, 30), middle = dice_below(&d, 1800);

        for (j = 0; j < terms; j++) {
            /* Draw exponents so close that sums stay finite and products in range. */
            int    exponent = (int)(middle + dice_below(&d, 200)) - 1000;
            double a = ldexp(dice_unit(&d), exponent / 2);
            double b = ldexp(dice_unit(&d), exponent - exponent / 2);

            if (dice_below(&d, 4) == 0) /* a small integer factor: the product is exact even for
                                           the smallest doubles */
                b = dice_between(&d, 1, 100);
            if (b >= 1 && dice_below(&d, 2))
                a = ldexp(dice_between(&d, 1, 1000), (int)dice_below(&d, 80) - 1074);
            if (dice_below(&d, 3) == 0) {
                hsi_sum_add(&s, a);
                wide_add_product(&truth, a, 1);
            } else {
                hsi_sum_add_product(&s, a, b);
                wide_add_product(&truth, a, b);
            }
        }
        check_enclosed(&s, &truth);
    }
}
END_TEST

/* Check the result of a division: the largest double that is not above the quotient, or at most
 * one below. */
START_TEST(quotient_is_rounded_down)
{
    size_t rounds = rounds_scaled(200000), i;
    dice   d = {64};

    for (i = 0; i < rounds; i++) {
        hsi_sum numerator = {0, 0, 0}, denominator = {0, 0, 0};
        double  quotient, above;
        wide    rest = {{0}};
        double  terms[4];
        int     j;

        for (j = 0; j < 4; j++)
            terms[j] = dice_below(&d, 2) ? dice_between(&d, 1, 1000)
                                         : ldexp(dice_unit(&d), (int)dice_below(&d, 80) - 40);
        hsi_sum_add(&numerator, terms[0]);
        hsi_sum_add(&numerator, terms[1]);
        hsi_sum_add(&denominator, terms[2]);
        hsi_sum_add(&denominator, terms[3]);
        quotient = hsi_divide_down(&numerator, &denominator);
        above = nextafter(nextafter(quotient, INFINITY), INFINITY);
        wide_add_product(&rest, terms[0], 1);
        wide_add_product(&rest, terms[1], 1);
        wide_add_product(&rest, terms[2], -quotient);
        wide_add_product(&rest, terms[3], -quotient);
        if (wide_sign(&rest) < 0)
            ck_abort_msg("(%a + %a) / (%a + %a): %a is too much", terms[0], terms[1], terms[2],
                         terms[3], quotient);
        memset(&rest, 0, sizeof rest);
        wide_add_product(&rest, terms[0], 1);
        wide_add_product(&rest, terms[1], 1);
        wide_add_product(&rest, terms[2], -above);
        wide_add_product(&rest, terms[3], -above);
        if (wide_sign(&rest) > 0)
            ck_abort_msg("(%a + %a) / (%a + %a): %a is too little", terms[0], terms[1], terms[2],
                         terms[3], quotient);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ratio");
    TCase *cases = tcase_create("exact arithmetic");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, products_compare_exactly);
    tcase_add_test(cases, small_integer_ratios_compare_exactly);
    tcase_add_test(cases, infinite_times_come_first_and_last);
    tcase_add_test(cases, task_orders_are_exact);
    tcase_add_test(cases, uncertain_sum_is_not_surely_nonnegative);
    tcase_add_test(cases, sums_round_up);
    tcase_add_test(cases, sums_know_their_error);
    tcase_add_test(cases, quotient_is_rounded_down);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
