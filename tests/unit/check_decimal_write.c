/* SPDX-License-Identifier: BSD-3-Clause */

/* Conversion of numbers to decimals, compared with strtod() and printf() in the "C" locale. */

#include <check.h>
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>

#include <hybridsched/io.h>

#include "decimal_fixture.h"
#include "suite.h"

/* Write a number to heap memory of exactly HSI_DECIMAL_MAX bytes, where sanitizers detect an
 * overrun. Return the length. */
static size_t write_exactly(double value, char *text)
{
    char  *room = malloc(HSI_DECIMAL_MAX);
    size_t length;

    if (!room)
        abort();
    length = hsi_decimal_write(value, room);
    memcpy(text, room, length + 1);
    free(room);
    return length;
}

/* Return the significant digits of a decimal as an integer, and set *count to their number. */
static uint64_t significant_digits(const char *text, int *count)
{
    uint64_t digits = 0;
    int      zeros = 0;

    *count = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9')
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits = digits * 10 + (uint64_t)(*text - '0');
        *count += digits > 0;
    }
    for (*count -= zeros; zeros > 0; zeros--)
        digits /= 10;
    return digits;
}

/* Return true if `digits`, scaled to the decimal exponent of `value`, reads back as `value`. */
static bool reads_back(uint64_t digits, int count, double value)
{
    char  text[64];
    char *exponent;

    snprintf(text, sizeof text, "%.16e", value);
    exponent = strchr(text, 'e') + 1;
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, atoi(exponent) - count + 1);
    return strtod(text, NULL) == value;
}

/*
 * Check that the text is the nearest decimal with `count` digits, as written by printf(). At a
 * power of two, where doubles below are closer, the nearest decimal may fail to read back; then the
 * writer may choose another.
 */
static void check_nearest(const char *text, uint64_t digits, int count, double value)
{
    char nearest[64];
    int  unused;

    snprintf(nearest, sizeof nearest, "%.*e", count - 1, value);
    if (significant_digits(nearest, &unused) == digits)
        return;
    if ((to_bits(value) & FRACTION_BITS) != 0 || strtod(nearest, NULL) == value)
        ck_abort_msg("%s is nearer to %a than %s", nearest, value, text);
}

/* Check that the text of `value` reads back exactly, unlike the decimals with one digit less. */
static void check_shortest(double value)
{
    char     text[HSI_DECIMAL_MAX];
    double   again = -1, size = fabs(value);
    int      count;
    uint64_t digits;

    if (write_exactly(value, text) != strlen(text) ||
        read_exactly(text, strlen(text), &again) != strlen(text) ||
        to_bits(again) != to_bits(value) || to_bits(strtod(text, NULL)) != to_bits(value))
        ck_abort_msg("%a is written as \"%s\"", value, text);
    if (value == 0)
        return;
    digits = significant_digits(text, &count);
    check_nearest(text, digits, count, size);
    if (count > 1 && (reads_back(digits / 10, count - 1, size) ||
                      reads_back(digits / 10 + 1, count - 1, size)))
        ck_abort_msg("%s is not the shortest for %a", text, value);
}

START_TEST(writes_the_shortest_decimal)
{
    for (int i = 0; i < 40000; i++) {
        check_shortest(random_finite());
        check_shortest(random_round());
        check_shortest(hsi_random_unit(&source) * pow(10, below(19)));
    }
}
END_TEST

START_TEST(writes_the_shortest_decimal_at_every_exponent)
{
    for (uint64_t exponent = 0; exponent < 0x7ff; exponent++) {
        check_shortest(from_bits(exponent << 52));
        check_shortest(from_bits(exponent << 52 | 1));
        check_shortest(from_bits(exponent << 52 | FRACTION_BITS));
        check_shortest(-from_bits(exponent << 52 | (hsi_random_next(&source) & FRACTION_BITS)));
    }
    for (int e = -1074; e < -1022; e++)
        check_shortest(ldexp(1, e));
    for (uint64_t bits = 0; bits < 2000; bits++) /* smallest subnormals */
        check_shortest(from_bits(bits));
    check_shortest(ldexp(8887055249355788, 664)); /* number that lies 1.99e-20 above an integer
                                                     times 10^199 / 4 */
    for (int q = -323; q <= 308; q++) {
        char text[16];

        snprintf(text, sizeof text, "1e%d", q);
        check_shortest(strtod(text, NULL));
        check_shortest(nextafter(strtod(text, NULL), 0));
    }
}
END_TEST

