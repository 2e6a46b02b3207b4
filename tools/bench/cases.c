/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the instances of a campaign, one after another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/memory.h"
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

/* The recipe with value number `which` of its sweep; NULL past the last. To be freed. */
static char *with_value(const char *where, const char *recipe, size_t which, double *size)
{
    const char *open = strchr(recipe, '{'), *close = open ? strchr(open, '}') : NULL;
    const char *at = open ? open + 1 : NULL;
    char       *made = checked_calloc(strlen(recipe) + 1, 1), value[64];
    size_t      length;

    *size = 0;
    if (!open) {
        strcpy(made, recipe);
        return which == 0 ? made : (free(made), NULL);
    }
    if (!close || strchr(close, '{'))
        usage_error("%s: one {A,B,...} in '%s' is a sweep, and there may be no other", where,
                    recipe);
    for (; which > 0; which--) {
        at += strcspn(at, ",}");
        if (*at++ == '}')
            return free(made), NULL;
    }
    length = strcspn(at, ",}");
    if (length == 0 || length >= sizeof value)
        usage_error("%s: a value is missing in '%s'", where, recipe);
    snprintf(value, sizeof value, "%.*s", (int)length, at);
    *size = parse_double(where, value, 0, 1e300);
    sprintf(made, "%.*s%s%s", (int)(open - recipe), recipe, value, close + 1);
    return made;
}

static void add_seeds(list *all, const bench_campaign *c, const bench_family *family, char *recipe,
                      double size)
{
    for (uint64_t s = 0; s < c->seeds; s++) {
        bench_case *one = add(all);
        int         random;

        *one = (bench_case){.family = family, .size = size, .seed = c->first_seed + s};
        one->recipe = checked_calloc(strlen(recipe) + 1, 1);
        strcpy(one->recipe, recipe);
        random = bench_recipe_read(one, family->label);
        if (!random) {
            one->seed = 0;
            break;
        }
    }
    free(recipe);
}

bench_case *bench_cases(const bench_campaign *c, size_t *count)
{
    list   all = {0};
    char  *recipe;
    double size;

    for (size_t f = 0; f < c->family_count; f++) {
        const bench_family *family = &c->families[f];

        for (size_t v = 0; (recipe = with_value(family->label, family->recipe, v, &size)); v++)
            add_seeds(&all, c, family, recipe, size);
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
