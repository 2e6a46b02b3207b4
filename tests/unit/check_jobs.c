/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * hsched-gen jobs: templates of commands, the places of a shell command where a value is safe, and
 * lists of values. /bin/sh judges the quoting of random values in random templates.
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gen/jobs/template.h"
#include "gen/jobs/value_lists.h"

#include "dice.h"
#include "rounds.h"
#include "suite.h"

/* Return the command for a template and two values, or the reason of a refusal; a static text. */
static const char *command_of(const char *text, const char *one, const char *two, uint64_t number)
{
    static char   result[4096];
    const char   *values[] = {one, two};
    char          why[JOBS_WHY];
    jobs_template t;
    jobs_text     out = {0};

    if (jobs_template_parse(text, two ? 2 : 1, &t, why)) {
        jobs_template_expand(&t, values, number, &out);
        snprintf(result, sizeof result, "%s", out.at);
    } else {
        snprintf(result, sizeof result, "refused: %s", why);
    }
    free(out.at);
    jobs_template_free(&t);
    return result;
}

/* Templates with the values "dir.d/a b.tar.gz" and "2", and number 7; GNU parallel gives the same.
 */
static const struct {
    const char *text, *command;
} good[] = {
    {"echo", "echo 'dir.d/a b.tar.gz' 2"},
    {"echo {}", "echo 'dir.d/a b.tar.gz' 2"},
    {"echo {.}", "echo 'dir.d/a b.tar' 2"},
    {"echo {1}", "echo 'dir.d/a b.tar.gz'"},
    {"echo {1.}", "echo 'dir.d/a b.tar'"},
    {"echo {1/}", "echo 'a b.tar.gz'"},
    {"echo {1//}", "echo dir.d"},
    {"echo {1/.}", "echo 'a b.tar'"},
    {"echo {-1} {-2//}", "echo 2 dir.d"},
    {"echo {2}.{#}", "echo 2.7"},
    {"echo {#}", "echo 7"},
    {"echo \"{#}\" '{#}'", "echo \"7\" '7'"},
    {"cat {2}<a {#}>{2}", "cat '2'<a '7'>2"},
    {"awk '{print $1}' {2} ${1} ${#}", "awk '{print $1}' 2 ${1} ${#}"},
    {"find {2} -exec echo \\{} \\;", "find 2 -exec echo \\{} \\;"},
    {"\"a b/\"{2}'c'", "\"a b/\"2'c'"},
    {"x=$(date) # it's\necho {2}", "x=$(date) # it's\necho 2"},
    {"echo `date` \"${HOME}\" a#'b' ${#a} {2}", "echo `date` \"${HOME}\" a#'b' ${#a} 2"},
    {"echo '\\' {2}", "echo '\\' 2"},
    {"echo # a\\\necho {2}", "echo # a\\\necho 2"},
    {"echo $HOME{2} $HOME_1{2}{2}", "echo $HOME'2' $HOME_1'2'2"},
    {"echo $HOME/{2} ${HOME}{2} x{2} \\$x{2} $?{2}", "echo $HOME/2 ${HOME}2 x2 \\$x2 $?2"},
    {"echo {2}1>a {2}\\\n>a", "echo '2'1>a '2'\\\n>a"},
    {"a {+1} {...} {a} {", "a {+1} {...} {a} { 'dir.d/a b.tar.gz' 2"},
};

START_TEST(templates_are_expanded)
{
    ck_assert_str_eq(command_of(good[_i].text, "dir.d/a b.tar.gz", "2", 7), good[_i].command);
}
END_TEST

static const struct {
    const char *text, *why;
} bad[] = {
    {"echo \"{}\"", "{} stands inside quotes"},
    {"echo 'it is {1}'", "{1} stands inside quotes"},
    {"echo \"a", "{}, appended, stands inside quotes"},
    {"echo `cat {}`", "{} stands inside backquotes"},
    {"echo 1 # {}", "{} stands in a comment"},
    {"cat <<E\n{}\nE", "{} stands behind <<"},
    {"echo $(({} + 1))", "{} stands behind (("},
    {"echo $[{} + 1]", "{} stands behind $["},
    {"echo $'\\'{}'", "{} stands behind $'"},
    {"echo \"$(echo \"{}\")\"", "{} stands behind $("},
    {"echo \"`date`\" {}", "{} stands behind `"},
    {"echo \"${a:-\"}{}\"}\"", "{} stands behind ${"},
    {"echo a \\\n# {}", "{} stands behind a line that ends with a backslash"},
    {"cat <\\\n<E\n{}\nE", "{} stands behind a line that ends with a backslash"},
    {"echo \"$\\\n(echo \"{}\")\"", "{} stands behind a line that ends with a backslash"},
    {"echo {3}", "there is no list of values for {3}; the lists have the numbers 1 to 2"},
    {"echo {0}", "there is no list of values for {0}"},
    {"echo {-3.}", "there is no list of values for {-3.}"},
    {"echo {4294967297}", "there is no list of values for {4294967297}"},
    {"echo {%}", "{%} is not known before the run"},
};

