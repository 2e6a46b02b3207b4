/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole times on identical CPUs, from the distributions in the literature on P||Cmax. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "generate/draws.h"
#include "support/decimal/decimal.h"
#include "support/sized.h"

typedef enum recipe { UNIFORM, ENDS, NORMAL, PLANTED, DEGREES } recipe;

/*
 * The families, with default ranges. If `scaled`, low and high are multiples of the number of
 * tasks.
 */
static const struct family {
    const char *name;
    recipe      recipe;
    double      low, high; /* NORMAL: mean and deviation; DEGREES: edges of each new vertex */
    int         scaled;
    const char *summary;
} families[] = {
    {"e1", UNIFORM, 1, 20, 0, "uniform, 1:20; also 20:50; 3 to 5 CPUs, 2, 3 or 5 tasks for each"},
    {"e2", UNIFORM, 100, 800, 0, "uniform, 100:800; 2 to 10 CPUs, 10 to 100 tasks"},
    {"e3", UNIFORM, 1, 100, 0,
     "uniform, 1:100; also 100:200 and 100:800; 3 to 10 CPUs, 1 or 2 tasks more than 3, 4 or 5 for "
     "each"},
    {"e4", UNIFORM, 20, 50, 0,
     "uniform, 20:50; also 1:100, 50:100, 100:200 and 100:800; 2 CPUs and 9 tasks, 3 CPUs and 10"},
    {"franca", UNIFORM, 1, 100, 0,
     "uniform, 1:100; also 1:1000 and 1:10000; 5 to 25 CPUs, 10 to 1000 tasks"},
    {"franca-ends", ENDS, 1, 100, 0,
     "as franca, with 98 of 100 times near HIGH and the others near LOW"},
    {"class-1", UNIFORM, 1, 100, 0,
     "uniform, 1:100; classes: 2 to 3 tasks for each CPU, 20 to 220 in all"},
    {"class-2", UNIFORM, 20, 100, 0, "uniform, 20:100"},
    {"class-3", UNIFORM, 50, 100, 0, "uniform, 50:100"},
    {"class-4", NORMAL, 100, 50, 0, "normal, mean 100, deviation 50"},
    {"class-5", NORMAL, 100, 20, 0, "normal, mean 100, deviation 20"},
    {"class-6", UNIFORM, 1, 4, 1, "uniform from N to 4 N, of N tasks"},
    {"class-7", NORMAL, 4, 1, 1, "normal, mean 4 N, deviation N"},
    {"planted", PLANTED, 1, 1000, 0,
     "each CPU gets exactly the load HIGH, the optimum, cut at random into tasks of at least LOW "
     "(1:1000)"},
    {"degrees", DEGREES, 4, 0, 0,
     "degrees of the vertices of a graph that grows by preferential attachment"},
};

enum { FAMILIES = sizeof families / sizeof *families };

const char *hs_identical_name(size_t index)
{
    return index < FAMILIES ? families[index].name : NULL;
}

const char *hs_identical_summary(size_t index)
{
    return index < FAMILIES ? families[index].summary : NULL;
}

int hs_identical_has_range(size_t index)
{
    return index < FAMILIES && !families[index].scaled && families[index].recipe != NORMAL &&
           families[index].recipe != DEGREES;
}

static hs_status draw_uniform(const hs_identical *spec, hsi_random *random, double *time)
{
    hsi_uniform_law law;
    size_t          i;

    if (!hsi_uniform_law_make(&law, spec->low, spec->high, 1))
        return HS_EINVAL;
    for (i = 0; i < spec->tasks; i++)
        time[i] = hsi_draw_uniform_integer(&law, random);
    return HS_OK;
}

static hs_status draw_ends(const hs_identical *spec, hsi_random *random, double *time)
{
    double          width = spec->high - spec->low;
    hsi_uniform_law all, upper, lower;
    size_t          i;

    if (!hsi_uniform_law_make(&all, spec->low, spec->high, 1) ||
        !hsi_uniform_law_make(&upper, ceil(fmax(0.9 * width, spec->low)), spec->high, 1) ||
        !hsi_uniform_law_make(&lower, spec->low, floor(0.2 * width), 1))
        return HS_EINVAL;
    for (i = 0; i < spec->tasks; i++)
        time[i] =
            hsi_draw_uniform_integer(hsi_random_below(random, 100) < 98 ? &upper : &lower, random);
    return HS_OK;
}

