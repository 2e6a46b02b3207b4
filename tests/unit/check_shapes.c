/* SPDX-License-Identifier: BSD-3-Clause */

/* Generated graphs of each shape and of each application have the properties stated in
 * hsched-gen(1). */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "alloc_scenario.h"
#include "property/dice.h"
#include "rounds.h"
#include "suite.h"

enum { MOST = 60 };

static hs_instance *shaped_of(const hs_shaped *spec)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_shaped(spec, &in, NULL), HS_OK);
    ck_assert_uint_eq(hs_instance_rows(in), spec->tasks);
    ck_assert_uint_eq(hs_instance_tasks(in), spec->tasks);
    return in;
}

/* Adjacency matrix of a graph: edge[i][j] is 1 if i is a predecessor of j, and then i < j. */
typedef struct matrix {
    size_t n, edges;
    char   edge[MOST][MOST];
    size_t in[MOST], out[MOST], depth[MOST];
} matrix;

static void read_matrix(const hs_instance *in, matrix *m)
{
    *m = (matrix){.n = hs_instance_tasks(in)};
    for (size_t j = 0; j < m->n; j++) {
        size_t   i;
        uint32_t copy;
        double   bytes;

        for (size_t e = 0; hs_instance_predecessor(in, j, e, &i, &copy, &bytes); e++) {
            ck_assert_uint_lt(i, j);
            ck_assert_uint_eq(copy, 0);
            ck_assert(!m->edge[i][j]);
            m->edge[i][j] = 1;
            m->edges++;
            m->in[j]++;
            m->out[i]++;
            if (m->depth[i] + 1 > m->depth[j])
                m->depth[j] = m->depth[i] + 1;
        }
    }
}

static hs_shaped spec_of(hs_shape shape, dice *d)
{
    hs_shaped spec;

    hs_shaped_init(&spec);
    spec.shape = shape;
    spec.tasks = dice_below(d, MOST);
    spec.width = dice_below(d, 9);
    spec.degree = dice_between(d, 1, dice_below(d, 2) ? 4 : MOST);
    spec.alpha = exp(4 * dice_unit(d) - 2);
    spec.ccr = dice_below(d, 2) ? dice_unit(d) * 3 : 0;
    spec.law = (hs_law)dice_below(d, 4);
    spec.table = hs_kernel_table_at(dice_below(d, 3));
    spec.seed = dice_word(d);
    return spec;
}

static size_t width_of(const hs_shaped *spec)
{
    return spec->width ? spec->width : (size_t)ceil(sqrt((double)spec->tasks));
}

static void assert_chain(const hs_shaped *spec, const matrix *m)
{
    ck_assert_uint_eq(m->edges, spec->tasks ? spec->tasks - 1 : 0);
    for (size_t i = 0; i + 1 < m->n; i++)
        ck_assert(m->edge[i][i + 1]);
}

/* Assert that levels have 1, width, 1, width, ..., 1 tasks, with edges between all tasks of
 * consecutive levels; the last parallel level may be narrower. */
static void assert_fork_join(const hs_shaped *spec, const matrix *m)
{
    size_t width = width_of(spec), at[MOST + 1] = {0};

    for (size_t i = 0; i < m->n; i++)
        at[m->depth[i]]++;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            ck_assert_int_eq(m->edge[i][j], m->depth[j] == m->depth[i] + 1);
    for (size_t l = 0; l < MOST && at[l]; l++) {
        if (l % 2 == 0 || !at[l + 1])
            ck_assert_uint_eq(at[l], 1);
        else if (at[l + 2])
            ck_assert_uint_le(at[l], width);
        if (l % 2 == 1 && at[l + 2])
            ck_assert(at[l] == width || !at[l + 3]);
    }
}

static void assert_layered(const hs_shaped *spec, const matrix *m)
{
    size_t width = width_of(spec), degree = spec->degree < width ? spec->degree : width;

    for (size_t j = 0; j < m->n; j++) {
        ck_assert_uint_eq(m->in[j], j < width ? 0 : degree);
        for (size_t i = 0; i < m->n; i++)
            ck_assert(!m->edge[i][j] || i / width + 1 == j / width);
    }
}

static void assert_random(const hs_shaped *spec, const matrix *m)
{
    size_t pairs = m->n * (m->n - 1) / 2;

    if (m->n > 0 && 2 * spec->degree >= m->n - 1)
        ck_assert_uint_eq(m->edges, pairs);
}

