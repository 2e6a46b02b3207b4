/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/options.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/io.h>
#include <hybridsched/version.h>

#include "common/completion.h"
#include "common/help.h"
#include "common/message.h"
#include "common/output.h"

/*
 * Codes of a tool's options start at CODE_FIRST in the table's order; the standard options follow.
 */
enum { CODE_FIRST = 256, OPTIONS_MOST = 128 };

enum { HELP, VERSION, COMPLETION, STANDARD };
static const option_spec standard[STANDARD] = {
    [HELP] = {'h', "help", NULL, {.kind = ARGUMENT_NONE}, "print this help and exit"},
    [VERSION] = {0, "version", NULL, {.kind = ARGUMENT_NONE}, "print the version and exit"},
    [COMPLETION] = {0, "completion", "bash|zsh", {.kind = ARGUMENT_WORD},
                    "print a completion script for that shell and exit"},
};

static size_t own_options(const tool_spec *tool)
{
    size_t own = 0;

    while (tool->options[own].name)
        own++;
    return own;
}

const option_spec *option_at(const tool_spec *tool, size_t index)
{
    size_t own = own_options(tool);

    if (index < own)
        return &tool->options[index];
    return index - own < STANDARD ? &standard[index - own] : NULL;
}

const char *option_word(const option_spec *spec, size_t index, char buffer[OPTION_WORD_SIZE])
{
    const char *at = spec->argument;

    if (spec->value.word)
        return spec->value.word(index);
    for (; index > 0; index--) {
        at += strcspn(at, "|,");
        if (!*at++)
            return NULL;
    }
    snprintf(buffer, OPTION_WORD_SIZE, "%.*s", (int)strcspn(at, "|,"), at);
    return buffer;
}

/*
 * Return whether several options start with the name; getopt_long() does not tell an ambiguous name
 * from an unknown name.
 */
static bool is_ambiguous(const tool_spec *tool, const char *text)
{
    size_t             length = strcspn(text, "=");
    int                matches = 0;
    const option_spec *spec;

    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        matches += strncmp(spec->name, text, length) == 0;
    return matches > 1;
}

/* Return the number of the option with this letter, or this code from CODE_FIRST on; -1: none. */
static int option_number(const tool_spec *tool, int code)
{
    const option_spec *spec;

    for (int i = 0; code && (spec = option_at(tool, (size_t)i)); i++)
        if (spec->letter == code || CODE_FIRST + i == code)
            return i;
    return -1;
}

/* Return the option nearest to --NAME or --NAME=VALUE; NULL: none is near. */
static const char *near_option(const tool_spec *tool, const char *text)
{
    const option_spec *spec;
    const char        *nearest = NULL;
    unsigned           least = HS_NOT_NEAR;

    for (size_t i = 0; (spec = option_at(tool, i)); i++) {
        unsigned distance = hs_name_distance(text + 2, strcspn(text + 2, "="), spec->name);

        if (distance < least) {
            least = distance;
            nearest = spec->name;
        }
    }
    return nearest;
}

static _Noreturn void wrong_option(const options *o, int answer)
{
    const char        *text = o->argv[optind - 1];
    int                number = option_number(o->tool, optopt); /* the rejected option */
    const option_spec *spec = number < 0 ? NULL : option_at(o->tool, (size_t)number);
    const char        *near, *hint = o->tool->hint ? o->tool->hint : "";

    if (answer == ':')
        usage_error("option '%s' needs an argument%s%s", text,
                    spec && spec->argument ? ": " : "",
                    spec && spec->argument ? spec->argument : "");
    if (spec)
        usage_error("option '--%s' takes no argument", spec->name);
    if (optopt)
        usage_error("there is no option '-%c'%s", optopt, hint);
    if (is_ambiguous(o->tool, text + 2))
        usage_error("option '%s' is ambiguous", text);
    near = near_option(o->tool, text);
    if (near)
        usage_error("there is no option '%s'; did you mean '--%s'?", text, near);
    usage_error("there is no option '%s'%s", text, hint);
}

/* Return the index of the current option's argument among the option's words. */
static unsigned word_number(const options *o)
{
    char        buffer[OPTION_WORD_SIZE];
    const char *word;

    for (unsigned i = 0; (word = option_word(o->current, i, buffer)); i++)
        if (strcmp(word, o->value) == 0)
            return i;
    usage_error("--%s: '%s' is not one of %s", o->current->name, o->value, o->current->argument);
}

static _Noreturn void answer_and_exit(const options *o, const void *line)
{
    if (o->current == &standard[HELP])
        help_print(o->tool, stdout, line);
    else if (o->current == &standard[VERSION])
        printf("%s (hybridsched) %s\n", o->tool->name, hs_library_version_string());
    else if (word_number(o) == 0)
        completion_bash(o->tool, stdout);
    else
        completion_zsh(o->tool, stdout);
    exit(output_finish(EXIT_OK));
}

static void store_whole(const option_spec *spec, void *to, uint64_t value)
{
    uint32_t small = (uint32_t)value;

    memcpy(to, spec->value.size == sizeof small ? (const void *)&small : &value, spec->value.size);
}

