/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: expand the factors of a line of instances. A factor is a list of values [A,B,...] in
 * the recipe; each combination of the values of all factors is a family of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"

enum { MOST_FAMILIES = 10000 };

typedef struct factor {
    char        name[32];
    const char *open, *close; /* its brackets in the recipe */
    size_t      values, chosen;
} factor;

/* Copy an option without its dashes, up to a blank, '=' or bracket. */
static void copy_option_name(const char *word, char name[32])
{
    word += strspn(word, "-");
    snprintf(name, 32, "%.*s", (int)strcspn(word, " \t=[:"), word);
}

/* Return the begin of the last word that ends before `end`. */
static const char *word_before(const char *recipe, const char *end)
{
    while (end > recipe && strchr(" \t", end[-1]))
        end--;
    while (end > recipe && !strchr(" \t", end[-1]))
        end--;
    return end;
}

/*
 * Name a factor after the option in its own word or in the word before. Without an option it is the
 * family or an argument of the family.
 */
static void name_factor(const char *recipe, factor *f)
{
    const char *word = f->open;

    while (word > recipe && !strchr(" \t", word[-1]))
        word--;
    if (*word != '-' && word > recipe)
        word = word_before(recipe, word);
    if (*word == '-')
        copy_option_name(word, f->name);
    else
        snprintf(f->name, sizeof f->name, "%s", f->open == recipe ? "family" : "argument");
}

static const char *value_of(const factor *f, size_t which, size_t *length)
{
    const char *at = f->open + 1;

    for (; which > 0; which--)
        at += strcspn(at, ",]") + 1;
    *length = strcspn(at, ",]");
    return at;
}

static void read_factor(const char *where, const char *recipe, factor *f)
{
    size_t length;

    f->close = strchr(f->open, ']');
    if (!f->close)
        usage_error("%s: a factor is written [A,B,...] in '%s'", where, recipe);
    name_factor(recipe, f);
    f->values = 1;
    for (const char *at = f->open; at < f->close; at++)
        f->values += *at == ',';
    for (size_t v = 0; v < f->values; v++) {
        value_of(f, v, &length);
        if (length == 0)
            usage_error("%s: a value is missing in '%s'", where, recipe);
    }
}

static size_t read_factors(const char *where, const char *recipe, factor all[BENCH_FACTORS])
{
    size_t      count = 0;
    const char *open = strchr(recipe, '[');

    for (; open; open = strchr(all[count - 1].close, '[')) {
        if (count == BENCH_FACTORS)
            usage_error("%s: more than %d factors", where, BENCH_FACTORS);
        all[count] = (factor){.open = open};
        read_factor(where, recipe, &all[count++]);
    }
    return count;
}

/* Choose the next combination, the last factor first. Return false past the last combination. */
static bool choose_next(factor *all, size_t count)
{
    for (size_t i = count; i > 0; i--) {
        if (++all[i - 1].chosen < all[i - 1].values)
            return true;
        all[i - 1].chosen = 0;
    }
    return false;
}

/* Make the family of the chosen values. */
static bench_family make_family(const char *label, const char *recipe, const factor *all,
                                size_t count)
{
    bench_family made;
    size_t       room = strlen(label) + strlen(recipe) + 64 * BENCH_FACTORS, length;
    char        *text = checked_calloc(room, 1), *named = checked_calloc(2 * room, 1);
    char        *factors = checked_calloc(room, 1);

    strcpy(named, label);
    for (size_t i = 0; i < count; i++) {
        const char *value = value_of(&all[i], all[i].chosen, &length);

        strncat(text, recipe, (size_t)(all[i].open - recipe));
        strncat(text, value, length);
        recipe = all[i].close + 1;
        sprintf(factors + strlen(factors), "%s%s=%.*s", i ? ";" : "", all[i].name, (int)length,
                value);
        sprintf(named + strlen(named), ", %s=%.*s", all[i].name, (int)length, value);
    }
    strcat(text, recipe);
    made = (bench_family){.label = named, .recipe = text, .factors = factors};
    return made;
}

void bench_add_families(bench_campaign *c, const char *where, const char *label, const char *recipe)
{
    factor        all[BENCH_FACTORS];
    size_t        count = read_factors(where, recipe, all), made = 1;
    bench_family *larger;

    for (size_t i = 0; i < count; i++)
        if ((made *= all[i].values) > MOST_FAMILIES)
            usage_error("%s: more than %d combinations of factors", where, MOST_FAMILIES);
    larger = checked_calloc(c->family_count + made, sizeof *larger);
    if (c->family_count > 0)
        memcpy(larger, c->families, c->family_count * sizeof *larger);
    free(c->families);
    c->families = larger;
    do
        c->families[c->family_count++] = make_family(label, recipe, all, count);
    while (choose_next(all, count));
}

void bench_family_free(bench_family *family)
{
    free(family->label);
    free(family->recipe);
    free(family->factors);
}

bool bench_is_generated(const bench_family *family)
{
    return strncmp(family->recipe, "profile ", 8) != 0 && !bench_reads_files(family->recipe);
}
