/* SPDX-License-Identifier: BSD-3-Clause */

/* Imported instances equal instances built by hand from the same random graph. */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "unit/alloc_scenario.h"
#include "property/dice.h"
#include "property/same_instance.h"
#include "unit/rounds.h"
#include "suite.h"

enum { MOST = 12 };

/* A random graph in which each task may depend on any earlier task. */
typedef struct small {
    size_t n;
    double time[MOST], speedup;
    int    edge[MOST][MOST]; /* edge[from][to] */
    double bytes[MOST][MOST];
} small;

static void draw_small(small *g, dice *d)
{
    *g = (small){.n = dice_below(d, MOST + 1), .speedup = 1 + dice_below(d, 8) * 0.5};
    for (size_t j = 0; j < g->n; j++) {
        g->time[j] = (1 + dice_below(d, 1000)) / 8.0;
        for (size_t i = 0; i < j; i++) {
            g->edge[i][j] = dice_below(d, 3) == 0;
            g->bytes[i][j] = dice_below(d, 2) ? 0 : dice_below(d, 1000);
        }
    }
}

/* A graph file to import, open for reading and writing. */
static FILE *file;

static void open_files(void)
{
    file = tmpfile();
    ck_assert_ptr_nonnull(file);
}

static int draw_whole_number(void)
{
    rewind(file);
    return fileno(file);
}

typedef hs_status importer(int fd, const hs_import_settings *options, hs_instance **out,
                           hs_error *error);

static hs_instance *import_graph(importer *with, const small *g)
{
    char              rules[40];
    hs_import_settings options;
    hs_instance      *in = NULL;
    hs_error           error = {0};

    snprintf(rules, sizeof rules, "%.17g", g->speedup);
    hs_import_settings_init(&options);
    options.has_cpus = options.has_gpus = 1;
    options.cpus = 3;
    options.gpus = 2;
    options.speedup = rules;
    ck_assert_msg(with(draw_whole_number(), &options, &in, &error) == HS_OK, "%d:%d: %s",
                  (int)error.line, (int)error.column, error.why);
    fclose(file);
    return in;
}

/* Build the instance by hand. Names are the prefix and a number that counts from `first`. */
static hs_instance *by_hand(const small *g, const char *prefix, size_t first, int has_bytes)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 2), HS_OK);
    for (size_t j = 0; j < g->n; j++) {
        hs_task task;
        char    name[32];

        snprintf(name, sizeof name, "%s%zu", prefix, first + j);
        hs_task_init(&task);
        task.id = name;
        task.cpu = g->time[j];
        task.gpu = g->time[j] / g->speedup;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j])
                ck_assert_int_eq(
                    hs_builder_add_predecessor(b, j, i, 0, has_bytes ? g->bytes[i][j] : 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void write_stg(const small *g, dice *d)
{
    (void)d;
    fprintf(file, " %zu\n0 0 0\n", g->n);
    for (size_t j = 0; j <= g->n; j++) {
        size_t before = 0;

        for (size_t i = 0; j < g->n && i < j; i++)
            before += g->edge[i][j] != 0;
        if (j == g->n)
            fprintf(file, "%zu 0 %zu", j + 1, g->n ? g->n : 1);
        else
            fprintf(file, " %zu  %.17g  %zu", j + 1, g->time[j], before ? before : 1);
        if (j < g->n ? !before : !g->n)
            fprintf(file, " 0");
        for (size_t i = 0; i < j; i++)
            if (j == g->n || g->edge[i][j])
                fprintf(file, " %zu", i + 1);
        fprintf(file, "\n");
    }
    fprintf(file, "# remarks 1 2 3\n");
}

/* Write nodes and edges in random order, with times as defaults or attributes, quoted or not. */
static void write_dot(const small *g, dice *d)
{
    fprintf(file, "digraph g {\n");
    for (size_t j = 0; j < g->n; j++)
        fprintf(file, dice_below(d, 2) ? "n%zu;" : "\"n%zu\"\n", j);
    for (size_t j = g->n; j-- > 0;) {
        if (dice_below(d, 2))
            fprintf(file, "n%zu [cpu=\"%.17g\"]", j, g->time[j]);
        else
            fprintf(file, "n%zu [shape=box cpu=7]; n%zu [cpu=%.6f,color=red];", j, j, g->time[j]);
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j] && g->bytes[i][j] == 0 && dice_below(d, 2))
                fprintf(file, " n%zu -> {n%zu n%zu}\n", i, j, j);
            else if (g->edge[i][j])
                fprintf(file, " n%zu -> n%zu [bytes=%g]\n", i, j, g->bytes[i][j]);
    }
    fprintf(file, "}\n");
}

