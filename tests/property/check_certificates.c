/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Certificates of every bound, verified by the checker's own code; and certificates
 * with something changed, the checksum made to fit: whatever the checker accepts then has
 * to be true all the same.
 */

#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "brute_force.h"
#include "check/certificate.h"
#include "dice.h"
#include "graph_brute_force.h"
#include "graph_sample.h"
#include "suite.h"

static char path[32];
static int  file = -1, messages = -1, nowhere = -1;

static void open_files(void)
{
    file = memfd_create("certificate", 0); /* no disk could be written to so often */
    messages = dup(STDERR_FILENO);
    nowhere = open("/dev/null", O_WRONLY);
    ck_assert(file >= 0 && messages >= 0 && nowhere >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
}

static void close_files(void)
{
    close(file);
    close(messages);
    close(nowhere);
}

/* The checker's exit code for what the file holds. */
static int verify(const sample *s, const hs_schedule *plan, int quiet)
{
    hs_plan_info info;
    int          code;

    hs_plan_info_init(&info);
    if (quiet)
        dup2(nowhere, STDERR_FILENO);
    code = check_certificate(path, s->in, plan, &info, 0);
    dup2(messages, STDERR_FILENO);
    return code;
}

static void write_certificate(const sample *s, const hs_certificate *c)
{
    REQUIRE(s, ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0, "no file");
    REQUIRE(s, hs_certificate_write(file, c) == HS_OK, "not written");
}

static void check_made(const sample *s, const hs_schedule *plan, const hs_certificate *c)
{
    const char *name = hs_certificate_bound(c);

    REQUIRE(s, hs_certificate_value(c) <= hs_certificate_computed(c), "%s: proved too much", name);
    write_certificate(s, c);
    REQUIRE(s, verify(s, plan, 0) == 0, "%s: %.17g is not verified", name, hs_certificate_value(c));
}

/* Each bound is certified as it is computed, but for the last bits. */
static void check_bound(const sample *s, const hs_schedule *plan, const hs_bound *bound)
{
    hs_certificate *c = NULL;
    double          proved, computed;

    REQUIRE(s, hs_certificate_create(bound, s->in, NULL, &c) == HS_OK, "%s", hs_bound_name(bound));
    check_made(s, plan, c);
    proved = hs_certificate_value(c);
    computed = hs_certificate_computed(c);
    REQUIRE(s, proved >= computed * (1 - 1e-12) - 4 * 0x1p-1074, "%s: %.17g of %.17g is proved",
            hs_bound_name(bound), proved, computed);
    hs_certificate_free(c);
}

/* The optimum, which is proved; and more than that, which is not. */
static void check_value(const sample *s, const hs_schedule *plan, const optimum *best)
{
    static const double factors[] = {1, 1 + 1e-9, 1.1, 1 - 1e-9, 0.5};
    size_t              i;

    for (i = 0; i < sizeof factors / sizeof *factors; i++) {
        hs_certificate *c = NULL;
        double          value = best->makespan * factors[i], proved;

        if (exact_compare_double(&best->value, value) < 0 && i == 0)
            value = nextafter(value, 0);
        REQUIRE(s, hs_certificate_prove(s->in, "test", value, NULL, &c) == HS_OK, "no certificate");
        check_made(s, plan, c);
        proved = hs_certificate_value(c);
        REQUIRE(s, exact_compare_double(&best->value, proved) >= 0, "%.17g is proved", proved);
        REQUIRE(s, factors[i] > 1 || proved >= value * (1 - 1e-12) - 4 * 0x1p-1074,
                "%.17g of %.17g is proved", proved, value);
        hs_certificate_free(c);
    }
}

static hs_schedule *schedule_of(const sample *s)
{
    hs_schedule *plan = NULL;

    REQUIRE(s, hs_solve(hs_algorithm_find("heteroprio"), s->in, NULL, &plan) == HS_OK, "no plan");
    return plan;
}

START_TEST(certificates_are_verified)
{
    size_t rounds = sample_rounds(400), i, b;

    for (i = 0; i < rounds; i++) {
        sample       s;
        optimum      best;
        hs_schedule *plan;

        sample_make(&s, 8000000 + i, 7, 3);
        brute_force(&s, &best);
        plan = schedule_of(&s);
        for (b = 0; b < hs_bound_count(); b++)
            check_bound(&s, plan, hs_bound_at(b));
        check_value(&s, plan, &best);
        hs_schedule_free(plan);
        sample_free(&s);
    }
}
END_TEST

typedef struct text {
    char   at[1 << 20];
    size_t size;
} text;

static void read_text(const sample *s, text *t)
{
    ssize_t got = pread(file, t->at, sizeof t->at - 1, 0);

    REQUIRE(s, got > 0 && (size_t)got < sizeof t->at - 1, "too large");
    t->size = (size_t)got;
    t->at[t->size] = 0;
}

/* With a checksum that fits. */
static void write_text(const sample *s, const text *t)
{
    const char *last = strstr(t->at, "\nchecksum,");
    size_t      size = last ? (size_t)(last + 1 - t->at) : t->size, i;
    uint64_t    sum = UINT64_C(0xcbf29ce484222325);
    char        line[48];

    for (i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)t->at[i]) * UINT64_C(0x100000001b3);
    snprintf(line, sizeof line, "checksum,%016llx\n", (unsigned long long)sum);
    REQUIRE(s, ftruncate(file, 0) == 0, "no file");
    REQUIRE(s,
            pwrite(file, t->at, size, 0) == (ssize_t)size &&
                pwrite(file, line, strlen(line), (off_t)size) == (ssize_t)strlen(line),
            "not written");
}