START_TEST(unsafe_templates_are_refused)
{
    const char *got = command_of(bad[_i].text, "a", "b", 1);

    ck_assert_msg(strncmp(got, "refused: ", 9) == 0, "%s: %s", bad[_i].text, got);
    ck_assert_msg(strncmp(got + 9, bad[_i].why, strlen(bad[_i].why)) == 0, "%s", got);
}
END_TEST

/* Words of GNU parallel: an argument, and the results of {.} {/} {//} {/.} for this argument. */
static const struct {
    const char *value, *forms;
} forms[] = {
    {"a", "a a . a"},         {"a.b", "a a.b . a"},       {"a.b.c", "a.b a.b.c . a.b"},
    {"d/a.b", "d/a a.b d a"}, {"d.e/a", "d.e/a a d.e a"}, {"/a.b", "/a a.b / a"},
    {"d/", "d/ '' . ''"},     {"/", "/ '' / ''"},         {"//", "// '' / ''"},
    {".a", "'' .a . ''"},     {"d//a", "d//a a d a"},     {"//a//", "//a// '' / ''"},
    {"", "'' '' . ''"},       {"a.", "a a. . a"},         {"c/d/e.f/", "c/d/e.f/ '' c/d ''"},
};

START_TEST(forms_of_values)
{
    ck_assert_str_eq(command_of("{.} {/} {//} {/.}", forms[_i].value, NULL, 1), forms[_i].forms);
}
END_TEST

/* Run a command by /bin/sh; return its output and set *length; a static buffer. */
static const char *output_of(const char *command, size_t *length)
{
    static char output[1 << 16];
    FILE       *pipe = popen(command, "r");

    ck_assert_ptr_nonnull(pipe);
    *length = fread(output, 1, sizeof output - 1, pipe);
    output[*length] = '\0';
    ck_assert_int_ge(pclose(pipe), 0);
    return output;
}

/* Draw a value of any bytes but NUL; UTF-8 does not matter here. */
static void draw_value(dice *d, char value[32])
{
    static const char odd[] = " \t\n'\"\\$`*?[]{}()<>|&;#~!%^=-./a";
    unsigned          length = dice_below(d, 12);

    for (unsigned i = 0; i < length; i++)
        value[i] =
            dice_below(d, 4) ? odd[dice_below(d, sizeof odd - 1)] : (char)dice_between(d, 1, 255);
    value[length] = '\0';
}

/* Fragments of words in a template, and what the shell makes of them. */
static const struct {
    const char *text, *meaning;
} fragments[] = {
    {"a", "a"},     {"'i t s'", "i t s"}, {"\"d q'\"", "d q'"},     {"\\ ", " "},
    {"\\'", "'"},   {"\\\"", "\""},       {"\\{}", "{}"},           {"\"a\\\"\\$b\"", "a\"$b"},
    {"\\\\", "\\"}, {"-", "-"},           {"$(echo \"'s\")", "'s"}, {"\"${HSCHED_NONE}\"", ""},
};

enum { FRAGMENTS = sizeof fragments / sizeof *fragments };

/* Whole templates give their words back: fragments, values and numbers side by side. */
START_TEST(values_are_words_of_the_shell)
{
    dice d = {(uint64_t)_i};

    for (int round = rounds(150); round > 0; round--) {
        char        text[1024] = "printf '%s\\0' {#}", expected[1024] = "45", value[2][32];
        size_t      used = 3, length;
        const char *got;

        draw_value(&d, value[0]);
        draw_value(&d, value[1]);
        for (unsigned words = dice_between(&d, 1, 4); words > 0; words--) {
            strcat(text, " x");
            used += (size_t)sprintf(expected + used, "x");
            for (unsigned parts = dice_below(&d, 4); parts > 0; parts--) {
                unsigned which = dice_below(&d, FRAGMENTS + 6);

                if (which == FRAGMENTS) {
                    strcat(text, "{#}");
                    used += (size_t)sprintf(expected + used, "45");
                } else if (which > FRAGMENTS) {
                    strcat(text, which % 2 ? "{1}" : "{-1}");
                    used += (size_t)sprintf(expected + used, "%s", value[which % 2 ? 0 : 1]);
                } else {
                    strcat(text, fragments[which].text);
                    used += (size_t)sprintf(expected + used, "%s", fragments[which].meaning);
                }
            }
            expected[used++] = '\0';
        }
        got = output_of(command_of(text, value[0], value[1], 45), &length);
        ck_assert_msg(length == used && memcmp(got, expected, used) == 0, "%s: %s", text,
                      command_of(text, value[0], value[1], 45));
    }
}
END_TEST