static hs_status draw_normal(const hs_identical *spec, hsi_random *random, double *time)
{
    size_t i;

    for (i = 0; i < spec->tasks; i++)
        do
            time[i] = floor(spec->low + spec->high * hsi_random_normal(random) + 0.5);
        while (time[i] < 1);
    return HS_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Draw `count` times of at least spec->low with sum spec->high. */
static void cut(const hs_identical *spec, hsi_random *random, size_t count, double *time)
{
    double spare = spec->high - spec->low * (double)count;
    size_t i;

    for (i = 0; i + 1 < count; i++)
        time[i] = (double)hsi_random_below(random, (uint64_t)spare + 1);
    time[count - 1] = spare;
    qsort(time, count, sizeof *time, by_value);
    for (i = count; i-- > 1;)
        time[i] += spec->low - time[i - 1];
    time[0] += spec->low;
}

/* Cut the tasks of each CPU, with nearly equal numbers of tasks, and shuffle. */
static hs_status draw_planted(const hs_identical *spec, hsi_random *random, double *time)
{
    size_t          most = (spec->tasks + spec->cpus - 1) / spec->cpus, done = 0, i;
    hsi_uniform_law range;

    if (spec->tasks < spec->cpus || !hsi_uniform_law_make(&range, spec->low, spec->high, 1) ||
        spec->low * (double)most > spec->high)
        return HS_EINVAL;
    for (i = 0; i < spec->cpus; i++) {
        size_t count = spec->tasks / spec->cpus + (i < spec->tasks % spec->cpus);

        cut(spec, random, count, time + done);
        done += count;
    }
    for (i = spec->tasks; i > 1; i--) {
        size_t other = hsi_random_below(random, i);
        double moved = time[i - 1];

        time[i - 1] = time[other];
        time[other] = moved;
    }
    return HS_OK;
}

/* Choose vertices with probability proportional to their edges. */
static hs_status draw_degrees(const hs_identical *spec, hsi_random *random, double *time)
{
    size_t    each = (size_t)spec->low, ends = 1, i, j;
    uint32_t *end = malloc((2 * each * spec->tasks + 1) * sizeof *end);

    if (!end)
        return HS_ENOMEM;
    for (i = 0; i < spec->tasks; i++)
        time[i] = i == 0 ? 1 : (double)each;
    for (end[0] = 0, i = 1; i < spec->tasks; i++) {
        size_t before = ends;

        for (j = 0; j < each; j++) {
            end[ends] = end[hsi_random_below(random, before)];
            time[end[ends++]]++;
        }
        for (j = 0; j < each; j++)
            end[ends++] = (uint32_t)i;
    }
    free(end);
    return HS_OK;
}

static hs_status write_tasks(hs_builder *b, const hs_identical *spec, bool planted,
                             const double *time)
{
    hs_task   task = {.struct_size = sizeof task, .gpu = INFINITY};
    char      number[HSI_DECIMAL_MAX];
    hs_status st = HS_OK;
    size_t    i;

    hsi_decimal_write(spec->high, number);
    if (planted)
        st = hs_builder_add_note(b, "optimum", number);
    for (i = 0; i < spec->tasks && st == HS_OK; i++) {
        task.cpu = time[i];
        st = hs_builder_add_row(b, &task);
    }
    return st;
}

static hs_status build(const hs_identical *spec, const char *command, bool planted,
                       const double *time, hs_instance **out)
{
    hs_builder *b = NULL;
    hs_status   st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hs_builder_set_workers(b, spec->cpus, 0);
    if (st == HS_OK)
        st = hs_builder_add_note(b, "generator", command);
    if (st == HS_OK)
        st = write_tasks(b, spec, planted, time);
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

static void describe(const hs_identical *spec, int has_range, char *text, size_t size)
{
    char low[HSI_DECIMAL_MAX], high[HSI_DECIMAL_MAX], range[2 * HSI_DECIMAL_MAX + 16] = "";

    hsi_decimal_write(spec->low, low);
    hsi_decimal_write(spec->high, high);
    if (has_range)
        snprintf(range, sizeof range, " --cpu-range %s:%s", low, high);
    snprintf(text, size, "hsched-gen identical %s -n %zu -m %u%s -s %" PRIu64, spec->family,
             spec->tasks, spec->cpus, range, spec->seed);
}

/* Return the index of a family; FAMILIES: unknown. */
static size_t find_family(const char *name)
{
    size_t at = 0;

    while (at < FAMILIES && strcmp(families[at].name, name) != 0)
        at++;
    return at;
}

/* Copy `given` with the defaults of its family; *at is the index of the family. */
static hs_status resolve(hs_identical *spec, const hs_identical *given, size_t *at, hs_error *error)
{
    double scale;

    if (!given || !hsi_sized_copy_in(spec, sizeof *spec, given) || !spec->family)
        return hsi_error_set_status(error, HS_EINVAL);
    *at = find_family(spec->family);
    if (*at == FAMILIES)
        return hsi_error_set(error, HS_EINVAL, "there is no family '%s'", spec->family);
    if (spec->cpus == 0)
        return hsi_error_set(error, HS_EINVAL, "no CPU; expected at least one");
    if (spec->high == 0) {
        scale = families[*at].scaled ? (double)spec->tasks : 1;
        spec->low = families[*at].low * scale;
        spec->high = families[*at].high * scale;
    } else if (!hs_identical_has_range(*at)) {
        return hsi_error_set(error, HS_EINVAL, "family '%s' has no range; expected 0 and 0",
                             spec->family);
    }
    return hsi_check_task_count(spec->tasks, error);
}

hs_status hs_generate_identical(const hs_identical *given, hs_instance **out, hs_error *error)
{
    static hs_status (*const draw[])(const hs_identical *, hsi_random *, double *) = {
        draw_uniform, draw_ends, draw_normal, draw_planted, draw_degrees};
    hs_identical spec = {.struct_size = sizeof spec};
    hsi_random   random;
    double      *time;
    hs_status    st;
    size_t       at = 0;
    char         command[320];

    st = out ? resolve(&spec, given, &at, error) : hsi_error_set_status(error, HS_EINVAL);
    if (st != HS_OK)
        return st;
    describe(&spec, hs_identical_has_range(at), command, sizeof command);
    time = malloc((spec.tasks + 1) * sizeof *time);
    hsi_random_seed(&random, spec.seed, HS_CPU);
    st = time ? HS_OK : HS_ENOMEM;
    if (st == HS_OK && (spec.tasks > 0 || families[at].recipe == PLANTED))
        st = draw[families[at].recipe](&spec, &random, time);
    if (st == HS_OK)
        st = build(&spec, command, families[at].recipe == PLANTED, time, out);
    free(time);
    if (st == HS_EINVAL)
        return hsi_error_set(
            error, st,
            "family '%s' cannot draw %zu times for %u CPUs from %g to %g; expected "
            "a range of whole numbers that the family allows",
            spec.family, spec.tasks, spec.cpus, spec.low, spec.high);
    return hsi_error_set_status(error, st);
}
