/* SPDX-License-Identifier: BSD-3-Clause */

/* Every registered bound, compared with enumeration on thousands of small instances. */

#include <check.h>
#include <hybridsched/hybridsched.h>
#include <math.h>
#include <string.h>

#include "support/random.h"

#include "suite.h"

enum { ROWS = 6, COPIES = 8, WORKERS = 6, INSTANCES = 700 };

typedef struct small {
    size_t   rows, tasks;
    unsigned cpus, gpus;
    double   cpu[ROWS], gpu[ROWS];
    uint32_t count[ROWS];
    size_t   row_of[COPIES]; /* of a task */
} small;

static hsi_random source;

static double draw_unit(void)
{
    return hsi_random_unit(&source);
}

static unsigned draw_below(unsigned bound)
{
    return (unsigned)(draw_unit() * bound);
}

/* Draw times of a kind: ties, small integers, decimals, wide ranges, powers of two. */
static double draw_time(int kind)
{
    switch (kind) {
    case 0:
        return 1 + draw_below(3);
    case 1:
        return 1 + draw_below(50);
    case 2:
        return (1 + draw_below(100000)) * 1e-3;
    case 3:
        return 0.01 + 15 * draw_unit();
    case 4:
        return ldexp(1 + draw_unit(), (int)draw_below(60) - 30);
    case 5:
        return ldexp(1 + draw_unit(), (int)draw_below(960) - 480);
    default:
        return ldexp(1 + draw_below(7), (int)draw_below(8) - 900);
    }
}

static small draw_small(int kind)
{
    small  s = {.rows = 0};
    size_t i;

    s.rows = 1 + draw_below(ROWS);
    do {
        s.cpus = draw_below(4);
        s.gpus = draw_below(4);
    } while (s.cpus + s.gpus == 0);
    for (i = 0; i < s.rows; i++) {
        uint32_t copies = 1 + (draw_unit() < 0.2 ? draw_below(3) : 0);

        s.cpu[i] = draw_time(kind);
        s.gpu[i] = draw_time(kind);
        if (s.cpus && s.gpus && draw_unit() < 0.15)
            *(draw_unit() < 0.5 ? &s.cpu[i] : &s.gpu[i]) = INFINITY;
        if (s.tasks + copies > COPIES)
            copies = 1;
        for (s.count[i] = 0; s.count[i] < copies && s.tasks < COPIES; s.count[i]++)
            s.row_of[s.tasks++] = i;
    }
    while (s.rows && s.count[s.rows - 1] == 0)
        s.rows--;
    return s;
}

