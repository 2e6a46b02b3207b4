/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Certificates of graphs, verified by the checker's own code: of every bound, by case distinction,
 * with random changes, and forged.
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certificate_text.h"
#include "graph_brute_force.h"
#include "graph_sample.h"
#include "suite.h"

/* Return a serial schedule: tasks in topological order, each on its faster type, with gaps for
 * transfers. */
static hs_schedule *schedule_of_graph(const graph_sample *g)
{
    hs_placement placement[GRAPH_TASKS] = {{0}};
    hs_schedule *plan = NULL;
    double       now = 0;

    for (size_t place = 0; place < g->n; place++)
        for (size_t t = 0; t < g->n; t++) {
            bool on_cpu = g->p[t] <= g->q[t];

            if (g->position[t] != place)
                continue;
            now += 1000; /* gap in time units that is longer than any transfer */
            placement[t] = (hs_placement){now, now + fmin(g->p[t], g->q[t]), (uint32_t)t,
                                          on_cpu ? 0 : g->m, HS_RUN};
            now = placement[t].end;
        }
    GRAPH_REQUIRE(g, hs_schedule_build(g->m, g->k, g->n, placement, &plan) == HS_OK, "no plan");
    return plan;
}

/* Append a path of random tasks with jumps between them. */
static void put_forged_way(const graph_sample *g, certificate_text *t, dice *d)
{
    size_t steps = dice_between(d, 1, 2 * (unsigned)g->n);
    bool   jumped = false;

    t->size += (size_t)sprintf(t->at + t->size, "path,1*2^0");
    for (size_t i = 0; i < steps; i++) {
        jumped = !jumped && dice_between(d, 0, 2) > 0;
        if (jumped)
            t->size += (size_t)sprintf(t->at + t->size, dice_between(d, 0, 1) ? ",cpu" : ",gpu");
        else
            t->size +=
                (size_t)sprintf(t->at + t->size, ",%u", dice_between(d, 0, (unsigned)g->n - 1));
    }
    t->size += (size_t)sprintf(t->at + t->size, "\n");
}

static const char *some_type(dice *d)
{
    return dice_below(d, 2) ? "cpu" : "gpu";
}

/* Append a row about the load of random tasks. */
static void put_forged_load(const graph_sample *g, certificate_text *t, dice *d, const char *name)
{
    unsigned first = dice_below(d, (unsigned)g->n);

    t->size += (size_t)sprintf(t->at + t->size, "%s,%u*2^0,%u*2^0", name, dice_below(d, 3),
                               dice_below(d, 3));
    for (unsigned task = 0; task < g->n; task++)
        if (task == first || dice_below(d, 2))
            t->size += (size_t)sprintf(t->at + t->size, ",%u", task);
    t->size += (size_t)sprintf(t->at + t->size, "\n");
}

/* Append random rows of windows, and a contradiction. */
static void put_forged_windows(const graph_sample *g, certificate_text *t, dice *d)
{
    unsigned last = (unsigned)g->n - 1;
    char     name[32];

    for (unsigned rows = dice_below(d, 30); rows > 0; rows--) {
        bool     side = dice_below(d, 2);
        unsigned a = dice_between(d, 0, last), b = dice_between(d, 0, last);

        if (dice_below(d, 5) == 0) {
            sprintf(name, "%s,%u", side ? "ancestors" : "descendants", a);
            put_forged_load(g, t, d, name);
        } else if (g->edge[a][b]) {
            t->size += (size_t)sprintf(t->at + t->size, "%s,%u,%s,%u\n", side ? "head" : "tail",
                                       side ? b : a, some_type(d), side ? a : b);
        }
    }
    if (dice_below(d, 2))
        t->size += (size_t)sprintf(t->at + t->size, "closed,%u\n", dice_between(d, 0, last));
    else
        put_forged_load(g, t, d, "window");
}

