/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "suite.h"

static const char *const family_names[SAMPLE_FAMILIES] = {
    "ties",    "small", "equal ratios", "identical", "plateau", "kernels",
    "uniform", "gamma", "wide",         "tenths",    "vast",    "least",
};

/* Draw from the exponential distribution with mean 1. */
static double draw_exponential(dice *d)
{
    return -log(dice_unit(d));
}

/* Draw from the gamma distribution with mean 1 and variation 1/5: a sum of 25 exponentials. */
static double draw_steady(dice *d)
{
    double sum = 0;
    int    i;

    for (i = 0; i < 25; i++)
        sum += draw_exponential(d);
    return sum / 25;
}

static double draw_power_of_ten(dice *d, double low, double high)
{
    return pow(10, low + dice_unit(d) * (high - low));
}

static void draw_equal_ratio(dice *d, double *p, double *q)
{
    static const unsigned ratios[][2] = {{1, 1}, {3, 1}, {1, 3}, {5, 2}, {2, 7}, {6, 2}};
    unsigned              ratio = dice_below(d, 6), size = dice_between(d, 1, 5);

    *p = ratios[ratio][0] * size;
    *q = ratios[ratio][1] * size;
}

static void draw_kernel(dice *d, double *p, double *q)
{
    static const double kernels[][2] = {
        {11.1, 12.0}, {92.1, 1.69}, {58.3, 5.4}, {57.7, 1.69}, {0.1, 0.3}, {0.3, 0.1}};
    unsigned kernel = dice_below(d, 6);

    *p = kernels[kernel][0];
    *q = kernels[kernel][1];
}

static double draw_tiny_time(dice *d)
{
    int exponent = -1074 + (int)dice_below(d, 60); /* the exponent is drawn in a statement of its
                                                      own, because compilers evaluate arguments
                                                      in any order */

    return ldexp((double)dice_between(d, 1, 1000), exponent);
}

static void draw_times(sample_family family, dice *d, double *p, double *q)
{
    switch (family) {
    case SAMPLE_TIES:
        *p = dice_between(d, 1, 4);
        *q = dice_between(d, 1, 4);
        break;
    case SAMPLE_EQUAL_RATIOS:
        draw_equal_ratio(d, p, q);
        break;
    case SAMPLE_PLATEAU:
    case SAMPLE_TENTHS:
        *p = dice_below(d, 3) ? 12 : dice_between(d, 1, 12);
        *q = dice_between(d, 1, 11);
        *p *= family == SAMPLE_TENTHS ? 0.1 : 1;
        *q *= family == SAMPLE_TENTHS ? 0.1 : 1;
        break;
    case SAMPLE_KERNELS:
        draw_kernel(d, p, q);
        break;
    case SAMPLE_UNIFORM:
        *p = 0.5 + dice_unit(d);
        *q = 0.5 + dice_unit(d);
        break;
    case SAMPLE_GAMMA:
        *p = 15 * draw_steady(d);
        *q = draw_exponential(d);
        break;
    case SAMPLE_WIDE:
        *p = draw_power_of_ten(d, -9, 9);
        *q = draw_power_of_ten(d, -9, 9);
        break;
    case SAMPLE_VAST:
        *p = draw_power_of_ten(d, -150, 150);
        *q = draw_power_of_ten(d, -150, 150);
        break;
    case SAMPLE_LEAST:
        *p = draw_tiny_time(d);
        *q = draw_tiny_time(d);
        break;
    default:
        *p = dice_between(d, 1, 30);
        *q = dice_between(d, 1, 30);
    }
}

static int64_t draw_priority(dice *d)
{
    unsigned choice = dice_below(d, 12);

    return choice == 0 ? INT64_MIN : choice == 1 ? INT64_MAX : (int64_t)dice_below(d, 5) - 2;
}

/* Set random times to infinity, on CPUs, on GPUs or on both types. Each task keeps a finite time on
 * a type; a type without workers may lack any task. */
static void make_infinite(sample *s, dice *d)
{
    unsigned sides = dice_between(d, 1, 3), rarity = dice_between(d, 1, 5);
    size_t   i;

    for (i = 0; i < s->n; i++) {
        bool on_cpu = (sides & 1) && (!(sides & 2) || dice_below(d, 2));

        if (dice_below(d, rarity + 1) || (on_cpu ? s->k : s->m) == 0)
            continue;
        (on_cpu ? s->cpu : s->gpu)[i] = INFINITY;
        s->has_infinite = true;
    }
}