/* Store the current option's value in its member of the tool's command line. */
static void store(const options *o, void *line)
{
    const option_spec *spec = o->current;
    char              *to = (char *)line + spec->value.at, label[64];

    snprintf(label, sizeof label, "--%s", spec->name);
    switch (spec->value.kind) {
    case ARGUMENT_NONE:
        store_whole(spec, to, 1);
        break;
    case ARGUMENT_WHOLE:
        store_whole(spec, to,
                    parse_unsigned(label, o->value, (uint64_t)spec->value.least,
                                   spec->value.most < OPTION_ANY ? (uint64_t)spec->value.most
                                                                 : UINT64_MAX));
        break;
    case ARGUMENT_REAL:
        *(double *)(void *)to = parse_double(label, o->value, spec->value.least, spec->value.most);
        break;
    case ARGUMENT_TIME:
        *(double *)(void *)to = parse_time(label, o->value, spec->value.least, spec->value.most);
        break;
    case ARGUMENT_WORD:
        store_whole(spec, to, word_number(o));
        break;
    case ARGUMENT_TEXT:
    case ARGUMENT_FILE:
    case ARGUMENT_NAME:
    case ARGUMENT_LIST:
        *(const char **)(void *)to = o->value;
        break;
    }
}

/* Convert the table to the arguments of getopt_long(). */
static void set_up(const tool_spec *tool, struct option longs[OPTIONS_MOST],
                   char letters[2 * OPTIONS_MOST])
{
    const option_spec *spec;

    *letters++ = ':'; /* makes getopt_long() tell a missing argument from an unknown option */
    for (int i = 0; i < OPTIONS_MOST - 1 && (spec = option_at(tool, (size_t)i)); i++) {
        longs[i] = (struct option){.name = spec->name,
                                   .has_arg = spec->value.kind != ARGUMENT_NONE,
                                   .val = spec->letter ? spec->letter : CODE_FIRST + i};
        if (spec->letter)
            *letters++ = (char)spec->letter;
        if (spec->letter && spec->value.kind != ARGUMENT_NONE)
            *letters++ = ':';
    }
    *letters = '\0';
    opterr = 0;
}

void options_read(options *o, const tool_spec *tool, int argc, char **argv, void *line)
{
    struct option longs[OPTIONS_MOST] = {{0}};
    char          letters[2 * OPTIONS_MOST];
    int           code;

    *o = (options){.tool = tool, .argc = argc, .argv = argv};
    message_begin(tool->name);
    output_begin();
    set_up(tool, longs, letters);
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        int number = option_number(tool, code);

        if (code == '?' || code == ':')
            wrong_option(o, code);
        o->current = option_at(tool, (size_t)number);
        o->value = o->current->value.kind == ARGUMENT_NONE ? NULL : optarg;
        if ((size_t)number >= own_options(tool) && tool->within)
            usage_error("--%s cannot be used in %s", o->current->name, tool->within);
        if ((size_t)number >= own_options(tool))
            answer_and_exit(o, line);
        o->given |= UINT64_C(1) << number;
        if (o->current->value.take)
            o->current->value.take(o, line);
        else
            store(o, line);
    }
}

int options_given(const options *o, const char *name)
{
    for (size_t i = 0; o->tool->options[i].name; i++)
        if (strcmp(o->tool->options[i].name, name) == 0)
            return o->given >> i & 1;
    return 0;
}

const char *options_operand(options *o)
{
    return optind < o->argc ? o->argv[optind++] : NULL;
}

size_t options_operand_count(const options *o)
{
    return (size_t)(o->argc - optind);
}

uint64_t parse_unsigned(const char *what, const char *text, uint64_t least, uint64_t most)
{
    char    *end;
    uint64_t value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || value < least || value > most)
        usage_error("%s: '%s' is not a whole number from %llu to %llu", what, text,
                    (unsigned long long)least, (unsigned long long)most);
    return value;
}

/*
 * Parse a finite decimal number; return false for blanks, "nan", "inf", hexadecimal or any
 * different text.
 */
static bool read_double(const char *text, double *value)
{
    char *end = NULL;

    if (*text && text[strspn(text, "+-.0123456789eE")] == '\0')
        *value = strtod(text, &end);
    return end && end != text && !*end && isfinite(*value);
}

static void check_range(const char *what, const char *text, double value, double least,
                        double most)
{
    if (value >= least && value <= most)
        return;
    if (most < DBL_MAX)
        usage_error("%s: %s is not in [%g, %g]", what, text, least, most);
    usage_error("%s: %s is less than %g", what, text, least);
}

double parse_double(const char *what, const char *text, double least, double most)
{
    double value = NAN;

    if (!read_double(text, &value))
        usage_error("%s: '%s' is not a number", what, text);
    check_range(what, text, value, least, most);
    return value;
}

double parse_time(const char *what, const char *text, double least, double most)
{
    static const struct {
        const char *name;
        double      seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char   number[64];
    size_t length = strcspn(text, "mshd");
    double value = NAN, unit = text[length] ? NAN : 1;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + length, units[i].name) == 0)
            unit = units[i].seconds;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (length >= sizeof number || isnan(unit) || !read_double(number, &value))
        usage_error("%s: '%s' is not a time such as 90, 90s, 5m, 2h or 1d", what, text);
    check_range(what, text, value * unit, least, most);
    return value * unit;
}

bool list_next(const char *what, const char **rest, char *element, size_t size)
{
    size_t length;

    if (!*rest)
        return false;
    length = strcspn(*rest, ",");
    if (length == 0)
        usage_error("%s: the list has an empty name: separate names by single commas", what);
    if (length >= size)
        usage_error("%s: there is no '%.*s'", what, (int)length, *rest);
    memcpy(element, *rest, length);
    element[length] = '\0';
    *rest = (*rest)[length] == ',' ? *rest + length + 1 : NULL;
    return true;
}
