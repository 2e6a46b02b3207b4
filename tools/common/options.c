/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/options.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/version.h>

#include "common/completion.h"
#include "common/help.h"
#include "common/message.h"
#include "common/output.h"

enum { CODE_HELP = 100000, CODE_VERSION, CODE_COMPLETION };

static const char *shell_word(size_t index)
{
    return index == 0 ? "bash" : index == 1 ? "zsh" : NULL;
}

static const option_spec standard[] = {
    {CODE_HELP, "help", ARGUMENT_NONE, NULL, NULL, "print this help and exit"},
    {CODE_VERSION, "version", ARGUMENT_NONE, NULL, NULL, "print the version and exit"},
    {CODE_COMPLETION, "completion", ARGUMENT_WORD, "bash|zsh", shell_word,
     "print a completion script for that shell and exit"},
};
enum { STANDARD = sizeof standard / sizeof *standard };

const option_spec *option_at(const tool_spec *tool, size_t index)
{
    size_t own = 0;

    while (tool->options[own].name)
        own++;
    if (index < own)
        return &tool->options[index];
    return index - own < STANDARD ? &standard[index - own] : NULL;
}

static const option_spec *option_of_code(const tool_spec *tool, int code)
{
    const option_spec *spec;

    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        if (spec->code == code)
            return spec;
    return NULL;
}

void options_begin(options *o, const tool_spec *tool, int argc, char **argv)
{
    const option_spec *spec;
    size_t             count = 0, letters = 0;

    memset(o, 0, sizeof *o);
    o->tool = tool;
    o->argc = argc;
    o->argv = argv;
    message_begin(tool->name);
    output_begin();

    while (option_at(tool, count))
        count++;
    o->longs = calloc(count + 1, sizeof *o->longs);
    if (!o->longs) {
        message("out of memory");
        exit(EXIT_RESOURCE);
    }
    o->letters[letters++] = ':'; /* tell a missing argument from an unknown option */
    for (size_t i = 0; (spec = option_at(tool, i)); i++) {
        o->longs[i] = (struct option){.name = spec->name,
                                      .has_arg = spec->kind != ARGUMENT_NONE,
                                      .val = spec->code};
        if (spec->code < OPTION_LONG && letters + 3 < sizeof o->letters) {
            o->letters[letters++] = (char)spec->code;
            if (spec->kind != ARGUMENT_NONE)
                o->letters[letters++] = ':';
        }
    }
    opterr = 0;
}

/* getopt_long() gives the same answer for an unknown and an ambiguous name. */
static int is_ambiguous(const tool_spec *tool, const char *text)
{
    size_t             length = strcspn(text, "=");
    int                matches = 0;
    const option_spec *spec;

    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        matches += strncmp(spec->name, text, length) == 0;
    return matches > 1;
}

static _Noreturn void wrong_option(const options *o, int answer)
{
    const char        *text = o->argv[optind - 1];
    const option_spec *spec = optopt ? option_of_code(o->tool, optopt) : NULL;

    if (answer == ':')
        usage_error("option '%s' needs an argument%s%s", text,
                    spec && spec->argument ? ": " : "",
                    spec && spec->argument ? spec->argument : "");
    if (spec)
        usage_error("option '--%s' takes no argument", spec->name);
    if (optopt)
        usage_error("there is no option '-%c'", optopt);
    if (is_ambiguous(o->tool, text + 2))
        usage_error("option '%s' is ambiguous", text);
    usage_error("there is no option '%s'", text);
}

static _Noreturn void answer_and_exit(const options *o, int code)
{
    if (code == CODE_HELP)
        help_print(o->tool, stdout);
    else if (code == CODE_VERSION)
        printf("%s (hybridsched) %s\n", o->tool->name, hs_version_string());
    else if (options_word(o) == 0)
        completion_bash(o->tool, stdout);
    else
        completion_zsh(o->tool, stdout);
    exit(output_finish(EXIT_OK));
}

int options_next(options *o)
{
    int code = getopt_long(o->argc, o->argv, o->letters, o->longs, NULL);

    if (code == -1) {
        free(o->longs);
        o->longs = NULL;
        return -1;
    }
    if (code == '?' || code == ':')
        wrong_option(o, code);
    o->current = option_of_code(o->tool, code);
    o->value = o->current->kind == ARGUMENT_NONE ? NULL : optarg;
    if (code >= CODE_HELP)
        answer_and_exit(o, code);
    return code;
}

const char *options_operand(options *o)
{
    (void)o;
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

double parse_double(const char *what, const char *text, double least, double most)
{
    char  *end = NULL;
    double value = NAN;

    /* Decimal digits only: no blanks, "nan", "inf" or hexadecimal. */
    if (*text && text[strspn(text, "+-.0123456789eE")] == '\0')
        value = strtod(text, &end);
    if (!end || end == text || *end || !isfinite(value))
        usage_error("%s: '%s' is not a number", what, text);
    if (value < least || value > most) {
        if (most < DBL_MAX)
            usage_error("%s: %s is not in [%g, %g]", what, text, least, most);
        usage_error("%s: %s is less than %g", what, text, least);
    }
    return value;
}

static void option_label(const options *o, char label[64])
{
    snprintf(label, 64, "--%s", o->current->name);
}

uint64_t options_unsigned(const options *o, uint64_t least, uint64_t most)
{
    char label[64];

    option_label(o, label);
    return parse_unsigned(label, o->value, least, most);
}

double options_double(const options *o, double least, double most)
{
    char label[64];

    option_label(o, label);
    return parse_double(label, o->value, least, most);
}

size_t options_word(const options *o)
{
    const char *word;

    for (size_t i = 0; (word = o->current->word(i)); i++)
        if (strcmp(word, o->value) == 0)
            return i;
    usage_error("--%s: '%s' is not one of %s", o->current->name, o->value, o->current->argument);
}

int list_next(const char *what, const char **rest, char *element, size_t size)
{
    size_t length;

    if (!*rest)
        return 0;
    length = strcspn(*rest, ",");
    if (length == 0)
        usage_error("%s: an empty name in the list", what);
    if (length >= size)
        usage_error("%s: there is no '%.*s'", what, (int)length, *rest);
    memcpy(element, *rest, length);
    element[length] = '\0';
    *rest = (*rest)[length] == ',' ? *rest + length + 1 : NULL;
    return 1;
}