/* Append a random tree of cases: branches and leaves. */
static void put_forged_case(const graph_sample *g, certificate_text *t, dice *d, unsigned depth)
{
    unsigned last = (unsigned)g->n - 1, a = dice_between(d, 0, last), b = dice_between(d, 0, last);
    unsigned step = dice_between(d, depth < 4 ? 0 : 2, 4);

    if (step == 0)
        t->size += (size_t)sprintf(t->at + t->size, "type,%u\n", a);
    else if (step == 1)
        t->size += (size_t)sprintf(t->at + t->size, "order,%u,%u\n", a, b);
    else if (step == 2)
        t->size +=
            (size_t)sprintf(t->at + t->size, "crowd,%u,%u,%u\n", a, b, dice_between(d, 0, last));
    else if (step == 3)
        t->size +=
            (size_t)sprintf(t->at + t->size, "multipliers,1*2^0,1*2^%u\n", dice_between(d, 0, 2));
    else
        put_forged_windows(g, t, d);
    for (unsigned part = 0; step < 2 && part < 2 + step; part++)
        put_forged_case(g, t, d, depth + 1);
    if (step == 3)
        put_forged_way(g, t, d);
}

/* Check that a forged certificate of slightly more than the optimum is refused, for random paths,
 * windows and cases. */
static void check_forged(const graph_sample *g, const sample *s, const hs_schedule *plan,
                         double best, dice *d)
{
    static certificate_text forged;
    double                  value = 2 * ceil(best * 512 * 1.001) + 1; /* an odd numerator */
    enum { PATHS, TREE, WINDOWS } kind = dice_below(d, 3);
    static const char *const proof[] = {"graph\ncpu-multiplier,0,0*2^0\ngpu-multiplier,0,0*2^0",
                                        "graph-tree", "windows"};

    forged.size =
        (size_t)sprintf(forged.at,
                        "# hybridsched certificate 1\nbound,forged\n"
                        "value,%.17g,%.0f*2^-10\ninstance-digest,%016llx\nproof,%s\n",
                        value / 1024, value, (unsigned long long)hs_instance_digest(s->in),
                        proof[kind]);
    if (kind == TREE)
        put_forged_case(g, &forged, d, 0);
    if (kind == WINDOWS)
        put_forged_windows(g, &forged, d);
    for (unsigned ways = kind == PATHS ? dice_between(d, 1, 2) : 0; ways > 0; ways--)
        put_forged_way(g, &forged, d);
    forged.size += (size_t)sprintf(forged.at + forged.size, "checksum,0\n");
    certificate_text_write(s, &forged);
    GRAPH_REQUIRE(g, certificate_verify(s, plan, 1) == 1,
                  "accepted, but no optimum is that large:\n%s", forged.at);
}

/* Check that the optimum is proved by cases (unless transfers have times), that the checker accepts
 * the certificate, and that random changes are refused or true. */
static void check_cases(const graph_sample *g, const sample *s, const hs_schedule *plan,
                        const optimum *best, dice *d)
{
    static certificate_text good;
    double                  least = graph_brute_force(g);
    hs_certificate         *c = NULL;

    if (!hs_bound_find("work-paths") || !hs_instance_has_graph(s->in))
        return;
    GRAPH_REQUIRE(g, hs_certificate_prove(s->in, "test", least, NULL, &c) == HS_OK, "no proof");
    certificate_check_valid(s, plan, c);
    GRAPH_REQUIRE(g, g->links || hs_certificate_proved_value(c) >= least * (1 - 1e-8),
                  "%.17g of %.17g is proved", hs_certificate_proved_value(c), least);
    hs_certificate_free(c);
    certificate_text_read(s, &good);
    for (int change = 0; change < 60; change++)
        certificate_check_changed(s, plan, &good, best, d);
}

/* Check that bounds of a graph are certified, and that changed or forged certificates are
 * accepted only if they are true. */
