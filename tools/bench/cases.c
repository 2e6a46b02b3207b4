/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: expand a campaign to its instances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/options.h"

typedef struct list {
    bench_case *of;
    size_t      count, room;
} list;

static bench_case *add(list *all)
{
    if (all->count == all->room) {
        size_t      room = all->room ? 2 * all->room : 64;
        bench_case *larger = checked_calloc(room, sizeof *larger);

        if (all->count > 0)
            memcpy(larger, all->of, all->count * sizeof *larger);
        free(all->of);
        all->of = larger;
        all->room = room;
    }
    return &all->of[all->count++];
}

/* Return value `which` of a list, or of a sweep after its brace; NULL past the last. */
static const char *find_value(const char *at, size_t which)
{
    for (; which > 0; which--) {
        at += strcspn(at, ",}");
        if (*at++ != ',')
            return NULL;
    }
    return at;
}

/* Append the value to `to`, and parse it as the size if none is set. */
static void put_value(const char *where, const char *sweep, char *to, const char *value,
                      double *size)
{
    char   text[64];
    size_t length = strcspn(value, ",}");

    if (length == 0 || length >= sizeof text)
        usage_error("%s: a value is missing in '%s'", where, sweep);
    snprintf(text, sizeof text, "%.*s", (int)length, value);
    if (isnan(*size))
        *size = parse_double(where, text, 0, 1e300);
    strcat(to, text);
}

/*
 * Return the recipe with value `which` of each sweep, from `sizes` if given; NULL past the last
 * value. *size is the value of the first sweep. The caller frees the recipe.
 */
static char *with_value(const char *where, const char *recipe, const char *sizes, size_t which,
                        double *size)
{
    size_t      braces = 0, ended = 0, room = strlen(recipe) + (sizes ? strlen(sizes) : 0);
    char       *made = checked_calloc(room + 1, 1);
    const char *rest = recipe, *open;

    *size = NAN;
    for (; (open = strchr(rest, '{')); braces++) {
        const char *close = strchr(open, '}'), *next = strchr(open + 1, '{'), *value;

        if (!close || (next && next < close))
            usage_error("%s: a sweep is written {A,B,...} in '%s'", where, recipe);
        if (sizes && (next || braces > 0))
            usage_error("--sizes: '%s' has sweeps that go along with each other", recipe);
        strncat(made, rest, (size_t)(open - rest));
        value = find_value(sizes ? sizes : open + 1, which);
        if (value)
            put_value(sizes ? "--sizes" : where, sizes ? sizes : recipe, made, value, size);
        ended += !value;
        rest = close + 1;
    }
    strcat(made, rest);
    if (ended > 0 && ended < braces)
        usage_error("%s: sweeps go along with each other and have as many values each", where);
    if (ended == 0 && (braces > 0 || which == 0)) {
        *size = braces > 0 ? *size : 0;
        return made;
    }
    free(made);
    return NULL;
}

/* Add an instance for each seed, or a single one if nothing in it is random. Frees `recipe`. */
static void add_seeds(list *all, const bench_campaign *c, const bench_family *family,
                      const char *path, char *recipe, double size)
{
    for (uint64_t s = 0; s < c->seeds; s++) {
        bench_case *one = add(all);
        bool        random;

        *one = (bench_case){.family = family, .size = size, .seed = c->first_seed + s};
        one->recipe = checked_calloc(strlen(recipe) + 1, 1);
        strcpy(one->recipe, recipe);
        one->path = path ? checked_strdup(path) : NULL;
        random = bench_recipe_read(one, family->label);
        if (!random) {
            one->seed = 0;
            break;
        }
    }
    free(recipe);
}

/* Add the instances of a family of files. */
static void add_files(list *all, const bench_campaign *c, const bench_family *family)
{
    size_t count;
    char **path = bench_list_files(family->label, family->recipe, &count);

    for (size_t i = 0; i < count; i++) {
        add_seeds(all, c, family, path[i], bench_file_recipe(family->recipe, path[i]), 0);
        free(path[i]);
    }
    free(path);
}

static void check_sizes(const bench_campaign *c)
{
    size_t sweeps = 0;

    if (!c->sizes)
        return;
    if (strpbrk(c->sizes, "{}"))
        usage_error("--sizes: '%s' is not A,B,...", c->sizes);
    for (size_t f = 0; f < c->family_count; f++)
        sweeps += strchr(c->families[f].recipe, '{') != NULL;
    if (sweeps == 0)
        usage_error("--sizes: the campaign has no sweep, {A,B,...}, over sizes");
}

bench_case *bench_cases(const bench_campaign *c, size_t *count)
{
    list   all = {0};
    char  *recipe;
    double size;

    check_sizes(c);
    for (size_t f = 0; f < c->family_count; f++) {
        const bench_family *family = &c->families[f];

        if (bench_reads_files(family->recipe)) {
            add_files(&all, c, family);
            continue;
        }
        for (size_t v = 0; (recipe = with_value(family->label, family->recipe, c->sizes, v, &size));
             v++)
            add_seeds(&all, c, family, NULL, recipe, size);
    }
    *count = all.count;
    return all.of;
}

void bench_cases_free(bench_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t w = 0; cases[i].words[w]; w++)
            free(cases[i].words[w]);
        free(cases[i].words);
        free(cases[i].recipe);
        free(cases[i].path);
    }
    free(cases);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double *bench_sizes(const bench_case *cases, size_t case_count, const bench_family *family,
                    size_t *count)
{
    double *size = checked_calloc(case_count + 1, sizeof *size);
    size_t  all = 0;

    *count = 0;
    for (size_t i = 0; i < case_count; i++)
        if (cases[i].family == family)
            size[all++] = cases[i].size;
    qsort(size, all, sizeof *size, by_value);
    for (size_t i = 0; i < all; i++)
        if (*count == 0 || size[i] != size[*count - 1])
            size[(*count)++] = size[i];
    return size;
}
