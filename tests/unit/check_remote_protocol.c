/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages between the coordinator and its nodes: whole, in pieces, cut off and damaged. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exec/backend/remote/options.h"
#include "rounds.h"
#include "suite.h"
#include "support/random.h"

static const char stream[] =
    "hello 1 0.9 host\n\nalive\nended 3 17 1 2 0.25 1 0 nan 1e-05 +7\nit fell"
    "line 3 17 1 0 +6\n\ndead\nready\nrefuse -3 +0\nbye\n";

/* Write the messages of a parser as text, a message a line, and the result at the end. */
static void describe(hsi_parser *parser, char *text, size_t size)
{
    hsi_message m;
    hsi_parse   parsed;
    size_t      used = strlen(text);

    while ((parsed = hsi_parser_next(parser, &m)) == HSI_PARSE_MESSAGE) {
        for (unsigned i = 0; i < m.words; i++)
            used += (size_t)snprintf(text + used, size - used, "%s,", m.word[i]);
        if (m.bytes)
            used += (size_t)snprintf(text + used, size - used, "[%.*s]", (int)m.length, m.bytes);
        used += (size_t)snprintf(text + used, size - used, ";");
        ck_assert_uint_lt(used, size);
    }
    if (parsed == HSI_PARSE_DEFECT)
        snprintf(text + used, size - used, "defect %s", m.word[0]);
}

static const char expected[] =
    "hello,1,0.9,host,;alive,;ended,3,17,1,2,0.25,1,0,nan,1e-05,[it fell];"
    "line,3,17,1,0,[\ndead\n];ready,;refuse,-3,[];bye,;";

/* The pieces in which the stream arrives do not matter. */
START_TEST(in_pieces)
{
    for (size_t piece = 1; piece < sizeof stream; piece++) {
        hsi_parser parser = {.most = 100};
        char       text[1000] = "";

        for (size_t at = 0; at < sizeof stream - 1; at += piece) {
            size_t left = sizeof stream - 1 - at;

            ck_assert(hsi_parser_add(&parser, stream + at, left < piece ? left : piece));
            describe(&parser, text, sizeof text);
        }
        ck_assert_str_eq(text, expected);
        hsi_parser_free(&parser);
    }
}
END_TEST

/* A stream that is cut off has the first of the messages, and no other. */
START_TEST(cut_off)
{
    for (size_t length = 0; length < sizeof stream - 1; length++) {
        hsi_parser parser = {.most = 100};
        char       text[1000] = "";

        ck_assert(hsi_parser_add(&parser, stream, length));
        describe(&parser, text, sizeof text);
        ck_assert_uint_lt(strlen(text), strlen(expected));
        ck_assert_int_eq(strncmp(text, expected, strlen(text)), 0);
        hsi_parser_free(&parser);
    }
}
END_TEST

START_TEST(damaged)
{
    static const struct {
        const char *text;
        size_t      length;
    } wrong[] = {
#define TEXT(text) {text, sizeof text - 1}
        TEXT("run  1\n"),
        TEXT(" run\n"),
        TEXT("run \n"),
        TEXT("run\0 1\n"),
        TEXT("ended +101\n"),
        TEXT("ended +-1\n"),
        TEXT("ended +\n"),
        TEXT("ended +1x\n"),
        TEXT("ended +99999999999999999999\n"),
        TEXT("1 2 3 4 5 6 7 8 9 10 11 12 13\n"),
#undef TEXT
    };
    char long_line[HSI_MESSAGE_LINE + 1];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsi_parser  parser = {.most = 100};
        hsi_message m;

        ck_assert(hsi_parser_add(&parser, "alive\n", 6));
        ck_assert(hsi_parser_add(&parser, wrong[i].text, wrong[i].length));
        ck_assert_int_eq(hsi_parser_next(&parser, &m), HSI_PARSE_MESSAGE);
        ck_assert_int_eq(hsi_parser_next(&parser, &m), HSI_PARSE_DEFECT);
        ck_assert_uint_eq(m.words, 1);
        ck_assert_int_eq(strncmp(m.word[0], wrong[i].text, strlen(m.word[0])), 0);
        hsi_parser_free(&parser);
    }
    memset(long_line, 'x', sizeof long_line);
    for (size_t length = HSI_MESSAGE_LINE - 1; length <= HSI_MESSAGE_LINE; length++) {
        hsi_parser  parser = {.most = 100};
        hsi_message m;

        ck_assert(hsi_parser_add(&parser, long_line, length));
        ck_assert_int_eq(hsi_parser_next(&parser, &m),
                         length < HSI_MESSAGE_LINE ? HSI_PARSE_MORE : HSI_PARSE_DEFECT);
        hsi_parser_free(&parser);
    }
}
END_TEST

/* The guard's last word is found behind a message that was cut off, and after skipped bytes. */
START_TEST(dead_within_message)
{
    hsi_parser  parser = {.most = 100};
    hsi_message m;

    ck_assert(hsi_parser_add(&parser, "line 3 17 1 0 +90\nhalf", 22));
    ck_assert_int_eq(hsi_parser_next(&parser, &m), HSI_PARSE_MORE);
    ck_assert(!hsi_parser_ends_dead(&parser));
    hsi_parser_skip(&parser);
    ck_assert(hsi_parser_add(&parser, "\nde", 3));
    hsi_parser_skip(&parser);
    ck_assert(!hsi_parser_ends_dead(&parser));
    ck_assert(hsi_parser_add(&parser, "ad\n", 3));
    ck_assert(hsi_parser_ends_dead(&parser));
    hsi_parser_skip(&parser);
    ck_assert(hsi_parser_add(&parser, "x", 1));
    ck_assert(!hsi_parser_ends_dead(&parser));
    hsi_parser_free(&parser);
}
END_TEST

