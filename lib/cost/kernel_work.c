/* SPDX-License-Identifier: BSD-3-Clause */
/* Work and memory traffic of the built-in kernels, from their names. */
#include "cost/kernel_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hsi_kernel_work works[] = {
    {"gemm", NULL, 2, 0, 3, 1},
    {"syrk", NULL, 1, 1, 2, 1},
    {"trsm", NULL, 1, 0, 2, 1},
    {"potrf", NULL, 1.0 / 3, 0, 1, 1},
    {"getrf", "getrf_nopiv", 2.0 / 3, 0, 1, 1},
    {"geqrf", "geqrt", 4.0 / 3, 0, 1, 1},
    {"ormqr", "gemqrt", 2, 0, 2, 1},
    {"tpqrt", "tsqrt", 2, 0, 2, 2},
    {"tpmqrt", "tsmqr", 4, 0, 3, 2},
};

static bool is_word(const char *word, const char *text, size_t length)
{
    return word && word[0] == text[0] && strncmp(word, text, length) == 0 && !word[length];
}

static const hsi_kernel_work *find_work(const char *name, size_t length)
{
    if (length < 2 || (name[0] != 'd' && name[0] != 's'))
        return NULL;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (is_word(works[i].name, name + 1, length - 1) ||
            is_word(works[i].alias, name + 1, length - 1))
            return &works[i];
    return NULL;
}

/* Read digits before `end`; 0: other characters than digits, or too many. */
static double read_number(const char *text, char end, const char **rest)
{
    size_t digits = strspn(text, "0123456789");

    *rest = text + digits;
    if (digits == 0 || digits > 15 || (**rest != '\0' && **rest != end))
        return 0;
    return strtod(text, NULL);
}

bool hsi_is_kernel_name(const char *name)
{
    static const char *const others[] = {"copy", "spin", "sleep"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return find_work(name, strlen(name)) != NULL;
}

hsi_kernel_name hsi_kernel_name_split(const char *text)
{
    hsi_kernel_name name = {
        .length = strlen(text), .parts = 1, .element = text[0] == 's' ? 4 : 8};
    const char *colon = strchr(text, ':'), *rest;

    if (!colon || strncmp(text, "plugin:", 7) == 0 || strncmp(text, "python:", 7) == 0)
        colon = NULL;
    if (colon) {
        name.length = (size_t)(colon - text);
        name.size = read_number(colon + 1, '/', &rest);
        if (name.size > 0 && *rest == '/')
            name.parts = fmax(1, read_number(rest + 1, '\0', &rest));
    }
    name.work = find_work(text, name.length);
    return name;
}