/* Check a reduction: the graph is a tree with the last task as root, and at most one inner task has
 * fewer than `degree` inputs. */
static void assert_reduction(const hs_shaped *spec, const matrix *m)
{
    size_t fewer = 0, inner = 0;

    for (size_t i = 0; i < m->n; i++) {
        ck_assert_uint_eq(m->out[i], i + 1 < m->n);
        ck_assert_uint_le(m->in[i], spec->degree);
        inner += m->in[i] > 0;
        fewer += m->in[i] > 0 && m->in[i] < spec->degree;
    }
    ck_assert_uint_le(fewer, 1);
    ck_assert_uint_eq(inner, m->n < 2 ? 0 : (m->n - 2) / spec->degree + 1);
}

/* Assert that rows are sorted by depth, no level is empty, the number of levels is in its range,
 * and every task before the last level has a successor. */
static void assert_topcuoglu(const hs_shaped *spec, const matrix *m)
{
    size_t levels = m->n ? m->depth[m->n - 1] + 1 : 0;

    ck_assert(m->n == 0 || (double)levels <= fmax(1, 2 * sqrt((double)m->n) / spec->alpha));
    for (size_t i = 0; i < m->n; i++) {
        ck_assert(i == 0 ? m->depth[i] == 0 : m->depth[i] - m->depth[i - 1] <= 1);
        ck_assert((m->out[i] > 0) == (m->depth[i] + 1 < levels));
    }
}

START_TEST(graphs_have_their_shape)
{
    static void (*const is[])(const hs_shaped *spec, const matrix *m) = {
        assert_chain,  assert_fork_join, assert_layered,
        assert_random, assert_reduction, assert_topcuoglu};
    dice d = {(uint64_t)_i + 1};

    for (int round = 0; round < rounds(400); round++) {
        hs_shaped       spec = spec_of((hs_shape)_i, &d);
        hs_instance    *in = shaped_of(&spec);
        const hs_graph *graph;
        matrix          m;

        read_matrix(in, &m);
        is[_i](&spec, &m);
        ck_assert_int_eq(hs_instance_graph(in, &graph), HS_OK);
        hs_instance_free(in);
    }
}
END_TEST

static size_t edges_of(const hs_instance *in, double *bytes_sum)
{
    size_t   edges = 0, earlier;
    uint32_t copy;
    double   bytes;

    *bytes_sum = 0;
    for (size_t i = 0; i < hs_instance_rows(in); i++)
        for (size_t e = 0; hs_instance_predecessor(in, i, e, &earlier, &copy, &bytes); e++, edges++)
            *bytes_sum += bytes;
    return edges;
}

/* Compare the mean degree, ratio of communication to computation, and time of large graphs with the
 * requested values. */
START_TEST(means_equal_the_requested_values)
{
    hs_shaped    spec;
    hs_instance *in;
    double       bytes, latency, bandwidth, sum = 0;
    size_t       edges;

    hs_shaped_init(&spec);
    spec.tasks = 20000;
    spec.degree = 3;
    spec.ccr = 0.7;
    spec.law = HS_LAW_SPREAD;
    spec.mean = 5;
    for (spec.shape = HS_RANDOM; spec.shape <= HS_TOPCUOGLU; spec.shape++) {
        if (spec.shape == HS_REDUCTION)
            continue;
        in = shaped_of(&spec);
        edges = edges_of(in, &bytes);
        ck_assert_double_eq_tol((double)edges / 20000, 3, 0.1);
        ck_assert_int_eq(hs_instance_link(in, HS_H2D, &latency, &bandwidth), 1);
        ck_assert_double_eq_tol(bytes / (double)edges / bandwidth / 5, 0.7, 0.03);
        for (size_t i = 0; i < 20000; i++)
            sum += hs_instance_time(in, i, HS_CPU) + hs_instance_time(in, i, HS_GPU);
        hs_instance_free(in);
    }
    ck_assert_double_eq_tol(sum / 80000, 5, 0.1);
}
END_TEST