/*
 * Write parents, children and files. Files read from tasks that are no parent, and files without a
 * writer, must be ignored.
 */
static void write_wfcommons(const small *g, dice *d)
{
    fprintf(file, "{\"schemaVersion\": \"1.5\", \"workflow\": {\"execution\": {\"tasks\": [");
    for (size_t j = g->n; j-- > 0;)
        fprintf(file, "{\"id\": \"w%zu\", \"runtimeInSeconds\": %.17g}%s", j, g->time[j],
                j ? ",\n" : "");
    fprintf(file, "]}, \"specification\": {\"files\": [{\"id\": \"unused\", \"sizeInBytes\": 7}");
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < j; i++)
            fprintf(file, ", {\"sizeInBytes\": %g, \"id\": \"f%zu-%zu\"}",
                    g->edge[i][j] ? g->bytes[i][j] : 5, i, j);
    fprintf(file, "], \"tasks\": [");
    for (size_t j = 0; j < g->n; j++) {
        const char *comma = "";

        fprintf(file, "%s\n{\"name\": \"task\", \"id\": \"w%zu\", \"parents\": [", j ? "," : "", j);
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j]) {
                fprintf(file, "%s\"w%zu\"", comma, i);
                comma = ", ";
            }
        fprintf(file, "], \"children\": [");
        comma = "";
        for (size_t k = j + 1; k < g->n; k++)
            if (g->edge[j][k]) {
                fprintf(file, "%s\"w%zu\"", comma, k);
                comma = ", ";
            }
        fprintf(file, "], \"inputFiles\": [\"unused\"");
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j] || dice_below(d, 2))
                fprintf(file, ", \"f%zu-%zu\"", i, j);
        fprintf(file, "], \"outputFiles\": [");
        comma = "";
        for (size_t k = j + 1; k < g->n; k++) {
            fprintf(file, "%s\"f%zu-%zu\"", comma, j, k);
            comma = ", ";
        }
        fprintf(file, "]}");
    }
    fprintf(file, "]}}}");
}

static const struct {
    importer *with;
    void (*write)(const small *g, dice *d);
    const char *prefix; /* prefix of the task names in the instance built by hand */
    size_t      first;
    int         has_bytes;
} formats[] = {
    {hs_import_stg, write_stg, "", 1, 0},
    {hs_import_dot, write_dot, "n", 0, 1},
    {hs_import_wfcommons, write_wfcommons, "w", 0, 1},
};

START_TEST(imports_equal_instances_by_hand)
{
    dice  d = {(uint64_t)_i};
    small g;

    for (int round = 0; round < rounds(2000); round++) {
        draw_small(&g, &d);
        open_files();
        formats[_i].write(&g, &d);
        assert_equal_and_free(
            import_graph(formats[_i].with, &g),
            by_hand(&g, formats[_i].prefix, formats[_i].first, formats[_i].has_bytes));
    }
}
END_TEST

/* Write StarPU models in which each job has its own footprint and thereby its own time. */
static void write_models(const small *g)
{
    for (size_t j = 0; j < g->n; j++)
        fprintf(file,
                "Model: work\nArchitecture: cpu0\nFootprint: %zx\nMean: %.17g\n\n"
                "Model: work\nArchitecture: cuda0\nFootprint: %zx\nMean: %.17g\n\n",
                j, g->time[j], j, g->time[j] / g->speedup);
}