START_TEST(numbers)
{
    static const char *const wrong[] = {
        "", "-1", "+1", "x", "1x", "0x1", "11", "99999999999999999999", "1.0"};
    static const char *const unreal[] = {"", "x", "1x", "inf", "NAN", "1e999", "--1"};
    hsi_message              m = {.words = 1, .word = {"10"}};
    uint64_t                 number = 0;
    double                   real = 0;

    ck_assert(hsi_message_number(&m, 0, 10, &number) && number == 10);
    ck_assert(!hsi_message_number(&m, 0, 9, &number));
    m.word[0] = "18446744073709551615";
    ck_assert(hsi_message_number(&m, 0, UINT64_MAX, &number) && number == UINT64_MAX);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        m.word[0] = wrong[i];
        ck_assert_msg(!hsi_message_number(&m, 0, 10, &number), "%s", wrong[i]);
    }
    for (size_t i = 0; i < sizeof unreal / sizeof *unreal; i++) {
        m.word[0] = unreal[i];
        ck_assert_msg(!hsi_message_real(&m, 0, &real), "%s", unreal[i]);
    }
    m.word[0] = "-1.5e-3";
    ck_assert(hsi_message_real(&m, 0, &real) && real == -1.5e-3);
    m.word[0] = "nan";
    ck_assert(hsi_message_real(&m, 0, &real) && isnan(real));
}
END_TEST

/* Read the options of a stream. Return false if one is refused. */
static bool read_options(hsi_parser *parser, hsi_node_options *options)
{
    hsi_message m;

    while (hsi_parser_next(parser, &m) == HSI_PARSE_MESSAGE)
        if (!hsi_message_is(&m, "option", 2, true) || !hsi_node_options_read(options, &m))
            return false;
    return true;
}

START_TEST(options_are_kept)
{
    char             name[] = "n 1", folder[] = "/tmp/a\nb";
    hsi_node_options given = {.name = name,
                              .folder = folder,
                              .first = {3, 1},
                              .count = {2, 1},
                              .total = {9, 4},
                              .timeout = 0.1,
                              .output = true};
    hsi_node_options got = {.timeout = 0};
    hsi_vector       text = {.data = NULL};
    hsi_parser       parser = {.most = 100};

    given.settings.run.allow_commands = true;
    given.settings.run.emulate[HS_GPU] = 1;
    given.settings.run.time_scale = 1.0 / 3;
    given.settings.place.cores[HS_CPU] = 7;
    given.settings.place.process_memory = 1e12;
    given.settings.fail.grace = 1e-3;
    ck_assert(hsi_node_options_write(&given, &text));
    ck_assert(hsi_parser_add(&parser, text.data, text.size));
    ck_assert(read_options(&parser, &got));
    ck_assert_str_eq(got.name, name);
    ck_assert_str_eq(got.folder, folder);
    ck_assert_ptr_null(got.module);
    ck_assert_mem_eq(got.first, given.first, sizeof got.first);
    ck_assert_mem_eq(got.count, given.count, sizeof got.count);
    ck_assert_mem_eq(got.total, given.total, sizeof got.total);
    ck_assert(got.timeout == given.timeout && got.output);
    ck_assert(got.settings.run.allow_commands && got.settings.run.emulate[HS_GPU] == 1 &&
              got.settings.run.emulate[HS_CPU] == 0);
    ck_assert(got.settings.run.time_scale == 1.0 / 3 && got.settings.place.cores[HS_CPU] == 7);
    ck_assert(got.settings.place.process_memory == 1e12 && got.settings.fail.grace == 1e-3);
    hsi_node_options_free(&got);
    hsi_vector_free(&text);
    hsi_parser_free(&parser);
}
END_TEST

START_TEST(options_are_refused)
{
    static const char *const wrong[] = {"option colour +1\n1",  "option cpus +2\n-1",
                                        "option cpus +1\nx",    "option cpus +7\n1000001",
                                        "option cpus +3\n1.5",  "option cpus +0\n",
                                        "option grace +3\nnan", "option grace +2\n-1"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsi_node_options got = {.timeout = 0};
        hsi_parser       parser = {.most = 100};

        ck_assert(hsi_parser_add(&parser, wrong[i], strlen(wrong[i])));
        ck_assert_msg(!read_options(&parser, &got), "%s", wrong[i]);
        hsi_node_options_free(&got);
        hsi_parser_free(&parser);
    }
}
END_TEST

/* Damage some bytes of the stream. Each message stays within the stream, and the parser comes to an
 * end. */
START_TEST(fuzzed)
{
    hsi_random random;

    hsi_random_seed(&random, 29, 0);
    for (int round = 0; round < rounds(1000); round++) {
        hsi_parser parser = {.most = 100};
        char       text[2000] = "", bytes[sizeof stream];
        unsigned   count = 1 + (unsigned)hsi_random_below(&random, 8);

        memcpy(bytes, stream, sizeof stream);
        while (count--)
            bytes[hsi_random_below(&random, sizeof stream - 1)] =
                "\n +0123456789x\0\xff"[hsi_random_below(&random, 16)];
        ck_assert(hsi_parser_add(&parser, bytes, sizeof stream - 1));
        describe(&parser, text, sizeof text);
        hsi_parser_free(&parser);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("remote_protocol");
    TCase *tcase = tcase_create("remote_protocol");

    tcase_add_test(tcase, in_pieces);
    tcase_add_test(tcase, cut_off);
    tcase_add_test(tcase, damaged);
    tcase_add_test(tcase, dead_within_message);
    tcase_add_test(tcase, numbers);
    tcase_add_test(tcase, options_are_kept);
    tcase_add_test(tcase, options_are_refused);
    tcase_add_test(tcase, fuzzed);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
