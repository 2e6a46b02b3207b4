/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test the tools' JSON reader: it returns the values of valid text, and reads or refuses damaged
 * text.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "suite.h"
#include "unit/well_formed.h"

static json_tree *parse_copy(const char *text, size_t length, hs_error *error)
{
    char *copy = malloc(length + 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return json_parse(copy, length, error);
}

static const char sample[] =
    "{\n  \"name\": \"a \\\"b\\\" \\u00e9\\ud83d\\ude00\\n/\\/\",\n"
    "  \"empty\": {}, \"none\": [ ], \"null\": null, \"true\": true, \"false\": false,\n"
    "  \"numbers\": [0, -0.5, 1e3, 1.25E-2, 9007199254740993, 4.9e-324],\n"
    "  \"deep\": [[[{\"x\": [1]}]]],\n  \"name\": 7\n}\n";

START_TEST(values_are_read)
{
    static const double expected[] = {0, -0.5, 1000, 0.0125, 9007199254740992, 4.9e-324};
    hs_error            error = {0};
    json_tree          *tree = parse_copy(sample, sizeof sample - 1, &error);
    const json_value   *root, *v;
    size_t              i = 0;

    ck_assert(is_json(sample, sizeof sample - 1));
    ck_assert_ptr_nonnull(tree);
    root = json_root(tree);
    ck_assert_int_eq(root->kind, JSON_OBJECT);
    ck_assert_str_eq(json_text_of(root, "name"), "a \"b\" \xc3\xa9\xf0\x9f\x98\x80\n//");
    ck_assert_int_eq(json_member(root, "null")->kind, JSON_NULL);
    ck_assert_int_eq(json_member(root, "true")->kind, JSON_TRUE);
    ck_assert_int_eq(json_member(root, "false")->kind, JSON_FALSE);
    ck_assert_ptr_null(json_first_of(root, "none"));
    ck_assert_ptr_null(json_first_of(root, "empty"));
    ck_assert_ptr_null(json_first_of(root, "name"));
    ck_assert_ptr_null(json_member(root, "missing"));
    ck_assert_ptr_null(json_member(NULL, "name"));
    ck_assert(isnan(json_number_of(root, "name")));
    ck_assert(isnan(json_number_of(root, "missing")));
    for (v = json_first_of(root, "numbers"); v; v = v->next, i++)
        ck_assert_double_eq(v->number, expected[i]);
    ck_assert_uint_eq(i, 6);
    v = json_first_of(root, "deep")->first->first;
    ck_assert_double_eq(json_first_of(v, "x")->number, 1);
    json_free(tree);
    json_free(NULL);
}
END_TEST

/* Report position and reason of the fault in each text. */
START_TEST(faults_are_located)
{
    static const struct {
        const char *text, *said;
        uint64_t    line, column;
    } faults[] = {
        {"", "the file ends here; expected a value", 1, 1},
        {"{", "the file ends here; expected a string", 1, 2},
        {"{\"a\\n\": 1,\n \"b\" 2}", "'2' is not expected here, but ':'", 2, 6},
        {"[1,\n2,\n]", "']' is not expected here, but a value", 3, 1},
        {"[1 2]", "'2' is not expected here, but ',' or ']'", 1, 4},
        {"{\"a\": 1 \"b\"}", "'\"' is not expected here, but ',' or '}'", 1, 9},
        {"{} x", "'x' is not expected here, but the end of the file", 1, 4},
        {"<html>", "'<' is not expected here, but a value", 1, 1},
        {"[01]", "'0' is not expected here, but a number", 1, 2},
        {"[1.]", "'1' is not expected here, but a number", 1, 2},
        {"[-]", "'-' is not expected here, but a number", 1, 2},
        {"[1e]", "'1' is not expected here, but a number", 1, 2},
        {"[1e999]", "this number is too large", 1, 2},
        {"[\"\t\"]", "a string contains a control character", 1, 3},
        {"[\"abc", "this string does not end", 1, 2},
        {"[\"\\x\"]", "this escape is not a character", 1, 3},
        {"[\"\\u0000\"]", "this escape is not a character", 1, 3},
        {"[\"\\ud800\"]", "this escape is not a character", 1, 3},
        {"[\"\\ud800\\u0041\"]", "this escape is not a character", 1, 3},
        {"[\"\\u00g0\"]", "this escape is not a character", 1, 3},
        {"[nul]", "'n' is not expected here, but a value", 1, 2},
    };

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        hs_error   error = {0};
        json_tree *tree = parse_copy(faults[i].text, strlen(faults[i].text), &error);

        ck_assert_msg(!tree, "read: %s", faults[i].text);
        ck_assert_str_eq(error.why, faults[i].said);
        ck_assert_uint_eq(error.line, faults[i].line);
        ck_assert_uint_eq(error.column, faults[i].column);
    }
}
END_TEST

/* Read 64 nested arrays; refuse 65, and a million, without overflow of the stack. */
START_TEST(depth_is_limited)
{
    enum { MANY = 1000000 };
    char         *text = malloc(MANY);
    hs_error      error = {0};
    json_tree    *tree;

    for (size_t depth = 64; depth <= 65; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        tree = parse_copy(text, 2 * depth, &error);
        ck_assert_int_eq(tree != NULL, depth == 64);
        json_free(tree);
    }
    ck_assert_str_eq(error.why, "values are nested more than 64 deep");
    memset(text, '[', MANY);
    ck_assert_ptr_null(parse_copy(text, MANY, &error));
    free(text);
}
END_TEST

/*
 * Compare the reader with an independent reader. Half of a pair of escapes, and a number too large
 * for a double, are valid JSON but refused by the tools' reader.
 */
static void check_agreement(const char *text, size_t length)
{
    hs_error   error = {0};
    json_tree *tree = parse_copy(text, length, &error);

    bool stricter = strcmp(error.why, "this number is too large") == 0 ||
                   (strcmp(error.why, "this escape is not a character") == 0 &&
                    !strstr(text, "\\ud83d\\ude00"));

    if ((tree != NULL) != is_json(text, length) && !stricter)
        ck_abort_msg("%s, but %s:\n%.*s", tree ? "read" : "refused",
                     tree ? "it is none" : error.why, (int)length, text);
    json_free(tree);
}

/* Read a report with each byte removed, replaced by others, or as the last byte. */
START_TEST(damaged_report_is_noticed)
{
    static const char bytes[] = "\"\\{}[]:,0-.e \n\x01x\xff";
    char              text[sizeof sample] = "";
    size_t            length = sizeof sample - 1;

    for (size_t at = 0; at < length; at++) {
        memcpy(text, sample, length);
        check_agreement(text, at);
        for (size_t i = 0; i < sizeof bytes - 1; i++) {
            text[at] = bytes[i];
            if (is_utf8(text, length))
                check_agreement(text, length);
        }
        memcpy(text, sample, at);
        memcpy(text + at, sample + at + 1, length - at - 1);
        check_agreement(text, length - 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json");
    TCase *cases = tcase_create("all");

    tcase_add_test(cases, values_are_read);
    tcase_add_test(cases, faults_are_located);
    tcase_add_test(cases, depth_is_limited);
    tcase_add_test(cases, damaged_report_is_noticed);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