/* Write tasks in which an edge with bytes passes through a job without time. SubmitOrder gives the
 * order of rows. */
static void write_tasks(const small *g, dice *d)
{
    size_t start = g->n ? dice_below(d, (unsigned)g->n) : 0;

    for (size_t k = 0; k < g->n; k++) {
        size_t j = (start + k) % g->n;

        fprintf(file,
                "Name: x\nModel: work\nFootprint: %zx\nJobId: %zu\nSubmitOrder: %zu\nDependsOn:", j,
                j, 10 * j);
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j] && g->bytes[i][j] == 0)
                fprintf(file, " %zu", i);
            else if (g->edge[i][j])
                fprintf(file, " s%zu-%zu", i, j);
        fprintf(file, "\n\n");
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j] && g->bytes[i][j] != 0)
                fprintf(file, "JobId: s%zu-%zu\nDependsOn: %zu\nSubmitOrder: %zu\n\n", i, j, i,
                        10 * i + 1);
    }
}

static hs_starpu_models *models;

static hs_status with_models(int fd, const hs_import_settings *options, hs_instance **out,
                             hs_error *error)
{
    return hs_import_starpu(fd, models, options, out, error);
}

/* Build by hand the instance of a StarPU file with data. */
static hs_instance *starpu_by_hand(const small *g, int uses[MOST][3])
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    size_t       data;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 2), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MICROSECONDS), HS_OK);
    for (size_t j = 0; j < g->n; j++) {
        hs_task task;
        char    name[32];

        snprintf(name, sizeof name, "x-%zu", j);
        hs_task_init(&task);
        task.id = name;
        task.cpu = g->time[j];
        task.gpu = g->time[j] / g->speedup;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        for (size_t i = 0; i < j; i++)
            if (g->edge[i][j])
                ck_assert_int_eq(hs_builder_add_predecessor(b, j, i, 0, 0), HS_OK);
        for (int h = 0; h < 3; h++)
            if (uses[j][h]) {
                snprintf(name, sizeof name, "h%d", h);
                ck_assert_int_eq(hs_builder_add_handle(b, name, &data), HS_OK);
                ck_assert_int_eq(hs_builder_set_handle_bytes(b, data, 100 + h), HS_OK);
                ck_assert_int_eq(hs_builder_add_access(b, j, data, (hs_access_mode)uses[j][h]),
                                 HS_OK);
            }
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void write_uses(const small *g, dice *d, int uses[MOST][3])
{
    static const char *const modes[] = {"S", "R", "W", "RW"};

    for (size_t k = g->n; k-- > 0;) {
        const char *after = "";

        fprintf(file, "Name: x\nModel: work\nFootprint: %zx\nJobId: %zu\nSubmitOrder: %zu\n", k, k,
                k);
        for (int h = 0; h < 3; h++)
            uses[k][h] = (int)dice_below(d, 4);
        fprintf(file, "Handles: h0 h1 h2\nModes: %s %s %s\nSizes: 100 101 102\nDependsOn:",
                modes[uses[k][0]], modes[uses[k][1]], modes[uses[k][2]]);
        for (size_t i = 0; i < k; i++, after = " ")
            if (g->edge[i][k])
                fprintf(file, " %s%zu", after, i);
        fprintf(file, "\n\n");
    }
}

START_TEST(starpu_import_equals_instance_by_hand)
{
    dice  d = {5};
    small g;

    for (int round = 0; round < rounds(2000); round++) {
        int uses[MOST][3] = {{0}};

        draw_small(&g, &d);
        open_files();
        write_models(&g);
        ck_assert_int_eq(hs_starpu_models_read(draw_whole_number(), &models, NULL), HS_OK);
        fclose(file);
        open_files();
        if (round % 2)
            write_tasks(&g, &d);
        else
            write_uses(&g, &d, uses);
        assert_equal_and_free(import_graph(with_models, &g), starpu_by_hand(&g, uses));
        hs_starpu_models_free(models);
    }
}
END_TEST

/* A file to import while allocations fail. */
typedef struct short_file {
    importer   *with;
    const char *text;
} short_file;

static hs_status import_short(const void *context, uint64_t *result)
{
    const short_file *f = context;
    hs_import_settings options;
    hs_instance      *in = NULL;
    hs_status         st;
    int               ends[2];

    if (pipe(ends))
        return HS_EIO;
    if (write(ends[1], f->text, strlen(f->text)) != (ssize_t)strlen(f->text))
        return HS_EIO;
    close(ends[1]);
    hs_import_settings_init(&options);
    options.speedup = "2=none,3";
    st = f->with(ends[0], &options, &in, NULL);
    close(ends[0]);
    if (st == HS_OK)
        *result = hs_instance_digest(in);
    hs_instance_free(in);
    return st;
}

/* Import StarPU tasks after reading the models, each through a pipe. */
static hs_status starpu_short(int fd, const hs_import_settings *options, hs_instance **out,
                              hs_error *error)
{
    static const char text[] = "Architecture: cpu0\nNbWorkers: 2\n\nMemoryNode: 0\nName: NUMA "
                               "0\n\nMemoryNode: 1\nName: CUDA 0\n\n"
                               "MemoryNodeSrc: 0\nMemoryNodeDst: 1\nBandwidth: 8\nLatency: 1\n\n"
                               "MemoryNodeSrc: 1\nMemoryNodeDst: 0\nBandwidth: 8\nLatency: 1\n\n"
                               "Model: m\nArchitecture: cpu0\nFootprint: 1\nMean: 2\n";
    hs_starpu_models *read = NULL;
    hs_status         st = HS_EIO;
    int               ends[2];

    if (pipe(ends))
        return st;
    if (write(ends[1], text, sizeof text - 1) == sizeof text - 1) {
        close(ends[1]);
        st = hs_starpu_models_read(ends[0], &read, NULL);
    }
    if (st == HS_OK)
        st = hs_import_starpu(fd, read, options, out, error);
    hs_starpu_models_free(read);
    close(ends[0]);
    return st;
}

START_TEST(imports_survive_failed_allocations)
{
    static const short_file files[] = {
        {hs_import_stg, "3\n0 0 0\n1 2 1 0\n2 3 2 0 1\n3 1 1 2\n4 0 2 1 3\n"},
        {hs_import_dot,
         "strict digraph { graph [cpus=2, data=\"x:3\"] node [cpu=3] a -> {b c} -> d [bytes=3] p "
         "[shape=point] d -> p -> e \"f\\\"\" + \"g\" [data=\"x:rw\", gpu=2, kernel=k, priority=3] "
         "}"},
        {hs_import_wfcommons,
         "{\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[{\"name\":\"a\","
         "\"id\":\"1\","
         "\"parents\":[],\"children\":[\"2\"],\"outputFiles\":[\"f\"]},{\"name\":\"b\",\"id\":"
         "\"\\u0032\","
         "\"parents\":[\"1\"],\"children\":[],\"inputFiles\":[\"f\"]}],\"files\":[{\"id\":\"f\","
         "\"sizeInBytes\":10}]},\"execution\":{\"tasks\":[{\"id\":\"2\",\"runtimeInSeconds\":1},{"
         "\"id\":"
         "\"1\",\"runtimeInSeconds\":2}]}}}"},
        {starpu_short,
         "Model: m\nFootprint: 1\nJobId: 1\nSubmitOrder: 1\nHandles: a b\nModes: R W\n"
         "Sizes: 1 2\n\nJobId: 2\nDependsOn: 1 9\n\nModel: m\nFootprint: 1\nJobId: 3\n"
         "DependsOn: 2\n"},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_single_and_lasting_failures("an import", import_short, &files[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("imports");
    TCase *tests = tcase_create("imports");

    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, imports_equal_instances_by_hand, 0, sizeof formats / sizeof *formats);
    tcase_add_test(tests, starpu_import_equals_instance_by_hand);
    tcase_add_test(tests, imports_survive_failed_allocations);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