START_TEST(only_true_certificates_are_accepted)
{
    static certificate_text good;
    size_t                  rounds = rounds_scaled(400);

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
            if (bound_takes_seconds(hs_bound_at(b)) ||
                !hs_bound_supports_certificate(hs_bound_at(b)))
                continue;
            certificate_check_bound(&s, plan, hs_bound_at(b));
            certificate_text_read(&s, &good);
            for (int change = 0; change < 40 && g.n <= GRAPH_BRUTE_FORCE_TASKS; change++)
                certificate_check_changed(&s, plan, &good, &best, &d);
        }
        if (g.n <= GRAPH_BRUTE_FORCE_TASKS)
            check_cases(&g, &s, plan, &best, &d);
        for (int way = 0; way < 40 && g.n <= GRAPH_BRUTE_FORCE_TASKS; way++)
            check_forged(&g, &s, plan, graph_brute_force(&g), &d);
        hs_schedule_free(plan);
        graph_sample_free(&g);
    }
}
END_TEST

/* A change of a text: the first `from` becomes `to`. */
typedef struct change {
    const char *from, *to;
} change;

/* Return a chain a, b, c on a CPU and a GPU, where b runs on the GPU only and its two edges carry 3
 * and 5 bytes of a unit of time each, and d, which a precedes. */
static hs_instance *chain_with_transfers(void)
{
    static const double cpu[] = {2, INFINITY, 2, 4}, gpu[] = {INFINITY, 1, INFINITY, INFINITY};
    hs_builder         *b = NULL;
    hs_instance        *in = NULL;
    hs_task             task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    hs_task_init(&task);
    for (size_t i = 0; i < 4; i++) {
        task.cpu = cpu[i];
        task.gpu = gpu[i];
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 3), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 1, 0, 5), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 3, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check that a proof of the optimum 2 + 3 + 1 + 5 + 2 needs each of its rows, and each of the rows'
 * entries. */
START_TEST(each_row_is_needed)
{
    static const char   rows[] = "head,1,gpu,0\nhead,2,cpu,1\nclosed,2\n";
    static const change changes[] = {
        {"closed", "closed"},   {"head,1,gpu,0\n", ""},      {"head,2,cpu,1\n", ""},
        {"closed,2", "closed,0"}, {"head,1,gpu", "head,1,cpu"}, {"head,2,cpu", "head,2,gpu"},
        {"cpu,1", "cpu,0"},     {"gpu,0", "gpu,2"},           {"head,2", "tail,2"},
        {"value,13,13*2^0", "value,13.5,27*2^-1"},            {"head,1,gpu,0", "head,3,cpu,0"},
        {"closed,2", "window,1*2^0,1*2^0,3"},                 {"closed,2", "closed,4"},
        {"head,1,gpu,0", "ancestors,1,1*2^0,0*2^0,0"}};
    static certificate_text t;
    const hs_placement      shortest[] = {{0, 2, 0, 0, HS_RUN}, {5, 6, 1, 1, HS_RUN},
                                         {11, 13, 2, 0, HS_RUN}, {2, 6, 3, 0, HS_RUN}};
    sample                  s = {.family = "chain", .in = chain_with_transfers()};
    hs_schedule            *plan = NULL;

    ck_assert_int_eq(hs_schedule_build(1, 1, 4, shortest, &plan), HS_OK);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *at, rest[512];

        t.size = (size_t)sprintf(t.at,
                                 "# hybridsched certificate 1\nbound,test\nvalue,13,13*2^0\n"
                                 "instance-digest,%016llx\nproof,windows\n%schecksum,0\n",
                                 (unsigned long long)hs_instance_digest(s.in), rows);
        at = strstr(t.at, changes[i].from);
        ck_assert_ptr_nonnull(at);
        snprintf(rest, sizeof rest, "%s", at + strlen(changes[i].from));
        t.size = (size_t)(at - t.at) + (size_t)sprintf(at, "%s%s", changes[i].to, rest);
        certificate_text_write(&s, &t);
        ck_assert_msg(certificate_verify(&s, plan, 1) == (i > 0), "change %zu", i);
    }
    hs_schedule_free(plan);
    hs_instance_free(s.in);
}
END_TEST