static hs_instance *make_instance(const small *s)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    size_t       i;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, s->cpus, s->gpus), HS_OK);
    for (i = 0; i < s->rows; i++) {
        hs_task task = {.struct_size = sizeof task,
                        .cpu = s->cpu[i], .gpu = s->gpu[i], .count = s->count[i]};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void assign_from(const small *s, size_t task, long double *load, long double *best)
{
    long double makespan = 0;
    unsigned    w, before;

    for (w = 0; w < s->cpus + s->gpus; w++)
        makespan = fmaxl(makespan, load[w]);
    if (makespan >= *best)
        return;
    if (task == s->tasks) {
        *best = makespan;
        return;
    }
    for (w = 0; w < s->cpus + s->gpus; w++) {
        size_t      row = s->row_of[task];
        long double old = load[w];

        for (before = w < s->cpus ? 0 : s->cpus; before < w; before++)
            if (!(load[before] < old || load[before] > old))
                break;
        if (before < w || isinf(w < s->cpus ? s->cpu[row] : s->gpu[row]))
            continue;
        load[w] += w < s->cpus ? s->cpu[row] : s->gpu[row];
        assign_from(s, task + 1, load, best);
        load[w] = old;
    }
}

static long double least_makespan(const small *s)
{
    long double load[WORKERS] = {0}, best = INFINITY;

    assign_from(s, 0, load, &best);
    return best;
}

static long double least_allocation(const small *s)
{
    long double best = INFINITY;
    unsigned    set;
    size_t      i;

    for (set = 0; set < 1u << s->tasks; set++) {
        long double cpu = 0, gpu = 0, longest = 0;

        for (i = 0; i < s->tasks; i++) {
            double time = set >> i & 1 ? s->cpu[s->row_of[i]] : s->gpu[s->row_of[i]];

            *(set >> i & 1 ? &cpu : &gpu) += time;
            longest = fmaxl(longest, time);
        }
        if ((cpu > 0 && !s->cpus) || (gpu > 0 && !s->gpus))
            continue;
        if (s->cpus)
            longest = fmaxl(longest, cpu / s->cpus);
        if (s->gpus)
            longest = fmaxl(longest, gpu / s->gpus);
        best = fminl(best, longest);
    }
    return best;
}

static double bound_of(const char *name, const hs_instance *in)
{
    const hs_bound *bound = hs_bound_find(name);
    double          value = -1;

    if (!bound)
        return NAN;
    ck_assert_msg(hs_bound_compute(bound, in, NULL, &value) == HS_OK, "%s failed", name);
    return value;
}

/* Relative tolerance, a little above the rounding error of long double. */
static const long double ROUNDING = 1 + 0x1p-58L;

START_TEST(no_bound_exceeds_the_optimum)
{
    int i;

    hsi_random_seed(&source, 1 + (uint64_t)_i, 0);
    for (i = 0; i < INSTANCES; i++) {
        small        s = draw_small(_i);
        hs_instance *in = make_instance(&s);
        long double  optimum = least_makespan(&s);
        size_t       b;

        for (b = 0; b < hs_bound_count(); b++) {
            double value = bound_of(hs_bound_name(hs_bound_at(b)), in);

            ck_assert_msg(value <= optimum * ROUNDING, "%s: %.17g > %.20Lg, kind %d, instance %d",
                          hs_bound_name(hs_bound_at(b)), value, optimum, _i, i);
        }
        hs_instance_free(in);
    }
}
END_TEST

START_TEST(some_bounds_dominate_others)
{
    int i;

    hsi_random_seed(&source, 101 + (uint64_t)_i, 0);
    for (i = 0; i < INSTANCES; i++) {
        small        s = draw_small(_i);
        hs_instance *in = make_instance(&s);
        double       deadline = bound_of("deadline", in), theorem2 = bound_of("theorem2", in);

        ck_assert_double_ge(deadline, theorem2);
        ck_assert_double_ge(deadline, bound_of("min-time", in));
        ck_assert_double_eq(bound_of("area", in), theorem2);
        if (hs_bound_find("mip")) {
            ck_assert_double_ge(bound_of("allocation", in), deadline);
            ck_assert_double_ge(bound_of("mip", in), deadline);
        }
        hs_instance_free(in);
    }
}
END_TEST

/* Compare the bounds computed by mixed-integer programs with the enumerated optima of small
 * instances. */
START_TEST(mips_equal_enumeration)
{
    int i;

    if (!hs_bound_find("mip"))
        return;
    hsi_random_seed(&source, 201 + (uint64_t)_i, 0);
    for (i = 0; i < INSTANCES; i++) {
        small        s = draw_small(_i);
        hs_instance *in = make_instance(&s);
        long double  optimum = least_makespan(&s), allocation = least_allocation(&s);
        double       mip = bound_of("mip", in), found = bound_of("allocation", in);

        ck_assert(found <= allocation * ROUNDING && mip <= optimum * ROUNDING);
        ck_assert_msg(found >= allocation * (1 - 2e-9L) && mip >= optimum * (1 - 2e-9L),
                      "kind %d, instance %d: %.17g of %.20Lg, %.17g of %.20Lg", _i, i, found,
                      allocation, mip, optimum);
        if (_i < 2)
            ck_assert(mip == (double)optimum); /* for whole times the proved bound is exact */
        hs_instance_free(in);
    }
}
END_TEST

int main(void)
{
    enum { KINDS = 7 };
    Suite *suite = suite_create("bounds");
    TCase *tc = tcase_create("enumeration");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, no_bound_exceeds_the_optimum, 0, KINDS);
    tcase_add_loop_test(tc, some_bounds_dominate_others, 0, KINDS);
    tcase_add_loop_test(tc, mips_equal_enumeration, 0, KINDS);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
