/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "picture/svg.h"
#include "io/text/output.h"

#include "suite.h"
#include "unit/well_formed.h"

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

START_TEST(output_is_complete)
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
        {0, "0"},     {-0.0, "0"},      {0.004, "0"},    {-0.004, "0"},    {0.005, "0.01"},
        {1.5, "1.5"}, {-2.25, "-2.25"}, {99.999, "100"}, {12.05, "12.05"}, {1e12, "1000000000000"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_output();
        hsi_output_coordinate(&out, cases[i].value);
        close_output();
        ck_assert_str_eq(text, cases[i].expected);
    }
}
END_TEST

START_TEST(printf_formats_are_written)
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
    {"\xc2\x85", BAD, "\xc2\x85"},                          /* a control character */
    {"\xef\xbf\xbe", BAD, "\xef\xbf\xbe"},                  /* U+FFFE */
    {"\x80x", BAD "x", BAD "x"},                            /* continuation byte alone */
    {"\xc1\x81", BAD BAD, BAD BAD},                         /* overlong encoding */
    {"\xe0\x80\x80", BAD BAD BAD, BAD BAD BAD},             /* overlong, 3 bytes */
    {"\xf0\x8f\xbf\xbf", BAD BAD BAD BAD, BAD BAD BAD BAD}, /* overlong, 4 bytes */
    {"\xed\xa0\x80", BAD BAD BAD, BAD BAD BAD},             /* surrogate */
    {"\xf4\x90\x80\x80", BAD BAD BAD BAD, BAD BAD BAD BAD}, /* past U+10FFFF */
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

START_TEST(write_error_is_reported)
{
    int full = open("/dev/full", O_WRONLY);

    if (full < 0)
        return; /* the system has no /dev/full */
    ck_assert_int_eq(hsi_output_open(&out, full), HS_OK);
    hsi_output_text(&out, "held, so nothing has failed yet");
    ck_assert(!hsi_output_failed(&out));
    for (int i = 0; i < 2; i++) {
        errno = 0;
        ck_assert_int_eq(hsi_output_flush(&out), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
    }
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
    hsi_output_free_buffer(&out);
}
END_TEST

/* Read a pipe to its end, in small portions; return the number of bytes with expected values. */
static void *read_to_end(void *descriptor)
{
    const int    *fd = descriptor;
    static size_t sum; /* number of bytes with expected values */
    char          bytes[1000];
    ssize_t       n, i;

    sum = 0;
    while ((n = read(*fd, bytes, sizeof bytes)) > 0)
        for (i = 0; i < n && bytes[i] == (char)('0' + sum % 10); i++)
            sum++;
    return &sum;
}

START_TEST(write_waits_for_a_full_pipe)
{
    int       ends[2];
    pthread_t reader;
    void     *sum;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ne(fcntl(ends[1], F_SETFL, O_NONBLOCK), -1);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_to_end, &ends[0]), 0);
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

static int told[2];

static void handle_signal(int number)
{
    (void)number;
    if (write(told[1], "s", 1) != 1)
        _exit(1);
}

/* Write to a full pipe, interrupted by signals whose handler is set without SA_RESTART, and exit
 * with status 0 on success. */
static void write_disturbed(int fd)
{
    struct sigaction action = {.sa_handler = handle_signal};
    struct itimerval often = {{0, 500}, {0, 500}};

    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL) ||
        hsi_output_open(&out, fd) != HS_OK)
        _exit(1);
    hsi_output_text(&out, "at last");
    _exit(hsi_output_close(&out) == HS_OK ? 0 : 1);
}

