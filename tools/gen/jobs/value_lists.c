/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen/jobs/value_lists.h"

#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/files.h"
#include "common/input.h"
#include "common/message.h"

enum { FILE_MOST = 1 << 30 }; /* largest file of values in bytes */

bool value_lists_begin(const char *word)
{
    return strcmp(word, ":::") == 0 || strcmp(word, ":::+") == 0 || strcmp(word, "::::") == 0 ||
           strcmp(word, "::::+") == 0;
}

void value_lists_free(value_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++) {
        free(lists->list[i].values);
        free(lists->list[i].text);
    }
    free(lists->list);
    *lists = (value_lists){0};
}

/* Add the list of the words behind `begin`. */
static void add_words(value_lists *out, char **words, size_t count, bool is_linked)
{
    value_list *list = &out->list[out->count++];

    *list = (value_list){.values = checked_calloc(count, sizeof *list->values),
                         .count = count,
                         .is_linked = is_linked};
    for (size_t i = 0; i < count; i++)
        list->values[i] = words[i];
}

static size_t count_lines(const char *text, size_t length)
{
    size_t      lines = 0;
    const char *end = text + length, *newline;

    for (; text < end; text = newline + 1, lines++)
        if (!(newline = memchr(text, '\n', (size_t)(end - text))))
            return lines + 1;
    return lines;
}

/* Make a value of each line of list->text, without LF or CR LF. */
static void split_lines(value_list *list, size_t length)
{
    char *at = list->text, *end = at + length;

    list->values = checked_calloc(count_lines(at, length), sizeof *list->values);
    while (at < end) {
        char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

        if (newline && stop > at && stop[-1] == '\r')
            stop[-1] = '\0';
        *stop = '\0';
        list->values[list->count++] = at;
        at = stop + 1;
    }
}

/* Add the list of the lines of a file. Return 0, or an exit code after a message. */
static int add_file(value_lists *out, const char *path, bool is_linked)
{
    value_list *list = &out->list[out->count++];
    size_t      length;
    input       in;
    int         code = input_open(path, &in);

    *list = (value_list){.is_linked = is_linked, .file = in.name};
    if (code)
        return code;
    code = input_read_all(&in, FILE_MOST, &list->text, &length);
    input_close(&in);
    if (code)
        return code;
    if (length > FILE_MOST || strlen(list->text) < length) {
        message("%s: %s; expected a value in each line", list->file,
                length > FILE_MOST ? "it is larger than a gigabyte" : "it has a NUL byte");
        return EXIT_USAGE;
    }
    split_lines(list, length);
    return EXIT_OK;
}

static int add_files(value_lists *out, char **words, size_t count, bool is_linked)
{
    int code = EXIT_OK;

    if (count == 0)
        usage_error("jobs: :::: needs a file");
    for (size_t i = 0; i < count && !code; i++)
        code = add_file(out, words[i], is_linked);
    return code;
}

/* Check that each list has a value, in UTF-8 as tables are. Return 0, or an exit code. */
static int check_values(const value_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++) {
        const value_list *list = &lists->list[i];
        const char       *name = list->file ? list->file : "the command line";

        if (list->count == 0)
            usage_error("jobs: list %zu has no value: %s%s", i + 1, name,
                        list->file ? " is empty" : " has none behind :::");
        for (size_t v = 0; v < list->count; v++)
            if (!utf8_is_valid(list->values[v])) {
                message("jobs: value %zu of list %zu, '%s', is not UTF-8, and a table must be", v + 1,
                        i + 1, list->values[v]);
                return EXIT_USAGE;
            }
    }
    return EXIT_OK;
}

static size_t count_inputs(char **words, size_t count)
{
    size_t inputs = 0;

    for (size_t i = 0; i < count; i++)
        inputs += is_dash(words[i]);
    return inputs;
}

int value_lists_read(char **words, size_t count, value_lists *out)
{
    size_t inputs = 0;
    int    code = EXIT_OK;

    *out = (value_lists){.list = checked_calloc(count, sizeof *out->list)};
    for (size_t begin = 0, end; begin < count && !code; begin = end) {
        const char *colons = words[begin];
        bool        is_linked = colons[strlen(colons) - 1] == '+', is_file = colons[3] == ':';

        for (end = begin + 1; end < count && !value_lists_begin(words[end]);)
            end++;
        if (is_linked && begin == 0)
            usage_error("jobs: %s links a list with the one before it, and there is none", colons);
        inputs += is_file ? count_inputs(words + begin + 1, end - begin - 1) : 0;
        if (inputs > 1)
            usage_error("jobs: only one list can be '-', standard input");
        if (is_file)
            code = add_files(out, words + begin + 1, end - begin - 1, is_linked);
        else
            add_words(out, words + begin + 1, end - begin - 1, is_linked);
    }
    return code ? code : check_values(out);
}

/* Return the list behind the lists that are linked with `first`, and their number of steps. */
static size_t find_group(const value_lists *lists, size_t first, size_t *steps)
{
    size_t end = first + 1;

    *steps = lists->list[first].count;
    for (; end < lists->count && lists->list[end].is_linked; end++)
        if (lists->list[end].count < *steps)
            *steps = lists->list[end].count;
    return end;
}

uint64_t value_lists_combinations(const value_lists *lists)
{
    uint64_t product = 1;
    size_t   steps;

    for (size_t first = 0; first < lists->count;) {
        first = find_group(lists, first, &steps);
        if (product > UINT64_MAX / steps)
            return UINT64_MAX;
        product *= steps;
    }
    return product;
}

void value_lists_combination(const value_lists *lists, uint64_t index, const char **values)
{
    uint64_t rest = value_lists_combinations(lists);
    size_t   end, steps;

    for (size_t first = 0; first < lists->count; first = end) {
        end = find_group(lists, first, &steps);
        rest /= steps;
        for (size_t i = first; i < end; i++)
            values[i] = lists->list[i].values[index / rest];
        index %= rest;
    }
}