static double *allocate_times(size_t n)
{
    double *at = malloc((n + 1) * sizeof *at);

    if (!at)
        ck_abort_msg("out of memory");
    return at;
}

static void draw_all_times(sample *s, sample_family family, dice *d)
{
    bool   prioritised = family == SAMPLE_EQUAL_RATIOS || dice_below(d, 3) == 0;
    bool   swapped = dice_below(d, 2) && family != SAMPLE_GAMMA;
    size_t i;

    for (i = 0; i < s->n; i++) {
        if (family == SAMPLE_IDENTICAL && i > 0 && dice_below(d, 16)) {
            s->cpu[i] = s->cpu[0];
            s->gpu[i] = s->gpu[0];
        } else {
            draw_times(family, d, swapped ? &s->gpu[i] : &s->cpu[i],
                       swapped ? &s->cpu[i] : &s->gpu[i]);
        }
        s->priority[i] = prioritised ? draw_priority(d) : 0;
    }
}

void sample_make_family(sample *s, sample_family family, uint64_t seed, size_t tasks, unsigned cpus,
                        unsigned gpus, int with_infinite)
{
    dice      d = {seed ^ UINT64_C(0x5851f42d4c957f2d)};
    hs_status st;
    size_t    i;

    memset(s, 0, sizeof *s);
    s->family = family_names[family];
    s->whole = family <= SAMPLE_PLATEAU;
    s->seed = seed;
    s->n = tasks;
    s->m = cpus;
    s->k = gpus;
    s->cpu = allocate_times(tasks);
    s->gpu = allocate_times(tasks);
    s->p = allocate_times(tasks);
    s->q = allocate_times(tasks);
    s->priority = malloc((tasks + 1) * sizeof *s->priority);
    REQUIRE(s, s->priority, "out of memory");
    draw_all_times(s, family, &d);
    if (with_infinite)
        make_infinite(s, &d);
    for (i = 0; i < tasks; i++) {
        s->p[i] = cpus ? s->cpu[i] : INFINITY;
        s->q[i] = gpus ? s->gpu[i] : INFINITY;
    }
    st = hs_instance_wrap(tasks, s->cpu, s->gpu, s->priority, cpus, gpus, &s->in);
    REQUIRE(s, st == HS_OK, "hs_instance_wrap: %s", hs_status_text(st));
}

/* Draw commands and restartability. An explicit setting decides; else a task with a command is not
 * restartable. */
static void draw_restartable(dice *d, hs_task *task, unsigned char *restartable)
{
    static const char *const commands[] = {NULL, NULL, "", "./render --frame 7"};

    task->restartable = (hs_restartable)dice_below(d, 3);
    task->cpu_command = commands[dice_below(d, 4)];
    task->gpu_command = commands[dice_below(d, 4)];
    *restartable = task->restartable == HS_RESTART_YES ||
                   (task->restartable == HS_RESTART_DEFAULT &&
                    task->cpu_command != commands[3] && task->gpu_command != commands[3]);
}

void sample_make_some_not_restartable(sample *s)
{
    static const char *const kernels[] = {NULL, "a", "b"};

    dice        d = {s->seed + 2};
    hs_builder *builder = NULL;
    size_t      i;

    s->restartable = malloc(s->n + 1);
    REQUIRE(s, s->restartable, "out of memory");
    hs_instance_free(s->in);
    s->in = NULL;
    REQUIRE(s, hs_builder_create(&builder) == HS_OK, "hs_builder_create");
    REQUIRE(s, hs_builder_set_workers(builder, s->m, s->k) == HS_OK, "hs_builder_set_workers");
    for (i = 0; i < s->n; i++) {
        hs_task task = {.struct_size = sizeof task,
                        .cpu = s->cpu[i], .gpu = s->gpu[i], .priority = s->priority[i],
                        .kernel = kernels[i % 3]};

        draw_restartable(&d, &task, &s->restartable[i]);
        REQUIRE(s, hs_builder_add_row(builder, &task) == HS_OK, "hs_builder_add_row");
    }
    REQUIRE(s, hs_builder_finish(builder, &s->in, NULL) == HS_OK, "hs_builder_finish");
    hs_builder_free(builder);
}

static size_t draw_size(dice *d, size_t most)
{
    unsigned choice = dice_below(d, 16);

    if (choice < 2 || most < 2)
        return choice < most ? choice : most;
    if (choice < 5)
        return dice_between(d, 1, most < 5 ? (unsigned)most : 5);
    return dice_between(d, 1, (unsigned)most);
}

