/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture/gantt/svg.h"
#include "io/text/output.h"

#include "suite.h"

static FILE      *file;
static hsi_output out;
static char       text[1 << 20];

static void open_output(void)
{
    file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(hsi_output_open(&out, fileno(file)), HS_OK);
}

static size_t close_output(void)
{
    size_t length;

    ck_assert_int_eq(hsi_output_close(&out), HS_OK);
    rewind(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return length;
}

START_TEST(writes_what_was_put)
{
    open_output();
    hsi_output_text(&out, "a");
    hsi_output_char(&out, 'b');
    hsi_output_bytes(&out, "", 0);
    hsi_output_bytes(&out, "c\0d", 3);
    hsi_output_u64(&out, UINT64_MAX);
    hsi_output_i64(&out, INT64_MIN);
    hsi_output_double(&out, 0.1);
    ck_assert_uint_eq(close_output(), 3 + 3 - 1 + 20 + 20 + 3);
    ck_assert_mem_eq(text, "abc\0d18446744073709551615-92233720368547758080.1", 48);
}
END_TEST

START_TEST(keeps_the_order_past_the_buffer)
{
    static const size_t sizes[] = {1, 7, 65535, 65536, 65537, 200000, 3};
    static char         block[200000];
    size_t              total = 0, length;

    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (char)('a' + i % 23);
    open_output();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hsi_output_bytes(&out, block, sizes[i]);
        hsi_output_char(&out, '|');
        total += sizes[i] + 1;
    }
    length = close_output();
    ck_assert_uint_eq(length, total);
    for (size_t i = 0, at = 0; i < sizeof sizes / sizeof *sizes; at += sizes[i++] + 1) {
        ck_assert(memcmp(text + at, block, sizes[i]) == 0);
        ck_assert_int_eq(text[at + sizes[i]], '|');
    }
}
END_TEST

START_TEST(writes_numbers_across_the_border)
{
    char expected[64];

    for (size_t before = 65536 - 40; before <= 65536; before++) {
        open_output();
        for (size_t i = 0; i < before; i++)
            hsi_output_char(&out, '.');
        hsi_output_double(&out, 123456.789);
        hsi_output_u64(&out, before);
        snprintf(expected, sizeof expected, "123456.789%zu", before);
        close_output();
        ck_assert_str_eq(text + before, expected);
    }
}
END_TEST

