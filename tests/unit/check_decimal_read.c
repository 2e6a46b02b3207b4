/* SPDX-License-Identifier: BSD-3-Clause */

/* Conversion of decimals to doubles, compared with strtod() in the "C" locale. */

#include <check.h>
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>

#include "decimal_fixture.h"
#include "suite.h"

enum { TEXT_MAX = 2048 };

static void check_read(const char *text, size_t expected_length, uint64_t expected_bits)
{
    double value = -1;
    size_t length = read_exactly(text, strlen(text), &value);

    if (length != expected_length || to_bits(value) != expected_bits)
        ck_abort_msg("\"%s\": read %zu bytes as %a, not %zu as %a", text, length, value,
                     expected_length, from_bits(expected_bits));
}

/* Compare with strtod(), also with more text behind the number. */
static void check_as_strtod(const char *text)
{
    char     longer[TEXT_MAX + 16];
    char    *end;
    uint64_t expected = to_bits(strtod(text, &end));

    if (end == text)
        expected = to_bits(-1);
    check_read(text, (size_t)(end - text), expected);
    snprintf(longer, sizeof longer, "%s,gpu 123456", text);
    check_read(longer, (size_t)(end - text), expected);
}

START_TEST(reads_what_printf_writes)
{
    char text[64];

    for (int i = 0; i < 30000; i++) {
        double value = i % 2 ? random_finite() : random_round();

        snprintf(text, sizeof text, "%.17g", value);
        check_as_strtod(text);
        snprintf(text, sizeof text, "%.*e", below(20), value);
        check_as_strtod(text);
        snprintf(text, sizeof text, "%.*f", below(12), fmod(value, 1e20));
        check_as_strtod(text);
    }
}
END_TEST

/* Write `count` random digits, with frequent runs of 0 and 9. Return the end of the digits. */
static char *random_digits(char *p, int count)
{
    for (int kind = 0; count > 0; count--) {
        if (below(8) == 0)
            kind = below(4);
        *p++ = kind == 0 ? '0' : kind == 1 ? '9' : (char)('0' + below(10));
    }
    return p;
}

START_TEST(reads_random_decimals)
{
    for (int i = 0; i < 150000; i++) {
        char  text[128], *p = text;
        int   range = i % 3 ? 30 : 380;

        if (below(4) == 0)
            *p++ = "+-"[below(2)];
        p = random_digits(p, below(21));
        if (below(2))
            *p++ = '.';
        p = random_digits(p, below(21));
        *p = '\0';
        if (below(2))
            sprintf(p, "%c%s%d", "eE"[below(2)], below(8) ? "" : "+", below(2 * range) - range);
        check_as_strtod(text);
    }
}
END_TEST

START_TEST(reads_powers_and_edges)
{
    static const char *const texts[] = {
        "0", "-0", "0.", ".0", "0e5", "0e99999999999999999999", "-0e-99999999999999999999",
        "1e99999999999999999999", "-1e99999999999999999999", "1e-99999999999999999999",
        "1e9223372036854775807", "1e-9223372036854775808", "1e18446744073709551617",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "1.797693134862315708145274237317043567980705675258449965989174768031572607800285387e308",
        "1.797693134862315807937289714053034150799341327100378269361737789804449682927647509e308",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750e228",
        "2.2250738585072014e-308", "2.2250738585072011e-308", "2.225073858507201e-308",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.47032822920623272088e-324", "2.47032822920623272089e-324", "7.4109846876186981e-324",
        "7.4109846876186982e-324", "1e-323", "3e-324", "2e-324", "9007199254740991",
        "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740994",
        "9007199254740995", "900719925474099.25e1", "4503599627370497.5", "4503599627370496.5",
        "9999999999999999999", "18446744073709551615", "18446744073709551616",
        "00000000000000000000000012345.678", "0.00000000000000000000000012345678",
        "1.00000000000000000000000000000000000000", "1.00000000000000011102230246251565",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "8.5e22", "1e22", "1e23", "123456789012345678e-22", "6.631236846766476e-316",
    };
    char text[TEXT_MAX];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_as_strtod(texts[i]);
    for (int q = -400; q <= 400; q++) {
        snprintf(text, sizeof text, "1e%d", q);
        check_as_strtod(text);
        snprintf(text, sizeof text, "18446744073709551615e%d", q);
        check_as_strtod(text);
    }
    for (int e = -1074; e <= 1023; e++) {
        snprintf(text, sizeof text, "%.17g", ldexp(1, e));
        check_as_strtod(text);
        snprintf(text, sizeof text, "%.1080e", ldexp(1, e));
        check_as_strtod(text);
    }
}
END_TEST