/* Check that rows are about edges and relatives, and that a load counts each task once. */
START_TEST(rows_keep_to_the_graph)
{
    static const struct {
        const char *rows, *value;
        int         code;
    } claims[] = {{"window,1*2^0,0*2^0,0,2,3\n", "8,1*2^3", 0},
                  {"window,1*2^0,0*2^0,0,2,3\n", "8.5,17*2^-1", 1},
                  {"window,1*2^0,0*2^0,0,2,3,3\n", "8.5,17*2^-1", 1},
                  {"window,0*2^0,0*2^0,0,2,3\n", "8,1*2^3", 1},
                  {"window,1*2^0,1*2^0,0,1,2,3\n", "8,1*2^3", 1},
                  {"head,3,cpu,0\nclosed,3\n", "6,3*2^1", 0},
                  {"head,3,cpu,2\nclosed,3\n", "6,3*2^1", 1},
                  {"descendants,0,1*2^0,0*2^0,2,3\nclosed,0\n", "8,1*2^3", 0},
                  {"ancestors,0,1*2^0,0*2^0,2,3\nclosed,0\n", "8,1*2^3", 1},
                  {"ancestors,2,1*2^0,0*2^0,0,3\nclosed,2\n", "8,1*2^3", 1},
                  {"descendants,0,1*2^0,0*2^0,0,2,3\nclosed,0\n", "9,9*2^0", 1}};
    static certificate_text t;
    const hs_placement      shortest[] = {{0, 2, 0, 0, HS_RUN}, {5, 6, 1, 1, HS_RUN},
                                         {11, 13, 2, 0, HS_RUN}, {2, 6, 3, 0, HS_RUN}};
    sample                  s = {.family = "chain", .in = chain_with_transfers()};
    hs_schedule            *plan = NULL;

    ck_assert_int_eq(hs_schedule_build(1, 1, 4, shortest, &plan), HS_OK);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        t.size = (size_t)sprintf(t.at,
                                 "# hybridsched certificate 1\nbound,test\nvalue,%s\n"
                                 "instance-digest,%016llx\nproof,windows\n%schecksum,0\n",
                                 claims[i].value, (unsigned long long)hs_instance_digest(s.in),
                                 claims[i].rows);
        certificate_text_write(&s, &t);
        ck_assert_msg(certificate_verify(&s, plan, 1) == claims[i].code, "claim %zu", i);
    }
    hs_schedule_free(plan);
    hs_instance_free(s.in);
}
END_TEST

/* Return a graph of two tasks for the GPU (or, if `cpu` is finite, for the CPU) and a third task
 * after both. */