START_TEST(rounds_coordinates)
{
    static const struct {
        double      value;
        const char *expected;
    } cases[] = {
        {0, "0"},        {-0.0, "0"},       {0.004, "0"},      {-0.004, "0"},
        {0.005, "0.01"}, {1.5, "1.5"},      {-2.25, "-2.25"},  {99.999, "100"},
        {12.05, "12.05"}, {1e12, "1000000000000"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_output();
        hsi_output_coordinate(&out, cases[i].value);
        close_output();
        ck_assert_str_eq(text, cases[i].expected);
    }
}
END_TEST

START_TEST(formats)
{
    open_output();
    hsi_output_format(&out, "%s|%c|%u|%zu|%d|%g|%f|100%%", "te%xt", 'c', 4294967295u, SIZE_MAX, -7,
                      0.1, 2.345);
    hsi_output_format(&out, "%s", "");
    hsi_output_format(&out, "plain");
    close_output();
    ck_assert_str_eq(text, "te%xt|c|4294967295|18446744073709551615|-7|0.1|2.35|100%plain");
}
END_TEST

#define BAD "\xef\xbf\xbd"

static const struct {
    const char *given, *xml, *json;
} escapes[] = {
    {"plain", "plain", "plain"},
    {"<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;'", "<a href=\\\"x\\\">&'"},
    {"back\\slash", "back\\slash", "back\\\\slash"},
    {"\t\n\r", "&#9;&#10;&#13;", "\\u0009\\u000a\\u000d"},
    {"\x01\x1f\x7f", BAD BAD BAD, "\\u0001\\u001f\x7f"},
    {"\xc2\xb5\xe2\x82\xac\xf0\x9f\x8e\x89", "\xc2\xb5\xe2\x82\xac\xf0\x9f\x8e\x89",
     "\xc2\xb5\xe2\x82\xac\xf0\x9f\x8e\x89"},
    {"\xc2\x85", BAD, "\xc2\x85"},                                     /* a control character */
    {"\xef\xbf\xbe", BAD, "\xef\xbf\xbe"},                             /* U+FFFE */
    {"\x80x", BAD "x", BAD "x"},                                       /* nothing is continued */
    {"\xc1\x81", BAD BAD, BAD BAD},                                    /* longer than need be */
    {"\xe0\x80\x80", BAD BAD BAD, BAD BAD BAD},                        /* the same */
    {"\xf0\x8f\xbf\xbf", BAD BAD BAD BAD, BAD BAD BAD BAD},            /* the same */
    {"\xed\xa0\x80", BAD BAD BAD, BAD BAD BAD},                        /* half a pair */
    {"\xf4\x90\x80\x80", BAD BAD BAD BAD, BAD BAD BAD BAD},            /* past U+10FFFF */
    {"\xff\xfe", BAD BAD, BAD BAD},
    {"cut \xe2\x82", "cut " BAD BAD, "cut " BAD BAD},
};

START_TEST(escapes_for_xml_and_json)
{
    open_output();
    hsi_output_xml(&out, escapes[_i].given, strlen(escapes[_i].given));
    close_output();
    ck_assert_str_eq(text, escapes[_i].xml);
    open_output();
    hsi_output_json(&out, escapes[_i].given, strlen(escapes[_i].given));
    close_output();
    ck_assert_str_eq(text, escapes[_i].json);
}
END_TEST

START_TEST(tells_why_writing_failed)
{
    int full = open("/dev/full", O_WRONLY);

    if (full < 0)
        return; /* not on this system */
    ck_assert_int_eq(hsi_output_open(&out, full), HS_OK);
    hsi_output_text(&out, "held, so nothing has failed yet");
    ck_assert(!hsi_output_failed(&out));
    errno = 0;
    ck_assert_int_eq(hsi_output_flush(&out), HS_EIO);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert(hsi_output_failed(&out));
    for (int i = 0; i < 200000; i++)
        hsi_output_text(&out, "dropped");
    errno = 0;
    ck_assert_int_eq(hsi_output_close(&out), HS_EIO);
    ck_assert_int_eq(errno, ENOSPC);
    close(full);
}
END_TEST

START_TEST(keeps_the_first_failure)
{
    ck_assert_int_eq(hsi_output_open(&out, -1), HS_OK);
    hsi_output_text(&out, "x");
    errno = 0;
    ck_assert_int_eq(hsi_output_close(&out), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    hsi_output_abandon(&out);
}
END_TEST

/* Reads slowly from a pipe that does not block its writer. */
static void *drain(void *descriptor)
{
    const int *fd = descriptor;
    static size_t sum;
    char   bytes[1000];
    ssize_t n;

    sum = 0;
    while ((n = read(*fd, bytes, sizeof bytes)) > 0)
        sum += (size_t)n;
    return &sum;
}

START_TEST(waits_for_a_full_pipe)
{
    int       ends[2];
    pthread_t reader;
    void     *sum;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ne(fcntl(ends[1], F_SETFL, O_NONBLOCK), -1);
    ck_assert_int_eq(pthread_create(&reader, NULL, drain, &ends[0]), 0);
    ck_assert_int_eq(hsi_output_open(&out, ends[1]), HS_OK);
    for (int i = 0; i < 500000; i++)
        hsi_output_bytes(&out, "0123456789", 10);
    ck_assert_int_eq(hsi_output_close(&out), HS_OK);
    close(ends[1]);
    ck_assert_int_eq(pthread_join(reader, &sum), 0);
    ck_assert_uint_eq(*(size_t *)sum, 5000000);
    close(ends[0]);
}
END_TEST

static const struct {
    double      value;
    int         digits;
    const char *expected;
} rounded[] = {
    {0, 3, "0"},
    {1, 6, "1"},
    {42.96312345, 6, "42.9631"},
    {0.29999999999999999, 6, "0.3"},
    {0.1 + 0.2, 6, "0.3"},
    {9.99996, 5, "10"},
    {9.99996, 6, "9.99996"},
    {999999.5, 6, "1000000"},
    {123456789, 3, "123000000"},
    {0.00123456, 3, "0.00123"},
    {0.000012345, 3, "1.23e-5"},
    {1e12, 3, "1e12"},
    {999999999999.0, 12, "999999999999"},
    {4.128845e301, 4, "4.129e301"},
    {5e-324, 4, "5e-324"},
    {1.7976931348623157e308, 17, "1.7976931348623157e308"},
};

START_TEST(rounds_to_digits)
{
    char buffer[HSI_ROUND_TEXT];

    ck_assert_uint_eq(hsi_round_text(rounded[_i].value, rounded[_i].digits, buffer),
                      strlen(rounded[_i].expected));
    ck_assert_str_eq(buffer, rounded[_i].expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("output");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, writes_what_was_put);
    tcase_add_test(tests, keeps_the_order_past_the_buffer);
    tcase_add_test(tests, writes_numbers_across_the_border);
    tcase_add_test(tests, rounds_coordinates);
    tcase_add_test(tests, formats);
    tcase_add_loop_test(tests, escapes_for_xml_and_json, 0, sizeof escapes / sizeof *escapes);
    tcase_add_test(tests, tells_why_writing_failed);
    tcase_add_test(tests, keeps_the_first_failure);
    tcase_add_test(tests, waits_for_a_full_pipe);
    tcase_add_loop_test(tests, rounds_to_digits, 0, sizeof rounded / sizeof *rounded);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