/* Read thousands of zeros, some with a large exponent for compensation. */
START_TEST(reads_many_zeros)
{
    static char zeros[12001], text[2 * sizeof zeros + 32];

    memset(zeros, '0', sizeof zeros - 1);
    sprintf(text, "0.%s12345e12003", zeros);
    check_read(text, strlen(text), to_bits(123.45));
    sprintf(text, "12345%se-12002", zeros);
    check_read(text, strlen(text), to_bits(123.45));
    sprintf(text, "%s.%s", zeros, zeros);
    check_read(text, strlen(text), to_bits(0));
    sprintf(text, "%s1.%s1", zeros, zeros);
    check_read(text, strlen(text), to_bits(1));
    sprintf(text, "9007199254740993.%s1", zeros);
    check_read(text, strlen(text), to_bits(9007199254740994));
    sprintf(text, "9007199254740993.%s", zeros);
    check_read(text, strlen(text), to_bits(9007199254740992));
}
END_TEST

/* A natural number in limbs of nine digits, least significant first. */
typedef struct natural {
    int      count;
    uint64_t limb[96];
} natural;

static void multiply_natural(natural *n, uint64_t factor)
{
    uint64_t carry = 0;

    for (int i = 0; i < n->count; i++) {
        carry += n->limb[i] * factor;
        n->limb[i] = carry % 1000000000;
        carry /= 1000000000;
    }
    for (; carry > 0; carry /= 1000000000)
        n->limb[n->count++] = carry % 1000000000;
}

/* Write all digits of the midpoint between the double of these bits and the next double; return
 * the power of ten that scales the digits. */
static int midpoint_digits(uint64_t bits, char *digits)
{
    uint64_t odd = 2 * (bits & FRACTION_BITS) + 1;
    int      exponent = (int)(bits >> 52), tens = 0;
    natural  n = {3, {odd % 1000000000, odd / 1000000000, 0}};

    multiply_natural(&n, 1);
    if (exponent > 0) { /* twice the hidden bit: 2^53 = 9007199 * 10^9 + 254740992 */
        n.limb[0] += 254740992;
        n.limb[1] += 9007199;
    } else {
        exponent = 1;
    }
    multiply_natural(&n, 1); /* propagate carries */
    exponent -= 1076;
    for (int i = 0; i < exponent; i++)
        multiply_natural(&n, 2);
    if (exponent < 0)
        tens = exponent;
    for (int i = exponent; i < 0; i++)
        multiply_natural(&n, 5);
    while (n.limb[n.count - 1] == 0)
        n.count--;
    digits += sprintf(digits, "%" PRIu64, n.limb[n.count - 1]);
    for (int i = n.count - 2; i >= 0; i--)
        digits += sprintf(digits, "%09" PRIu64, n.limb[i]);
    return tens;
}

static void add_to_last(char *digits, int term)
{
    char *p = digits + strlen(digits) - 1;
    int   sum = *p - '0' + term;

    for (; sum < 0 || sum > 9; sum = *--p - '0' + (sum < 0 ? -1 : 1))
        *p = (char)('0' + (sum < 0 ? sum + 10 : sum - 10));
    *p = (char)('0' + sum);
}

/* Read the digits with a decimal point at a random place and a matching exponent; compare the
 * result with the expected bits and with strtod(). */
static void check_digits(const char *digits, int exponent, uint64_t expected)
{
    char text[TEXT_MAX];
    int  length = (int)strlen(digits), whole = below(length + 1);

    sprintf(text, "%.*s.%se%d", whole, digits, digits + whole, exponent + length - whole);
    check_read(text, strlen(text), expected);
    ck_assert_uint_eq(to_bits(strtod(text, NULL)), expected);
}

/* Append zeros and the digit `last`, then call check_digits(). */
static void check_longer(const char *digits, int exponent, int zeros, char last,
                         uint64_t expected)
{
    char   longer[TEXT_MAX];
    size_t length = strlen(digits);

    memcpy(longer, digits, length);
    memset(longer + length, '0', (size_t)zeros);
    longer[length + (size_t)zeros] = last;
    longer[length + (size_t)zeros + 1] = '\0';
    check_digits(longer, exponent - zeros - 1, expected);
}

