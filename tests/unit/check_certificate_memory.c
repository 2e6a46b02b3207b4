/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Let each allocation fail once while a certificate is made: the result is HS_ENOMEM or a
 * certificate, without leaks. A certificate proves the value of its bound.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "failing_memory.h"

static void expect_good(bool good, const char *bound, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", bound, what);
    exit(EXIT_FAILURE);
}

/* Request for a certificate of a bound, or of a value proved by a search. */
typedef struct wanted {
    const hs_bound *bound; /* NULL: certify `value` */
    double          value;
} wanted;

static const char *name_of(const wanted *w)
{
    return w->bound ? hs_bound_name(w->bound) : "exact";
}

static hs_status make_certificate(const wanted *w, const hs_instance *in, hs_certificate **c)
{
    return w->bound ? hs_certificate_create(w->bound, in, NULL, c)
                    : hs_certificate_prove(in, "exact", w->value, NULL, c);
}

/* Make a certificate while allocation number `failed_allocation` fails. Return false if fewer
 * allocations were made. */
static bool try_failing(const wanted *w, const hs_instance *in, long failed_allocation)
{
    hs_certificate *c = NULL;
    long            before = memory_live_blocks();
    hs_status       st;
    bool            failed;

    memory_fail_after(failed_allocation, 0);
    st = make_certificate(w, in, &c);
    failed = memory_stop_failing() > 0;
    expect_good(st == HS_OK || (st == HS_ENOMEM && !c), name_of(w), hs_status_text(st));
    hs_certificate_free(c);
    expect_good(memory_live_blocks() == before, name_of(w), "not all memory was given back");
    return failed;
}

/* Assert that the certificate proves the value of its bound, up to rounding in the last bits. */
static void expect_value(const wanted *w, const hs_instance *in)
{
    hs_certificate *c = NULL;
    double          value = w->value, proved;

    expect_good(make_certificate(w, in, &c) == HS_OK, name_of(w), "failed");
    expect_good(!w->bound || hs_bound_compute(w->bound, in, NULL, &value) == HS_OK, name_of(w),
                "failed");
    proved = hs_certificate_proved_value(c);
    expect_good(proved <= value && proved >= value * (1 - 1e-12), name_of(w),
                "the certificate does not prove the bound");
    hs_certificate_free(c);
}

static void try_all(const wanted *w, const hs_instance *in)
{
    long which = 0;

    expect_value(w, in);
    while (try_failing(w, in, which))
        which++;
}

static double optimal_makespan(const hs_instance *in)
{
    hs_schedule *plan = NULL;
    hs_report    report;
    hs_settings  settings;

    hs_settings_init(&settings);
    settings.iterations = 20;
    settings.time_limit = 1e9;
    hs_report_init(&report);
    expect_good(hs_solve_reported(hs_algorithm_find("exact"), in, &settings, &plan, &report) ==
                        HS_OK &&
                    report.proved,
                "exact", "not proved");
    hs_schedule_free(plan);
    return report.bound;
}

/* Test certificates of the optimum and of all bounds; return the number of bounds with
 * certificates. */
static size_t try_instance(const hs_instance *in)
{
    wanted w = {NULL, optimal_makespan(in)};
    size_t certified = 0;

    try_all(&w, in);
    for (size_t i = 0; i < hs_bound_count(); i++) {
        w.bound = hs_bound_at(i);
        if (!hs_bound_supports_certificate(w.bound))
            continue;
        try_all(&w, in);
        certified++;
    }
    return certified;
}

/* Test an instance with few kinds of tasks: the proof has branches, and packings of settled
 * tasks. */
static void try_tiles(void)
{
    const hs_kernel_table *kernels = hs_kernel_table_find("k40m-960");
    hs_tiled spec = {sizeof spec, HS_CHOLESKY, 8, kernels->cpus, kernels->gpus, 0, 0, kernels, 0};
    hs_instance           *in = NULL;
    wanted                 w = {NULL, 0};

    expect_good(hs_generate_tiled(&spec, &in, NULL) == HS_OK, "tiles", "not made");
    w.value = optimal_makespan(in);
    try_all(&w, in);
    hs_instance_free(in);
}

/* Test a graph: a proof with cases, and the bounds based on edges. */
static void try_graph(void)
{
    static const char *const bounds[] = {"deadline", "paths", "work-paths"};
    hs_instance             *in = NULL;
    hs_shaped                spec;
    wanted                   w = {NULL, 0};

    hs_shaped_init(&spec);
    spec.shape = HS_LAYERED;
    spec.tasks = 12;
    spec.cpus = spec.gpus = 2;
    spec.seed = 1;
    expect_good(hs_generate_shaped(&spec, &in, NULL) == HS_OK, "graph", "not made");
    w.value = optimal_makespan(in);
    if (hs_bound_find("work-paths"))
        try_all(&w, in);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        w.bound = hs_bound_find(bounds[i]);
        if (w.bound)
            try_all(&w, in);
    }
    hs_instance_free(in);
}

/* Certify an instance before the edges of its graph are derived from data accesses. If memory for
 * the graph is short, the call must fail, not return a weaker certificate without edges. */
static void try_fresh_graphs(void)
{
    const hs_kernel_table *kernels = hs_kernel_table_find("k40m-960");
    hs_tiled spec = {sizeof spec, HS_CHOLESKY, 3, kernels->cpus, kernels->gpus, 0, 1, kernels, 0};
    wanted   w = {NULL, 0};
    bool     failed = true;

    for (long which = -1; failed; which++) {
        hs_instance    *in = NULL;
        hs_certificate *c = NULL;
        hs_status       st;

        expect_good(hs_generate_tiled(&spec, &in, NULL) == HS_OK, "data", "not made");
        if (which < 0) {
            w.value = optimal_makespan(in);
        } else {
            memory_fail_after(which, 0);
            st = make_certificate(&w, in, &c);
            failed = memory_stop_failing() > 0;
            expect_good(st == HS_OK ? hs_certificate_proved_value(c) >= w.value * (1 - 1e-12)
                                    : st == HS_ENOMEM && !c,
                        "data", "a weaker certificate");
        }
        hs_certificate_free(c);
        hs_instance_free(in);
    }
}

int main(void)
{
    const hs_gamma spec = {sizeof spec, 10, 3, 2, 15, 0.2, 1, 0.2, 1};
    hs_instance   *in = NULL;
    size_t         certified;

    if (hs_generate_gamma(&spec, &in, NULL) != HS_OK)
        return EXIT_FAILURE;
    certified = try_instance(in);
    hs_instance_free(in);
    try_tiles();
    try_graph();
    if (hs_bound_find("work-paths"))
        try_fresh_graphs();
    /* place-probes has no certificates */
    return certified + 1 == hs_bound_count() ? EXIT_SUCCESS : EXIT_FAILURE;
}