static size_t line_at(const text *t, size_t at)
{
    while (at > 0 && t->at[at - 1] != '\n')
        at--;
    return at;
}

static size_t next_line(const text *t, size_t at)
{
    while (at < t->size && t->at[at] != '\n')
        at++;
    return at < t->size ? at + 1 : at;
}

static void remove_part(text *t, size_t from, size_t to)
{
    memmove(t->at + from, t->at + to, t->size - to + 1);
    t->size -= to - from;
}

static void insert_part(text *t, size_t at, const char *part, size_t size)
{
    if (t->size + size + 1 > sizeof t->at)
        return;
    memmove(t->at + at + size, t->at + at, t->size - at + 1);
    memcpy(t->at + at, part, size);
    t->size += size;
}

static void change_digit(text *t, dice *d)
{
    size_t at = dice_below(d, (unsigned)t->size), tries;

    for (tries = 0; tries < t->size; tries++, at = (at + 1) % t->size)
        if (t->at[at] >= '0' && t->at[at] <= '9') {
            t->at[at] = (char)('0' + dice_below(d, 10));
            return;
        }
}

static double claimed(const text *t)
{
    const char *line = strstr(t->at, "\nvalue,");

    return line ? strtod(line + 7, NULL) : NAN;
}

/* Claims more than is proved, in both forms of the value. */
static void raise_value(text *t, dice *d)
{
    const char *line = strstr(t->at, "\nvalue,");
    double      value = claimed(t);
    char        raised[128], decimal[32];
    int         exponent;
    long long   mantissa;
    size_t      at;

    if (!line || !(value > 0) || !(value < 1e300))
        return;
    at = (size_t)(line + 1 - t->at);
    value = dice_below(d, 4) ? value * (1 + ldexp(1, -(int)dice_below(d, 50)))
                             : nextafter(value, INFINITY);
    if (dice_below(d, 3) == 0)
        value = ceil(value);
    mantissa = (long long)ldexp(frexp(value, &exponent), 53);
    exponent -= 53;
    for (; mantissa % 2 == 0; mantissa /= 2)
        exponent++;
    hs_format_double(value, decimal);
    snprintf(raised, sizeof raised, "value,%s,%lld*2^%d\n", decimal, mantissa, exponent);
    remove_part(t, at, next_line(t, at));
    insert_part(t, at, raised, strlen(raised));
}

static void change_text(text *t, dice *d)
{
    size_t at = line_at(t, dice_below(d, (unsigned)t->size)), end = next_line(t, at);
    char   copy[256];
    size_t size = end - at < sizeof copy ? end - at : sizeof copy;

    switch (dice_below(d, 10)) {
    case 0:
        remove_part(t, at, end);
        break;
    case 1:
        memcpy(copy, t->at + at, size);
        insert_part(t, line_at(t, dice_below(d, (unsigned)t->size)), copy, size);
        break;
    case 2:
        t->at[dice_below(d, (unsigned)t->size)] = (char)(1 + dice_below(d, 255));
        break;
    case 3:
        remove_part(t, dice_below(d, (unsigned)t->size), t->size);
        break;
    case 4:
        insert_part(t, at, dice_below(d, 2) ? "packing,cpu\n" : "packing,gpu\n", 12);
        break;
    case 5:
    case 6:
    case 7:
        raise_value(t, d);
        break;
    default:
        change_digit(t, d);
    }
}