static void check_around_midpoint(uint64_t bits)
{
    char     digits[TEXT_MAX];
    int      exponent = midpoint_digits(bits, digits);
    uint64_t even = bits + (bits & 1);

    check_digits(digits, exponent, even);
    check_longer(digits, exponent, below(400), '0', even);
    check_longer(digits, exponent, below(400), '1', bits + 1);
    add_to_last(digits, 1);
    check_digits(digits, exponent, bits + 1);
    add_to_last(digits, -2);
    check_digits(digits, exponent, bits);
}

START_TEST(reads_midpoints)
{
    static const uint64_t edges[] = {
        0, 1, 2, FRACTION_BITS - 1, FRACTION_BITS, FRACTION_BITS + 1, 2 * FRACTION_BITS + 1,
        INFINITY_BITS - 2, INFINITY_BITS - 1,
    };

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_around_midpoint(edges[i]);
    for (int i = 0; i < 300; i++) {
        check_around_midpoint(to_bits(fabs(random_finite())));
        check_around_midpoint(hsi_random_next(&source) >> (12 + below(40))); /* subnormal */
        check_around_midpoint(to_bits(ldexp(1, 1 - below(60))) - (uint64_t)below(2));
        check_around_midpoint(to_bits(hsi_random_unit(&source) * 1e18));
    }
}
END_TEST

START_TEST(reads_the_longest_number)
{
    static const char *const texts[] = {
        "-12345678.87654321e-123,", "+0.00012345678901234567890e+5x", "1234567890123456789012e17",
        "-INFINITYinf", "+inFinit", "infinity", "1.e5", "1..2", "1e5.5", "1e+-5", ".5.5", "5.",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];

        for (size_t n = strlen(texts[i]) + 1; n-- > 0;) {
            snprintf(text, sizeof text, "%.*s", (int)n, texts[i]);
            check_as_strtod(text);
        }
    }
    check_read("0x10", 1, 0);
    check_read("1_000", 1, to_bits(1));
    check_read("1,5", 1, to_bits(1));
    check_read("1 ", 1, to_bits(1));
}
END_TEST

START_TEST(refuses_text_that_is_not_a_number)
{
    static const char *const texts[] = {
        "", "+", "-", ".", "+.", "-.e1", "e5", ".e5", "E", "--1", "+-1", " 1", "\t1", "\n", ",1",
        "nan", "NaN", "-nan", "nan(1)", "i", "in", "-in", "jnf", "_1", "x", "/", ":",
        "\xef\xbc\x91", "\xb1",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_read(texts[i], 0, to_bits(-1));
}
END_TEST

/* Stop at any byte that cannot continue a number, at each place among the digits. */
START_TEST(stops_at_any_other_byte)
{
    for (int byte = 0; byte < 256; byte++) {
        if (strchr("0123456789.eE", byte) && byte != 0)
            continue;
        for (size_t at = 1; at < 20; at++) {
            char   text[] = "12345678.12345678123";
            double value, expected;

            text[at] = '\0';
            expected = strtod(text, NULL);
            text[at] = (char)byte;
            ck_assert_uint_eq(read_exactly(text, 20, &value), at);
            ck_assert_uint_eq(to_bits(value), to_bits(expected));
        }
    }
}
END_TEST

START_TEST(rounding_mode_does_not_matter)
{
    static const int         modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const texts[] = {"12.3", "0.7", "299.999999", "123.45678901234567", "1e23"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double usual = 0, value = 0;

        read_exactly(texts[i], strlen(texts[i]), &usual);
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            ck_assert_int_eq(fesetround(modes[m]), 0);
            read_exactly(texts[i], strlen(texts[i]), &value);
            fesetround(FE_TONEAREST);
            ck_assert_uint_eq(to_bits(value), to_bits(usual));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reading decimals");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, seed, NULL);
    tcase_add_test(tests, reads_what_printf_writes);
    tcase_add_test(tests, reads_random_decimals);
    tcase_add_test(tests, reads_powers_and_edges);
    tcase_add_test(tests, reads_many_zeros);
    tcase_add_test(tests, reads_midpoints);
    tcase_add_test(tests, reads_the_longest_number);
    tcase_add_test(tests, refuses_text_that_is_not_a_number);
    tcase_add_test(tests, stops_at_any_other_byte);
    tcase_add_test(tests, rounding_mode_does_not_matter);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