START_TEST(writes_the_documented_form)
{
    static const struct {
        double      value;
        const char *text;
    } cases[] = {
        {0, "0"}, {-0.0, "-0"}, {1, "1"}, {-1, "-1"}, {17711, "17711"}, {123.25, "123.25"},
        {0.1, "0.1"}, {-0.5, "-0.5"}, {1e-5, "0.00001"}, {9.9e-6, "9.9e-6"}, {1e-6, "1e-6"},
        {1.2345678901234567e-5, "0.000012345678901234568"}, {1.5e-300, "1.5e-300"},
        {5e-324, "5e-324"}, {1e-323, "1e-323"},
        {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
        {1e16, "10000000000000000"}, {9007199254740993e1, "90071992547409940"},
        {1e17, "1e17"}, {9.999999999999998e16, "99999999999999980"}, {1.5e17, "1.5e17"},
        {1.7976931348623157e308, "1.7976931348623157e308"}, {1e22, "1e22"}, {1e100, "1e100"},
        {1234567.125, "1234567.125"}, {123456789.125, "123456789.125"}, {1e8, "100000000"},
        {1234567890123456.5, "1234567890123456.5"}, {-1234567890.0123456, "-1234567890.0123456"},
        {9007199254740991, "9007199254740991"}, {12.345678901234567, "12.345678901234567"},
        {INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}, {-NAN, "nan"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HSI_DECIMAL_MAX];

        ck_assert_uint_eq(write_exactly(cases[i].value, text), strlen(cases[i].text));
        ck_assert_str_eq(text, cases[i].text);
        ck_assert_uint_eq(hs_format_double(cases[i].value, text), strlen(cases[i].text));
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

static void check_integer(uint64_t value)
{
    char text[HSI_DECIMAL_MAX], expected[32];

    snprintf(expected, sizeof expected, "%" PRIu64, value);
    if (hsi_decimal_write_u64(value, text) != strlen(expected) || strcmp(text, expected) != 0)
        ck_abort_msg("%s is written as %s", expected, text);
    snprintf(expected, sizeof expected, "%" PRId64, (int64_t)value);
    if (hsi_decimal_write_i64((int64_t)value, text) != strlen(expected) ||
        strcmp(text, expected) != 0)
        ck_abort_msg("%s is written as %s", expected, text);
}

START_TEST(writes_integers)
{
    uint64_t power = 1;

    for (int i = 0; i < 20; i++, power *= 10) {
        check_integer(power - 1);
        check_integer(power);
        check_integer(0 - power);
    }
    check_integer(UINT64_MAX);
    check_integer((uint64_t)1 << 63);
    for (int i = 0; i < 50000; i++)
        check_integer(hsi_random_next(&source) >> below(64));
}
END_TEST

START_TEST(does_not_depend_on_the_rounding_mode)
{
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

    for (int i = 0; i < 3000; i++) {
        char   text[HSI_DECIMAL_MAX], other[HSI_DECIMAL_MAX];
        double value = i % 2 ? random_finite() : random_round(), again = -1;

        hsi_decimal_write(value, text);
        fesetround(modes[i % 3]);
        hsi_decimal_write(value, other);
        hsi_decimal_read(text, text + strlen(text), &again);
        fesetround(FE_TONEAREST);
        ck_assert_str_eq(text, other);
        ck_assert_uint_eq(to_bits(value), to_bits(again));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("writing decimals");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, seed, NULL);
    tcase_add_test(tests, writes_the_shortest_decimal);
    tcase_add_test(tests, writes_the_shortest_decimal_at_every_exponent);
    tcase_add_test(tests, writes_the_documented_form);
    tcase_add_test(tests, writes_integers);
    tcase_add_test(tests, does_not_depend_on_the_rounding_mode);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