/* Nobody is to be made believe what is not true. */
static void check_changed(const sample *s, const hs_schedule *plan, const text *good,
                          const optimum *best, dice *d)
{
    static text changed;
    unsigned    times = dice_between(d, 1, 2);
    int         code;

    memcpy(changed.at, good->at, good->size + 1);
    changed.size = good->size;
    for (; times > 0 && changed.size > 1; times--)
        change_text(&changed, d);
    write_text(s, &changed);
    code = verify(s, plan, 1);
    REQUIRE(s, code >= 0 && code <= 3, "exit code %d", code);
    REQUIRE(s, code != 0 || exact_compare_double(&best->value, claimed(&changed)) >= 0,
            "accepted, but no optimum is that large:\n%s", changed.at);
}

START_TEST(what_is_accepted_is_true)
{
    static text good;
    size_t      rounds = sample_rounds(60), i, b, change;

    for (i = 0; i < rounds; i++) {
        sample       s;
        optimum      best;
        hs_schedule *plan;
        dice         d = {8500000 + i};

        sample_make(&s, 8500000 + i, 6, 3);
        brute_force(&s, &best);
        plan = schedule_of(&s);
        for (b = 0; b <= hs_bound_count(); b++) {
            hs_certificate *c = NULL;
            hs_status       st = b < hs_bound_count()
                                     ? hs_certificate_create(hs_bound_at(b), s.in, NULL, &c)
                                     : hs_certificate_prove(s.in, "test", best.makespan, NULL, &c);

            REQUIRE(&s, st == HS_OK, "no certificate");
            write_certificate(&s, c);
            hs_certificate_free(c);
            read_text(&s, &good);
            for (change = 0; change < 60; change++)
                check_changed(&s, plan, &good, &best, &d);
        }
        hs_schedule_free(plan);
        sample_free(&s);
    }
}
END_TEST

/* Rows alike in both times are one kind, with the tasks of all; every kind is looked at. */
START_TEST(rows_of_several_tasks_are_counted)
{
    static const double times[][2] = {{1, 2}, {3, 1}, {3, 1}, {3, 2}};
    static const char  *lines[] = {"\ntask,1,2", "\ntask,3,1", "\ntask,3,2"};
    static text         good, bad;
    sample              s = {.family = "counts"};
    hs_builder         *b = NULL;
    hs_schedule        *plan;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_workers(b, 2, 1), HS_OK);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        hs_task row;

        hs_task_init(&row);
        row.cpu = times[i][0];
        row.gpu = times[i][1];
        row.count = 3 + (uint32_t)i;
        ck_assert_int_eq(hs_builder_add(b, &row), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &s.in, NULL), HS_OK);
    hs_builder_free(b);
    plan = schedule_of(&s);
    for (size_t i = 0; i < hs_bound_count(); i++)
        check_bound(&s, plan, hs_bound_at(i));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hs_certificate *c = NULL;
        char           *line;

        ck_assert_int_eq(hs_certificate_prove(s.in, "test", 8, NULL, &c), HS_OK);
        check_made(&s, plan, c);
        hs_certificate_free(c);
        read_text(&s, &good);
        for (size_t digit = 6; digit <= 8; digit += 2) {
            memcpy(bad.at, good.at, good.size + 1);
            bad.size = good.size;
            line = strstr(bad.at, lines[i]);
            ck_assert_ptr_nonnull(line);
            line[digit] = '7';
            write_text(&s, &bad);
            ck_assert_int_ne(verify(&s, plan, 1), 0);
        }
    }
    hs_schedule_free(plan);
    hs_instance_free(s.in);
}
END_TEST

/* One task after the other, each where it is faster. */
static hs_schedule *schedule_of_graph(const graph_sample *g)
{
    hs_placement placement[GRAPH_TASKS] = {{0}};
    hs_schedule *plan = NULL;
    double       now = 0;

    for (size_t place = 0; place < g->n; place++)
        for (size_t t = 0; t < g->n; t++) {
            int on_cpu = g->p[t] <= g->q[t];

            if (g->position[t] != place)
                continue;
            now += 1000; /* time for all transfers */
            placement[t] = (hs_placement){now, now + fmin(g->p[t], g->q[t]), (uint32_t)t,
                                          on_cpu ? 0 : g->m, HS_RUN};
            now = placement[t].end;
        }
    GRAPH_REQUIRE(g, hs_schedule_build(g->m, g->k, g->n, placement, &plan) == HS_OK, "no plan");
    return plan;
}