START_TEST(level_count_equals_the_request)
{
    static const double alphas[] = {0.5, 1, 2};
    hs_shaped           spec;
    double              sum = 0;

    hs_shaped_init(&spec);
    spec.shape = HS_TOPCUOGLU;
    spec.tasks = 400;
    spec.alpha = alphas[_i];
    for (spec.seed = 0; spec.seed < 1000; spec.seed++) {
        hs_instance    *in = shaped_of(&spec);
        const hs_graph *graph;
        size_t          depth[400] = {0}, count;

        ck_assert_int_eq(hs_instance_graph(in, &graph), HS_OK);
        for (size_t i = 0; graph && i < 400; i++) {
            const uint32_t *before = hs_graph_predecessors(graph, i, &count, NULL);

            for (size_t e = 0; e < count; e++)
                if (depth[before[e]] + 1 > depth[i])
                    depth[i] = depth[before[e]] + 1;
        }
        sum += (double)depth[399] + 1;
        hs_instance_free(in);
    }
    ck_assert_double_eq_tol(sum / 1000 * spec.alpha / 20, 1, 0.06); /* three standard errors */
}
END_TEST

START_TEST(spread_times_are_near_their_mean)
{
    hs_shaped    spec;
    hs_instance *in;
    double       most = 0;

    hs_shaped_init(&spec);
    spec.tasks = 5000;
    spec.law = HS_LAW_SPREAD;
    spec.beta = 0.4;
    in = shaped_of(&spec);
    for (size_t i = 0; i < 5000; i++) {
        double cpu = hs_instance_time(in, i, HS_CPU), gpu = hs_instance_time(in, i, HS_GPU);

        most = fmax(most, fmax(cpu / gpu, gpu / cpu));
        ck_assert_double_lt(fmax(cpu, gpu), 2 * 1.2);
    }
    ck_assert_double_le(most, 1.2 / 0.8);
    ck_assert_double_ge(most, 1.4);
    hs_instance_free(in);
    spec.beta = 0;
    in = shaped_of(&spec);
    for (size_t i = 0; i < 5000; i++)
        ck_assert(hs_instance_time(in, i, HS_CPU) == hs_instance_time(in, i, HS_GPU));
    hs_instance_free(in);
}
END_TEST

/* Generate times, bytes and edges from separate random streams: shape and bytes do not change the
 * times, and times and bytes do not change the edges. */