/* Either the template is refused, or the text of a value does not run. */
START_TEST(values_never_run)
{
    static const char pieces[] = "'\"\\`$(){}#<[; \n|&a";
    static const char value[] = "';printf HACK%s ED;'\";printf HACK%s ED;\"\nprintf HACK%s ED\n"
                                "$(printf HACK%s ED)`printf HACK%s ED`}$(printf HACK%s ED))";
    dice              d = {(uint64_t)_i};
    int               accepted = 0, all = rounds(400);

    for (int round = all; round > 0; round--) {
        char        text[256] = "", command[4096];
        size_t      length;
        const char *made;

        for (unsigned parts = dice_between(&d, 1, 10); parts > 0; parts--) {
            unsigned which = dice_below(&d, 32);

            if (which < 8)
                strcat(text, "{1}");
            else if (which < 10)
                strcat(text, "\\\n");
            else
                strncat(text, &pieces[dice_below(&d, sizeof pieces - 1)], 1);
        }
        made = command_of(text, value + 20 * dice_below(&d, 5), NULL, 1);
        if (strncmp(made, "refused: ", 9) == 0)
            continue;
        accepted++;
        snprintf(command, sizeof command, "exec 2>&1\n%s", made);
        ck_assert_msg(!strstr(output_of(command, &length), "HACKED"), "%s: %s", text, command);
    }
    ck_assert_int_gt(accepted, all / 10);
}
END_TEST

/* Make the lists of words separated by blanks, which must live as long as the lists. */
static void read_lists(char *text, value_lists *lists)
{
    char  *words[64], *rest = text;
    size_t count = 0;

    while ((words[count] = strtok_r(rest, " ", &rest)))
        count++;
    ck_assert_int_eq(value_lists_read(words, count, lists), 0);
}

START_TEST(combinations)
{
    static const struct {
        const char *words, *all;
    } cases[] = {
        {"::: a b ::: 1 2", "a1 a2 b1 b2 "},   {"::: a b :::+ 1 2 3 ::: x y", "a1x a1y b2x b2y "},
        {"::: a b c :::+ 1 2 :::+ x", "a1x "}, {"::: a b ::: 1 2 :::+ 3 4", "a13 a24 b13 b24 "},
        {"::: - --x ::: a", "-a --xa "},
    };
    char        text[64], got[128] = "";
    const char *values[3];
    value_lists lists;

    strcpy(text, cases[_i].words);
    read_lists(text, &lists);
    for (uint64_t i = 0; i < value_lists_combinations(&lists); i++) {
        value_lists_combination(&lists, i, values);
        for (size_t v = 0; v < lists.count; v++)
            strcat(got, values[v]);
        strcat(got, " ");
    }
    ck_assert_str_eq(got, cases[_i].all);
    value_lists_free(&lists);
}
END_TEST

START_TEST(too_many_combinations_are_counted)
{
    value_list  one = {.count = (size_t)1 << 32};
    value_list  both[] = {one, one};
    value_lists lists = {both, 2};

    ck_assert_uint_eq(value_lists_combinations(&lists), UINT64_MAX);
    both[1].count--;
    ck_assert_uint_eq(value_lists_combinations(&lists), (UINT64_MAX >> 32) << 32);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tables of commands");
    TCase *tc = tcase_create("jobs");

    if (!freopen("/dev/null", "r", stdin))
        return 99;
    tcase_add_loop_test(tc, templates_are_expanded, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(tc, unsafe_templates_are_refused, 0, sizeof bad / sizeof *bad);
    tcase_add_loop_test(tc, forms_of_values, 0, sizeof forms / sizeof *forms);
    tcase_add_loop_test(tc, values_are_words_of_the_shell, 0, 4);
    tcase_add_loop_test(tc, values_never_run, 0, 4);
    tcase_add_loop_test(tc, combinations, 0, 5);
    tcase_add_test(tc, too_many_combinations_are_counted);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