/* Every bound of a graph is verified; and what is made of it is accepted only if it is true. */
START_TEST(graphs_have_certificates)
{
    static text good;
    size_t      rounds = sample_rounds(400);

    for (size_t i = 0; i < rounds; i++) {
        graph_sample g;
        hs_schedule *plan;
        dice         d = {8700000 + i};

        graph_sample_make(&g, 8700000 + i);
        sample  s = {.family = "graph", .seed = g.seed, .n = g.n, .m = g.m, .k = g.k, .in = g.in};
        optimum best = {0};

        if (g.n <= GRAPH_BRUTE_FORCE_TASKS)
            exact_add(&best.value, graph_brute_force(&g) * (1 + 1e-12));
        plan = schedule_of_graph(&g);
        for (size_t b = 0; b < hs_bound_count(); b++) {
            if (sample_bound_searches(hs_bound_at(b)))
                continue;
            check_bound(&s, plan, hs_bound_at(b));
            read_text(&s, &good);
            for (int change = 0; change < 40 && g.n <= GRAPH_BRUTE_FORCE_TASKS; change++)
                check_changed(&s, plan, &good, &best, &d);
        }
        hs_schedule_free(plan);
        graph_sample_free(&g);
    }
}
END_TEST

static const char *const steps[] = {"\nbranch,", "\nmultipliers,", "\nconfiguration,",
                                    "\npacking,"};

enum { STEPS = sizeof steps / sizeof *steps };

/* Proves the optimum, or a little less than what a good schedule takes; counts the lines. */
static void check_larger(const sample *s, const char *algorithm, text *t, dice *d,
                         size_t seen[STEPS])
{
    hs_settings     settings;
    hs_report       report;
    hs_schedule    *plan = NULL;
    hs_certificate *c = NULL;
    double          value;
    size_t          i;

    hs_settings_init(&settings);
    settings.iterations = 100;
    settings.time_limit = INFINITY;
    hs_report_init(&report);
    REQUIRE(s,
            hs_solve_reported(hs_algorithm_find(algorithm), s->in, &settings, &plan, &report) ==
                HS_OK,
            "no plan");
    value = report.proved ? report.bound : report.certified * (1 - 1e-4);
    settings.time_limit = 5;
    REQUIRE(s, hs_certificate_prove(s->in, "test", value, &settings, &c) == HS_OK,
            "no certificate");
    check_made(s, plan, c);
    read_text(s, t);
    for (i = 0; i < STEPS; i++)
        seen[i] += strstr(t->at, steps[i]) != NULL;
    for (i = 0; i < 20; i++) {
        optimum none = {.makespan = report.certified}; /* or a little less */

        exact_add(&none.value, report.certified);
        check_changed(s, plan, t, &none, d);
    }
    hs_certificate_free(c);
    hs_schedule_free(plan);
}

/* A factorisation, of few kinds of tasks. */
static void tiles(const sample *s, hs_instance **in)
{
    static const char *const tables[] = {"mirage-960", "k40m-960"};
    const hs_kernel_table   *kernels = hs_kernel_table_find(tables[s->seed % 2]);
    hs_tiled                 spec = {HS_CHOLESKY, 4 + (unsigned)s->seed / 2 % 7, 0, 0, 0, 0, kernels};

    REQUIRE(s, kernels, "no such table");
    spec.cpus = kernels->cpus;
    spec.gpus = kernels->gpus;
    REQUIRE(s, hs_generate_tiled(&spec, in, NULL) == HS_OK, "no instance");
}

START_TEST(larger_trees_are_verified)
{
    static text t;
    size_t      rounds = sample_rounds(40), seen[STEPS] = {0}, i;
    dice        d = {1};

    for (i = 0; i < rounds; i++) {
        sample   s = {.family = "gamma", .seed = i};
        hs_gamma gamma = {i % 2 ? 16 : 24 + i % 12, 4, 2, 15, 0.2, 1, i % 4 < 2 ? 0.2 : 1, i};

        REQUIRE(&s, hs_generate_gamma(&gamma, &s.in) == HS_OK, "no instance");
        check_larger(&s, i % 2 ? "exact" : "best", &t, &d, seen);
        hs_instance_free(s.in);
        s.family = "tiles";
        tiles(&s, &s.in);
        check_larger(&s, i % 2 ? "exact" : "best", &t, &d, seen);
        hs_instance_free(s.in);
    }
    for (i = 0; i < STEPS; i++)
        ck_assert_msg(rounds < 40 || seen[i] || !hs_bound_find("configuration"), "no line%s",
                      steps[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificates");
    TCase *cases = tcase_create("small instances");

    tcase_set_timeout(cases, 900);
    tcase_add_checked_fixture(cases, open_files, close_files);
    tcase_add_test(cases, certificates_are_verified);
    tcase_add_test(cases, what_is_accepted_is_true);
    tcase_add_test(cases, rows_of_several_tasks_are_counted);
    tcase_add_test(cases, larger_trees_are_verified);
    tcase_add_test(cases, graphs_have_certificates);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