START_TEST(write_continues_after_a_signal)
{
    int    ends[2], status;
    char   bytes[4096];
    size_t held = 0, got = 0;
    pid_t  child;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(pipe(told), 0);
    ck_assert_int_ne(fcntl(ends[1], F_SETFL, O_NONBLOCK), -1);
    memset(bytes, '.', sizeof bytes);
    for (ssize_t n; (n = write(ends[1], bytes, sizeof bytes)) > 0;)
        held += (size_t)n;
    ck_assert_int_eq(fcntl(ends[1], F_SETFL, 0), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        write_disturbed(ends[1]);
    close(ends[1]);
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(read(told[0], bytes, 1), 1);
    for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
        got += (size_t)n;
    ck_assert_uint_eq(got, held + strlen("at last"));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    close(ends[0]);
    close(told[0]);
    close(told[1]);
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
    {123456789, 3, "123456789"},
    {430174272.25, 6, "430174272"},
    {430174.25, 6, "430174"},
    {0.5, 1, "0.5"},
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
    char buffer[32];

    ck_assert_uint_eq(hs_format_rounded(rounded[_i].value, rounded[_i].digits, buffer),
                      strlen(rounded[_i].expected));
    ck_assert_str_eq(buffer, rounded[_i].expected);
}
END_TEST

static const struct {
    double      seconds;
    const char *expected;
} durations[] = {
    {0, ""},
    {119.999, ""},
    {-1, ""},
    {NAN, ""},
    {INFINITY, ""},
    {120, "2 min"},
    {125.4, "2 min 5 s"},
    {3599.4, "59 min 59 s"},
    {3599.6, "1 h"},
    {31067, "8 h 38 min"},
    {86369, "23 h 59 min"},
    {86371, "1 d"},
    {430174272, "4978 d 21 h"},
    {1e15, "11574074074 d 2 h"},
};

START_TEST(writes_long_times)
{
    char buffer[32];

    ck_assert_uint_eq(hs_format_long_duration(durations[_i].seconds, buffer),
                      strlen(durations[_i].expected));
    ck_assert_str_eq(buffer, durations[_i].expected);
}
END_TEST

/* Encode a number below 2^21 as UTF-8, even if the number is no valid character. */
static void encode_utf8(uint32_t c, char to[5])
{
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

    memset(to, 0, 5);
    for (int i = more; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = more ? (char)((0xff00 >> (more + 1) & 0xff) | c) : (char)c;
}

START_TEST(control_characters_are_replaced)
{
    unsigned hidden = 0;

    for (uint32_t c = 1; c <= 0x110000; c++) {
        char   character[5], shown[32], again[32];
        size_t length;

        encode_utf8(c, character);
        length = hs_printable(character, shown, sizeof shown);
        ck_assert_uint_eq(length, strlen(shown));
        ck_assert_msg(is_harmless(shown, length), "U+%04X", c);
        hs_printable(shown, again, sizeof again);
        ck_assert_str_eq(again, shown);
        if (is_harmless(character, strlen(character)) && c != '\n' && (c < 0xfff9 || c > 0xfffb))
            ck_assert_str_eq(shown, character);
        hidden += strcmp(shown, character) != 0;
    }
    /* C0 controls, DEL and C1 controls, 20 characters that end lines or set the direction of text
     * (some deprecated), 3 for annotations, surrogates, and U+110000 past the last plane. */
    ck_assert_uint_eq(hidden, 31 + 33 + 20 + 3 + 2048 + 1);
}
END_TEST

static const struct {
    const char *text, *shown;
    size_t      size;
} foreign[] = {
    {"", "", 1},
    {"a\tb", "a\\x09b", 32},
    {"\xe2\x80\xaez", "\\xE2\\x80\\xAEz", 32},
    {"\xc3\xa9\xff\xc3", "\xc3\xa9\\xFF\\xC3", 32},
    {"ab\nc", "ab", 6}, /* a text without room for the escape ends before the escape */
    {"ab\nc", "ab\\x0A", 7},
    {"a\xc3\xa9", "a", 3},
    {"abc", "", 1},
};

START_TEST(printable_text_is_truncated_at_a_character)
{
    char whole[64], shown[64];

    memset(shown, 'z', sizeof shown);
    ck_assert_uint_eq(hs_printable(foreign[_i].text, shown, foreign[_i].size),
                      hs_printable(foreign[_i].text, whole, sizeof whole));
    ck_assert_str_eq(shown, foreign[_i].shown);
    ck_assert_uint_eq(hs_printable(foreign[_i].text, NULL, 0), strlen(whole));
}
END_TEST

static const struct {
    const char *text;
    size_t      limit;
    const char *shown;
} names[] = {
    {"name", 4, "name"},
    {"a<b", 3, "a&lt;b"},
    {"names", 4, "name\xe2\x80\xa6"},
    {"a\xc3\xa9z", 3, "a\xc3\xa9\xe2\x80\xa6"},
    {"a\xc3\xa9z", 2, "a\xe2\x80\xa6"},
    {"a\xf0\x9f\x98\x80z", 4, "a\xe2\x80\xa6"},
    {"\xc3\xa9z", 1, "\xe2\x80\xa6"},
};

START_TEST(names_are_cut_at_a_character)
{
    open_output();
    hsi_put_name(&out, names[_i].text, names[_i].limit);
    close_output();
    ck_assert_str_eq(text, names[_i].shown);
}
END_TEST

#define THIN "\xe2\x80\xaf"

/* A share below 1 is never printed as 100%. */
static const struct {
    double      share;
    const char *shown;
} shares[] = {
    {0, "0" THIN "%"},        {0.0004, "0" THIN "%"},    {0.0006, "0.1" THIN "%"},
    {0.5, "50.0" THIN "%"},   {0.9996, "99.9" THIN "%"}, {0x1.fffffffffffffp-1, "99.9" THIN "%"},
    {1, "100" THIN "%"},      {7, "100" THIN "%"},
};

START_TEST(shares_are_rounded_but_not_to_all)
{
    open_output();
    hsi_put_percent(&out, shares[_i].share);
    close_output();
    ck_assert_str_eq(text, shares[_i].shown);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("output");
    TCase *tests = tcase_create("all");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, output_is_complete);
    tcase_add_test(tests, keeps_the_order_past_the_buffer);
    tcase_add_test(tests, writes_numbers_across_the_border);
    tcase_add_test(tests, rounds_coordinates);
    tcase_add_test(tests, printf_formats_are_written);
    tcase_add_loop_test(tests, escapes_for_xml_and_json, 0, sizeof escapes / sizeof *escapes);
    tcase_add_test(tests, write_error_is_reported);
    tcase_add_test(tests, keeps_the_first_failure);
    tcase_add_test(tests, write_waits_for_a_full_pipe);
    tcase_add_test(tests, write_continues_after_a_signal);
    tcase_add_loop_test(tests, rounds_to_digits, 0, sizeof rounded / sizeof *rounded);
    tcase_add_loop_test(tests, writes_long_times, 0, sizeof durations / sizeof *durations);
    tcase_add_test(tests, control_characters_are_replaced);
    tcase_add_loop_test(tests, printable_text_is_truncated_at_a_character, 0,
                        sizeof foreign / sizeof *foreign);
    tcase_add_loop_test(tests, names_are_cut_at_a_character, 0, sizeof names / sizeof *names);
    tcase_add_loop_test(tests, shares_are_rounded_but_not_to_all, 0,
                        sizeof shares / sizeof *shares);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