static hs_instance *two_and_one(double cpu, unsigned gpus)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, gpus), HS_OK);
    hs_task_init(&task);
    task.gpu = 1;
    for (size_t i = 0; i < 3; i++) {
        task.cpu = i < 2 ? cpu : 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 1, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check that a crowd of two concurrent tasks is accepted as impossible only if both must share a
 * single GPU. */
START_TEST(crowds_need_a_common_type)
{
    static certificate_text t;
    const hs_placement      gpu_alone[] = {
             {0, 1, 0, 1, HS_RUN}, {1, 2, 1, 1, HS_RUN}, {2, 3, 2, 1, HS_RUN}};

    for (int other = 0; other < 3; other++) { /* 1: the tasks may run on the CPU; 2: the machine
                                                 has two GPUs */
        unsigned     gpus = other == 2 ? 2 : 1;
        sample       s = {.family = "crowd", .in = two_and_one(other == 1 ? 1 : INFINITY, gpus)};
        hs_schedule *plan = NULL;

        ck_assert_int_eq(hs_schedule_build(1, gpus, 3, gpu_alone, &plan), HS_OK);
        t.size = (size_t)sprintf(t.at,
                                 "# hybridsched certificate 1\nbound,test\nvalue,3,3*2^0\n"
                                 "instance-digest,%016llx\nproof,graph-tree\norder,0,1\n"
                                 "multipliers,0*2^0,0*2^0\npath,1*2^0,0,1,2\n"
                                 "multipliers,0*2^0,0*2^0\npath,1*2^0,1,0,2\n"
                                 "crowd,0,1\nchecksum,0\n",
                                 (unsigned long long)hs_instance_digest(s.in));
        certificate_text_write(&s, &t);
        ck_assert_int_eq(certificate_verify(&s, plan, 1), other > 0);
        hs_schedule_free(plan);
        hs_instance_free(s.in);
    }
}
END_TEST

/* Return two chains of three tasks each for two GPUs. */
static hs_instance *two_chains(void)
{
    static const double times[] = {1, 5, 1, 1, 3, 4};
    hs_builder         *b = NULL;
    hs_instance        *in = NULL;
    hs_task             task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 2), HS_OK);
    hs_task_init(&task);
    for (size_t i = 0; i < 6; i++) {
        task.gpu = times[i];
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        if (i % 3 > 0)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, i - 1, 0, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check the case in which the middle tasks of two chains overlap: the first task of a chain
 * precedes the last task of the other chain, but no other order follows. */
START_TEST(overlapping_tasks_have_no_order)
{
    static const struct {
        const char *way;
        unsigned    value;
        int         code;
    } claims[] = {{"0,5", 9, 1}, {"1,5", 9, 1}, {"0,1,5", 9, 1}, {"3,4,5", 8, 0}};
    static certificate_text t;
    const hs_placement      side_by_side[] = {{0, 1, 0, 1, HS_RUN}, {1, 6, 1, 1, HS_RUN},
                                              {6, 7, 2, 1, HS_RUN}, {0, 1, 3, 2, HS_RUN},
                                              {1, 4, 4, 2, HS_RUN}, {104, 108, 5, 2, HS_RUN}};
    sample                  s = {.family = "chains", .in = two_chains()};
    hs_schedule            *plan = NULL;

    ck_assert_int_eq(hs_schedule_build(1, 2, 6, side_by_side, &plan), HS_OK);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        t.size = (size_t)sprintf(t.at,
                                 "# hybridsched certificate 1\nbound,test\nvalue,%u,%s\n"
                                 "instance-digest,%016llx\nproof,graph-tree\norder,1,4\n"
                                 "multipliers,0*2^0,0*2^0\npath,1*2^0,0,1,4,5\n"
                                 "multipliers,0*2^0,0*2^0\npath,1*2^0,3,4,1,2\n"
                                 "multipliers,0*2^0,0*2^0\npath,1*2^0,%s\nchecksum,0\n",
                                 claims[i].value, claims[i].value == 8 ? "1*2^3" : "9*2^0",
                                 (unsigned long long)hs_instance_digest(s.in), claims[i].way);
        certificate_text_write(&s, &t);
        ck_assert_int_eq(certificate_verify(&s, plan, 1), claims[i].code);
    }
    hs_schedule_free(plan);
    hs_instance_free(s.in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificates of graphs");
    TCase *cases = tcase_create("small graphs");

    tcase_set_timeout(cases, 900);
    tcase_add_checked_fixture(cases, certificate_fixture_open, certificate_files_close);
    tcase_add_test(cases, only_true_certificates_are_accepted);
    tcase_add_test(cases, each_row_is_needed);
    tcase_add_test(cases, rows_keep_to_the_graph);
    tcase_add_test(cases, crowds_need_a_common_type);
    tcase_add_test(cases, overlapping_tasks_have_no_order);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
