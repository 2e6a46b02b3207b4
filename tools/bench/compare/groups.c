/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: groups of instances: the kinds of a campaign, and the values of its factors over all
 * other factors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"

/* Return whether the list "A;B" has the element `wanted`. */
static bool has_element(const char *list, const char *wanted)
{
    size_t length = strlen(wanted);

    for (const char *at = list; *at; at += *at == ';') {
        size_t own = strcspn(at, ";");

        if (own == length && memcmp(at, wanted, length) == 0)
            return true;
        at += own;
    }
    return false;
}

bool bench_group_has(const bench_group *group, const bench_case *one)
{
    return (!group->family || one->family == group->family) &&
           (!group->factor || has_element(one->family->factors, group->factor)) &&
           (!group->has_size || one->size == group->size);
}

/* Return the number of kinds with a value of a factor. */
static size_t count_kinds(const bench_campaign *c, const char *factor)
{
    size_t count = 0;

    for (size_t i = 0; i < c->family_count; i++)
        count += has_element(c->families[i].factors, factor);
    return count;
}

static bool is_known(const bench_groups *groups, const char *factor)
{
    for (size_t i = 0; i < groups->count; i++)
        if (groups->of[i].factor && strcmp(groups->of[i].factor, factor) == 0)
            return true;
    return false;
}

static void add(bench_groups *groups, bench_group group)
{
    bench_group *larger = checked_calloc(groups->count + 1, sizeof *larger);

    if (groups->count > 0)
        memcpy(larger, groups->of, groups->count * sizeof *larger);
    larger[groups->count++] = group;
    free(groups->of);
    groups->of = larger;
}

/* Add the value of factor `number` of a family if it is new and of several kinds. */
static void add_value(bench_groups *groups, const bench_campaign *c, const bench_family *family,
                      size_t number)
{
    char *list = checked_strdup(family->factors), *next = list, *value = strsep(&next, ";");

    while (value && number-- > 0)
        value = strsep(&next, ";");
    if (value && *value && !is_known(groups, value) && count_kinds(c, value) > 1) {
        char *own = checked_strdup(value);

        add(groups, (bench_group){.label = own, .factor = own});
    }
    free(list);
}

bench_groups bench_groups_of(const bench_campaign *c)
{
    bench_groups groups = {.count = 0};

    for (size_t i = 0; i < c->family_count && c->family_count > 1; i++)
        add(&groups, (bench_group){.label = c->families[i].label, .family = &c->families[i]});
    for (size_t number = 0; number < BENCH_FACTORS; number++)
        for (size_t i = 0; i < c->family_count; i++)
            add_value(&groups, c, &c->families[i], number);
    return groups;
}

void bench_groups_free(bench_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->of[i].factor);
    free(groups->of);
}