void sample_make(sample *s, uint64_t seed, size_t most_tasks, unsigned most_workers)
{
    dice          d = {seed};
    sample_family family = (sample_family)dice_below(&d, SAMPLE_FAMILIES);
    size_t        tasks = draw_size(&d, most_tasks);
    unsigned      cpus, gpus;

    do {
        cpus = dice_below(&d, most_workers + 1);
        gpus = dice_below(&d, most_workers + 1);
    } while (cpus + gpus == 0 || (cpus * gpus == 0 && dice_below(&d, 2)));
    sample_make_family(s, family, seed, tasks, cpus, gpus, dice_below(&d, 3) == 0);
}

void sample_free(sample *s)
{
    hs_instance_free(s->in);
    free(s->cpu);
    free(s->gpu);
    free(s->p);
    free(s->q);
    free(s->priority);
    free(s->restartable);
    memset(s, 0, sizeof *s);
}

void sample_draw_settings(const sample *s, hs_settings *settings, hs_affinity *room)
{
    static const double alphas[] = {0, 0.125, 0.3, 0.5, 1};
    dice                d = {s->seed + 1};
    uint32_t            i;

    hs_settings_init(settings);
    if (dice_below(&d, 2))
        return;
    settings->parameters.alpha = alphas[dice_below(&d, 5)];
    settings->affinities = room;
    for (i = (uint32_t)s->n; i > 0; i--) /* list affinities in an order unlike the order in which
                                            they are granted */
        if (dice_below(&d, 4))
            room[settings->affinity_count++] =
                (hs_affinity){i - 1, dice_below(&d, s->m + s->k), dice_below(&d, 4)};
}

size_t rounds_scaled(size_t usual)
{
    const char *percent = getenv("HS_TEST_ROUNDS");
    size_t      rounds = percent ? usual * strtoul(percent, NULL, 10) / 100 : usual;

    return rounds ? rounds : 1;
}

void sample_fail(const sample *s, const char *format, ...)
{
    char    what[512], tasks[2048] = "";
    size_t  i, used = 0;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (i = 0; s->cpu && i < s->n && s->n <= 12; i++)
        used += (size_t)snprintf(tasks + used, sizeof tasks - used, " (%.17g, %.17g, %lld)",
                                 s->cpu[i], s->gpu[i], (long long)s->priority[i]);
    ck_abort_msg("%s\n  family %s, seed %llu: %zu tasks, %u CPUs, %u GPUs%s", what, s->family,
                 (unsigned long long)s->seed, s->n, s->m, s->k, tasks);
    abort();
}

bool algorithm_takes_seconds(const hs_algorithm *alg)
{
    const char *name = hs_algorithm_name(alg);

    return strcmp(name, "best") == 0 || strcmp(name, "exact") == 0;
}

static bool is_one_of(const hs_algorithm *alg, const char *const *names, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (strcmp(hs_algorithm_name(alg), names[i]) == 0)
            return true;
    return false;
}

bool algorithm_runs_policy(const hs_algorithm *alg)
{
    static const char *const names[] = {"hp-sp",   "hp-corrected", "dynamic",
                                        "h-ratio", "d-rank",       "dmda"};

    return is_one_of(alg, names, sizeof names / sizeof *names);
}

bool algorithm_depends_on_order(const hs_algorithm *alg)
{
    static const char *const names[] = {"mct", "cpu-only", "gpu-only", "random"};

    return algorithm_runs_policy(alg) || is_one_of(alg, names, sizeof names / sizeof *names);
}

bool algorithm_refuses_instance(const hs_instance *in, const hs_algorithm *alg)
{
    hs_type type = strcmp(hs_algorithm_name(alg), "gpu-only") == 0 ? HS_GPU : HS_CPU;
    bool    absent = type == HS_GPU ? !hs_instance_gpus(in) : !hs_instance_cpus(in);
    size_t  i;

    if (type == HS_CPU && strcmp(hs_algorithm_name(alg), "cpu-only") != 0)
        return false;
    for (i = 0; i < hs_instance_tasks(in); i++)
        if (absent || isinf(hs_instance_time(in, i, type)))
            return true;
    return false;
}

bool bound_takes_seconds(const hs_bound *bound)
{
    const char *name = hs_bound_name(bound);

    return strcmp(name, "allocation") == 0 || strcmp(name, "configuration") == 0 ||
           strcmp(name, "mip") == 0;
}