START_TEST(random_streams_are_independent)
{
    hs_shaped    spec;
    hs_gamma     gamma = {sizeof gamma, 50, 20, 4, 15, 0.2, 1, 1, 7};
    hs_instance *in, *other;
    matrix       a, b;

    hs_shaped_init(&spec);
    spec.tasks = 50;
    spec.seed = 7;
    spec.shape = HS_TOPCUOGLU;
    in = shaped_of(&spec);
    read_matrix(in, &a);
    ck_assert_int_eq(hs_generate_gamma(&gamma, &other, NULL), HS_OK);
    for (size_t i = 0; i < 50; i++) {
        ck_assert(hs_instance_time(in, i, HS_CPU) == hs_instance_time(other, i, HS_CPU));
        ck_assert(hs_instance_time(in, i, HS_GPU) == hs_instance_time(other, i, HS_GPU));
    }
    hs_instance_free(other);
    spec.law = HS_LAW_UNIFORM;
    spec.ccr = 1;
    other = shaped_of(&spec);
    read_matrix(other, &b);
    ck_assert_mem_eq(&a, &b, sizeof a);
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

START_TEST(invalid_shapes_are_refused)
{
    hs_shaped    good, spec;
    hs_instance *in = NULL;

#define REFUSES(what, status)                                                                      \
    do {                                                                                           \
        spec = good;                                                                               \
        spec.what;                                                                                 \
        ck_assert_int_eq(hs_generate_shaped(&spec, &in, NULL), status);                            \
    } while (0)
    hs_shaped_init(&good);
    REFUSES(struct_size = 0, HS_EINVAL);
    REFUSES(shape = (hs_shape)6, HS_EINVAL);
    REFUSES(degree = 0, HS_EINVAL);
    REFUSES(alpha = 0, HS_EINVAL);
    REFUSES(ccr = -1, HS_EINVAL);
    REFUSES(ccr = 1e308, HS_EOVERFLOW);
    REFUSES(bandwidth = 0, HS_EINVAL);
    REFUSES(law = HS_LAW_KERNELS, HS_EINVAL); /* without a table */
    REFUSES(law = (hs_law)4, HS_EINVAL);
    REFUSES(gamma.cpu_mean = 0, HS_EINVAL);
    REFUSES(gamma.gpu_cv = 1e200, HS_EOVERFLOW);
    REFUSES(tasks = (size_t)HS_MAX_TASKS + 1, HS_ETOOBIG);
    REFUSES(cpus = spec.gpus = 0, HS_EINVAL);
    good.law = HS_LAW_SPREAD;
    REFUSES(mean = NAN, HS_EINVAL);
    REFUSES(beta = 2.1, HS_EINVAL);
    good.law = HS_LAW_UNIFORM;
    REFUSES(uniform.cpu_low = 0, HS_EINVAL);
    ck_assert_ptr_null(in);
}
END_TEST

/* Keep generated graphs unchanged between releases. The digest covers times, kernels, edges, bytes,
 * links and workers. */
START_TEST(graphs_never_change)
{
    static const uint64_t expected[] = {
        UINT64_C(4436061198726618548),  UINT64_C(7413635238120939531),
        UINT64_C(15285296451010729512), UINT64_C(6046608173969719677),
        UINT64_C(8983209632854125367),  UINT64_C(9229672148926719521),
    };
    hs_shaped spec;

    hs_shaped_init(&spec);
    for (spec.shape = HS_CHAIN; spec.shape <= HS_TOPCUOGLU; spec.shape++) {
        hs_instance *in;

        spec.seed = spec.shape;
        spec.law = (hs_law)(spec.shape % 4);
        spec.table = hs_kernel_table_find("k40m-960");
        spec.ccr = spec.shape % 2;
        in = shaped_of(&spec);
        ck_assert_uint_eq(hs_instance_digest(in), expected[spec.shape]);
        hs_instance_free(in);
    }
}
END_TEST

static hs_instance *application_of(const char *name, unsigned copies, hs_problem problem)
{
    hs_copies    part = {hs_application_find(name), copies};
    hs_instance *in = NULL;

    ck_assert_ptr_nonnull(part.application);
    ck_assert_int_eq(hs_generate_applications(&part, 1, problem, 1, 1, &in, NULL), HS_OK);
    return in;
}

static double makespan_of(const char *name, const hs_instance *in)
{
    hs_schedule *s = NULL;
    double       makespan;

    ck_assert_int_eq(hs_solve(hs_algorithm_find(name), in, NULL, &s), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    return makespan;
}

/* Reproduce the figures of the paper: the optimum is 6020, and mapping first come, first served
 * gives 6442. */
START_TEST(case_study_equals_the_paper)
{
    hs_instance *in = application_of("case-study", 1, HS_SMALL);
    double       bound = 0;

    ck_assert_uint_eq(hs_instance_tasks(in), 5);
    ck_assert_double_eq(makespan_of("h-ratio", in), 6020);
    ck_assert_double_eq(makespan_of("d-rank", in), 6020);
    ck_assert_double_eq(makespan_of("dynamic", in), 6442);
    ck_assert_int_eq(hs_bound_compute(hs_bound_find("deadline"), in, NULL, &bound), HS_OK);
    ck_assert_double_eq(bound, 6020);
    hs_instance_free(in);
}
END_TEST

/* Schedule the two applications of the case study as one task each: the optimum is 6864. */
START_TEST(whole_applications_take_longer)
{
    double       cpu[] = {568 + 1520, 44100 + 874 + 440}, gpu[] = {422 + 242, 5600 + 844 + 420};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(2, cpu, gpu, NULL, 1, 1, &in), HS_OK);
    ck_assert_double_eq(makespan_of("exact", in), 6864);
    hs_instance_free(in);
}
END_TEST

START_TEST(applications_have_the_documented_tasks)
{
    static const struct {
        const char *name;
        size_t      tasks, edges; /* per copy; edges include those of barriers */
    } expected[] = {
        {"case-study", 5, 3}, {"xgemm", 2, 1}, {"cg", 24, 0},      {"cholesky", 20, 0},
        {"increment", 1, 0},  {"va", 1, 0},    {"pi", 1001, 1001}, {"fblock", 4, 0},
    };

    ck_assert_uint_eq(hs_application_count(), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < hs_application_count(); i++) {
        const char *name = hs_application_name(hs_application_at(i));

        ck_assert_str_eq(name, expected[i].name);
        for (hs_problem problem = HS_SMALL; problem <= HS_LARGE; problem++) {
            hs_instance    *in = application_of(name, 3, problem);
            const hs_graph *graph;
            size_t          edges = 0, count;

            ck_assert_uint_eq(hs_instance_tasks(in), 3 * expected[i].tasks);
            ck_assert_int_eq(hs_instance_graph(in, &graph), HS_OK);
            for (size_t v = 0; graph && v < hs_graph_vertex_count(graph); v++) {
                hs_graph_predecessors(graph, v, &count, NULL);
                edges += count;
            }
            if (expected[i].edges)
                ck_assert_uint_eq(edges, 3 * expected[i].edges);
            hs_instance_free(in);
        }
    }
    ck_assert_ptr_null(hs_application_at(hs_application_count()));
    ck_assert_ptr_null(hs_application_find("none"));
}
END_TEST

/* Compare the application "cholesky" with the factorisation of hs_generate_tiled(), generated by
 * separate code: every task has the same predecessors. */
START_TEST(small_cholesky_equals_the_factorisation)
{
    hs_tiled spec = {
        sizeof spec, HS_CHOLESKY, 4, 1, 1, 0, 1, hs_kernel_table_find("mirage-960"), 0};
    hs_instance    *in = application_of("cholesky", 1, HS_SMALL), *other = NULL;
    const hs_graph *a, *b;

    ck_assert_int_eq(hs_generate_tiled(&spec, &other, NULL), HS_OK);
    ck_assert_int_eq(hs_instance_graph(in, &a), HS_OK);
    ck_assert_int_eq(hs_instance_graph(other, &b), HS_OK);
    ck_assert_uint_eq(hs_graph_vertex_count(a), hs_graph_vertex_count(b));
    for (size_t v = 0; v < hs_graph_vertex_count(a); v++) {
        size_t          n, m;
        const uint32_t *x = hs_graph_predecessors(a, v, &n, NULL);
        const uint32_t *y = hs_graph_predecessors(b, v, &m, NULL);

        ck_assert_uint_eq(n, m);
        ck_assert_mem_eq(x, y, n * sizeof *x);
    }
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

START_TEST(invalid_applications_are_refused)
{
    hs_copies    part = {NULL, 1};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_generate_applications(&part, 1, HS_SMALL, 1, 1, &in, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_generate_applications(NULL, 0, HS_SMALL, 1, 1, &in, NULL), HS_EINVAL);
    part.application = hs_application_at(0);
    ck_assert_int_eq(hs_generate_applications(&part, 1, (hs_problem)3, 1, 1, &in, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_generate_applications(&part, 1, HS_SMALL, 0, 0, &in, NULL), HS_EINVAL);
    ck_assert_ptr_null(in);
}
END_TEST

static hs_status generate_shaped(const void *context, uint64_t *result)
{
    hs_instance *in = NULL;
    hs_status    st = hs_generate_shaped(context, &in, NULL);

    if (st == HS_OK)
        *result = hs_instance_digest(in);
    hs_instance_free(in);
    return st;
}

static hs_status generate_applications(const void *context, uint64_t *result)
{
    hs_instance *in = NULL;
    hs_status    st = hs_generate_applications(context, 2, HS_SMALL, 1, 1, &in, NULL);

    if (st == HS_OK)
        *result = hs_instance_digest(in);
    hs_instance_free(in);
    return st;
}

START_TEST(lack_of_memory_is_survived)
{
    hs_copies parts[] = {{hs_application_find("case-study"), 2}, {hs_application_find("pi"), 1}};
    hs_shaped spec;

    hs_shaped_init(&spec);
    spec.tasks = 30;
    spec.ccr = 1;
    for (spec.shape = HS_CHAIN; spec.shape <= HS_TOPCUOGLU; spec.shape++)
        check_single_and_lasting_failures("a shape", generate_shaped, &spec);
    check_single_and_lasting_failures("applications", generate_applications, parts);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shapes");
    TCase *shapes = tcase_create("shapes"), *applications = tcase_create("applications");

    tcase_set_timeout(shapes, 120);
    tcase_add_loop_test(shapes, graphs_have_their_shape, HS_CHAIN, HS_TOPCUOGLU + 1);
    tcase_add_test(shapes, means_equal_the_requested_values);
    tcase_add_loop_test(shapes, level_count_equals_the_request, 0, 3);
    tcase_add_test(shapes, spread_times_are_near_their_mean);
    tcase_add_test(shapes, random_streams_are_independent);
    tcase_add_test(shapes, invalid_shapes_are_refused);
    tcase_add_test(shapes, graphs_never_change);
    tcase_add_test(shapes, lack_of_memory_is_survived);
    suite_add_tcase(suite, shapes);

    tcase_add_test(applications, case_study_equals_the_paper);
    tcase_add_test(applications, whole_applications_take_longer);
    tcase_add_test(applications, applications_have_the_documented_tasks);
    tcase_add_test(applications, small_cholesky_equals_the_factorisation);
    tcase_add_test(applications, invalid_applications_are_refused);
    suite_add_tcase(suite, applications);
    return run_suite(suite);
}
