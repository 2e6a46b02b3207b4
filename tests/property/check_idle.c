/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Idle times and their reasons, and the number of ready tasks: compared with a literal count of
 * every task between two consecutive events.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/idle.h"
#include "graph_sample.h"
#include "suite.h"

size_t rounds_scaled(size_t usual); /* declared here because the `sample` of sample.h is another
                                       type */

enum { MOMENTS_MOST = 8 * GRAPH_TASKS, WORKERS_MOST = 2 * GRAPH_WORKERS };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return the entry of the worker (or, if `task` is not NULL, of the task on any worker) that covers
 * the time; NULL: none. */
static const hs_entry *entry_at(const hs_schedule *shown, unsigned worker, const uint32_t *task,
                                double time)
{
    unsigned workers = hs_schedule_cpus(shown) + hs_schedule_gpus(shown), w;

    for (w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(shown, w, &count);

        for (size_t i = 0; i < count; i++)
            if (e[i].start <= time && time < e[i].end && (task ? e[i].task == *task : w == worker))
                return &e[i];
    }
    return NULL;
}

/* Return the end of the task's run: INFINITY if every entry was aborted, 0 if the task has no entry
 * (it was finished before). */
static double end_of(const hs_schedule *shown, uint32_t task, double *last_start)
{
    unsigned workers = hs_schedule_cpus(shown) + hs_schedule_gpus(shown), w;
    double   end = 0;

    *last_start = 0;
    for (w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(shown, w, &count);

        for (size_t i = 0; i < count; i++)
            if (e[i].task == task) {
                *last_start = fmax(*last_start, e[i].start);
                if (e[i].state == HS_RUN)
                    end = e[i].end;
                else if (end == 0)
                    end = INFINITY;
            }
    }
    return end;
}

static bool is_ready(const graph_sample *s, const hs_schedule *shown, uint32_t task, double time)
{
    double last_start, other;

    end_of(shown, task, &last_start);
    if (last_start <= time || entry_at(shown, 0, &task, time))
        return false;
    for (uint32_t f = 0; f < s->n; f++)
        if (s->edge[f][task] && end_of(shown, f, &other) > time)
            return false;
    return true;
}

static size_t list_moments(const hs_schedule *shown, double *moments)
{
    unsigned workers = hs_schedule_cpus(shown) + hs_schedule_gpus(shown), w;
    size_t   n = 1;

    moments[0] = 0;
    for (w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(shown, w, &count);

        for (size_t i = 0; i < count && n + 2 <= MOMENTS_MOST; i++) {
            moments[n++] = e[i].start;
            moments[n++] = e[i].end;
        }
    }
    qsort(moments, n, sizeof *moments, by_value);
    return n;
}

static void check_counts(const graph_sample *s, const hsi_ready_counts *b, const unsigned ready[3],
                         double time)
{
    size_t i = hsi_ready_counts_step_at(b, time);

    for (int kind = 0; kind < HSI_READY_KINDS; kind++)
        GRAPH_REQUIRE(s, b->ready[kind][i] == ready[kind], "at %g %u tasks are ready, not %u", time,
                      ready[kind], b->ready[kind][i]);
}

static void check_schedule(const graph_sample *s, const hs_schedule *shown)
{
    double      moments[MOMENTS_MOST];
    size_t      count = list_moments(shown, moments);
    unsigned    workers = s->m + s->k;
    hs_idle     want[WORKERS_MOST] = {{0, 0}}, got[WORKERS_MOST];
    hsi_ready_counts b;

    ck_assert_int_eq(hsi_ready_counts_open(&b, s->in, shown), HS_OK);
    for (size_t i = 0; i + 1 < count; i++) {
        double   length = moments[i + 1] - moments[i], middle = moments[i] + length / 2;
        unsigned ready[3] = {0, 0, 0};

        if (!(length > 0))
            continue;
        for (uint32_t t = 0; t < s->n; t++)
            if (is_ready(s, shown, t, middle)) {
                ready[HS_CPU] += isfinite(hs_instance_time(s->in, t, HS_CPU)) != 0;
                ready[HS_GPU] += isfinite(hs_instance_time(s->in, t, HS_GPU)) != 0;
                ready[2]++;
            }
        check_counts(s, &b, ready, middle);
        for (unsigned w = 0; w < workers; w++)
            if (!entry_at(shown, w, NULL, middle))
                *(ready[w < s->m ? HS_CPU : HS_GPU] ? &want[w].other : &want[w].no_task) += length;
    }
    hsi_ready_counts_close(&b);
    ck_assert_int_eq(hs_schedule_compute_idle(s->in, shown, got), HS_OK);
    for (unsigned w = 0; w < workers; w++)
        GRAPH_REQUIRE(s,
                      fabs(got[w].no_task - want[w].no_task) + fabs(got[w].other - want[w].other) <=
                          1e-9 * (1 + hs_schedule_makespan(shown)),
                      "worker %u: %g and %g, not %g and %g", w, want[w].no_task, want[w].other,
                      got[w].no_task, got[w].other);
}

/* Return the schedule without the entries of some tasks that have no predecessor. */
static hs_schedule *without_some(const graph_sample *s, const hs_schedule *shown)
{
    hs_placement list[MOMENTS_MOST];
    hs_schedule *rest = NULL;
    size_t       n = 0;

    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(shown, w, &count);

        for (size_t i = 0; i < count; i++) {
            int first = 1;

            for (size_t f = 0; f < s->n; f++)
                first &= !s->edge[f][e[i].task];
            if (!first || (s->seed + e[i].task) % 2)
                list[n++] = (hs_placement){e[i].start, e[i].end, e[i].task, w, e[i].state};
        }
    }
    ck_assert_int_eq(hs_schedule_build(s->m, s->k, n, list, &rest), HS_OK);
    return rest;
}

START_TEST(idle_time_is_divided_by_reason)
{
    static const char *const algorithms[] = {"heteroprio", "dualhp", "heft", "dynamic", "hp-sp"};
    size_t                   aborted = 0;

    for (uint64_t seed = 0; seed < rounds_scaled(2000); seed++) {
        graph_sample s;
        hs_schedule *shown = NULL, *rest;
        hs_metrics   m;

        graph_sample_make(&s, seed);
        ck_assert_int_eq(hs_solve(hs_algorithm_find(algorithms[seed % 5]), s.in, NULL, &shown),
                         HS_OK);
        check_schedule(&s, shown);
        rest = without_some(&s, shown);
        check_schedule(&s, rest);
        hs_schedule_compute_metrics(s.in, shown, &m);
        aborted += m.type[HS_CPU].aborted + m.type[HS_GPU].aborted;
        hs_schedule_free(rest);
        hs_schedule_free(shown);
        graph_sample_free(&s);
    }
    ck_assert_uint_gt(aborted, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("idle");
    TCase *cases = tcase_create("of small graphs");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, idle_time_is_divided_by_reason);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
