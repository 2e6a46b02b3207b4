/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: make an instance from its recipe: a command line of hsched-gen, and these options:
 *   --perturb X   scale each kernel's times by up to X, then all times so that the area bound is
 *                 unchanged (tiled factorisations with --kernels)
 *   --wrong X     tasks really take times that differ from the estimates by up to X
 *   --late X      tasks really take longer, on average by X times the mean of their smaller times
 *   --overhead X  add X to the time of each task, and to its estimate
 *   --machine X   tasks take the times of a made machine (machine.c), which deviate by up to X
 *   --tile B      --machine: tiles of B x B numbers (tiled factorisations)
 * A recipe `files PATH` with -m, -k, --wrong, --late or --overhead reads instances
 * (instance_files.c).
 * A recipe `profile KERNEL SIZE [gpu]` is a time of a profile (held_out.c), not an instance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/input.h"
#include "common/kernel_table.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/options.h"

enum { WORDS = 64, KERNELS = 64 };

/*
 * Read and remove the options of hsched-bench; the remaining words are a command line of
 * hsched-gen.
 */
static void take_own(bench_case *one, const char *where)
{
    const struct {
        const char *name;
        double     *value;
        double      most;
    } own[] = {{"--perturb", &one->perturb, 0.999},
               {"--wrong", &one->wrong, 0.999},
               {"--late", &one->late, 1e9},
               {"--overhead", &one->overhead, 1e9},
               {"--machine", &one->machine, 0.999},
               {"--tile", &one->tile, 65536}};
    enum { OWN = sizeof own / sizeof *own };
    size_t to = 1;

    for (size_t from = 1; one->words[from];) {
        size_t i = 0;

        while (i < OWN && strcmp(one->words[from], own[i].name) != 0)
            i++;
        if (i == OWN) {
            one->words[to++] = one->words[from++];
            continue;
        }
        if (!one->words[from + 1])
            usage_error("%s: %s needs a number", where, own[i].name);
        *own[i].value = parse_double(where, one->words[from + 1], 0, own[i].most);
        free(one->words[from]);
        free(one->words[from + 1]);
        from += 2;
    }
    one->words[to] = NULL;
}

static void split(bench_case *one, const char *where)
{
    const char *from = one->path ? bench_file_options(one->family->recipe) : one->recipe;
    char  *text = checked_calloc(strlen(from) + 1, 1), *next, *word;
    size_t count = 0;

    one->words = checked_calloc(WORDS + 1, sizeof *one->words);
    one->words[count++] = checked_strdup("hsched-bench");
    strcpy(text, from);
    for (next = text; (word = strsep(&next, " \t"));) {
        if (!*word)
            continue;
        if (count == WORDS)
            usage_error("%s: more than %d words", where, WORDS);
        one->words[count++] = checked_strdup(word);
    }
    free(text);
}

static bool draws_numbers(const bench_case *one)
{
    gen_family family = one->line.request.family;

    if (one->path)
        return one->wrong > 0 || one->late > 0;
    return one->machine > 0 || one->perturb > 0 || one->wrong > 0 || one->late > 0 || family == GEN_GAMMA ||
           family == GEN_UNIFORM || family == GEN_ADVERSARY ||
           (family >= GEN_CHAIN && family <= GEN_TOPCUOGLU);
}

/* Read the recipe of a time of a profile; return false if it is another recipe. */
static bool read_held_out(bench_case *one, const char *where)
{
    char **word = one->words + 1;

    if (!word[0] || strcmp(word[0], "profile") != 0)
        return false;
    if (!word[1] || !word[2] || (word[3] && (strcmp(word[3], "gpu") != 0 || word[4])))
        usage_error("%s: '%s' is not of the form profile KERNEL SIZE [gpu]", where, one->recipe);
    one->held_out = (bench_held_out){.key = word[1],
                                     .type = word[3] ? HS_GPU : HS_CPU,
                                     .size = parse_double(where, word[2], 0, 1e300)};
    return true;
}

static void check_machine(const bench_case *one, const char *where)
{
    gen_family family = one->line.request.family;
    bool       is_tiled = family >= GEN_CHOLESKY && family <= GEN_QR;

    if (one->machine > 0 && (one->wrong > 0 || one->late > 0 || one->overhead > 0 ||
                             one->perturb > 0 || one->line.request.kernel_count > 0))
        usage_error("%s: --machine makes all times: remove --perturb, --wrong, --late, --overhead "
                    "and --kernel-count",
                    where);
    if (one->tile > 0 ? !is_tiled || !(one->machine > 0) : is_tiled && one->machine > 0)
        usage_error("%s: --tile and --machine belong together for cholesky, lu and qr", where);
}

/* Read the options of a family of files, of which the own ones are removed. */
static void read_file_options(bench_case *one, const char *where)
{
    gen_request *request = &one->line.request;

    for (char **word = one->words + 1; *word; word += 2) {
        bool is_cpus = strcmp(*word, "-m") == 0;

        if ((!is_cpus && strcmp(*word, "-k") != 0) || !word[1])
            usage_error("%s: unexpected '%s': files take -m N, -k N, --wrong, --late and "
                        "--overhead",
                        where, *word);
        *(is_cpus ? &request->cpus : &request->gpus) =
            (unsigned)parse_unsigned(where, word[1], 0, HS_MAX_WORKERS);
        *(is_cpus ? &request->has_cpus : &request->has_gpus) = true;
    }
    if (one->perturb > 0 || one->machine > 0 || one->tile > 0)
        usage_error("%s: --perturb, --machine and --tile are not for files", where);
}

bool bench_recipe_read(bench_case *one, const char *where)
{
    gen_request *request = &one->line.request;
    int          words = 0;

    split(one, where);
    if (read_held_out(one, where))
        return false;
    take_own(one, where);
    if (one->path) {
        read_file_options(one, where);
        return draws_numbers(one);
    }
    while (one->words[words])
        words++;
    gen_read_options(words, one->words, "hsched-bench", &one->line);
    if (one->perturb > 0 &&
        (!request->kernels || request->family < GEN_CHOLESKY || request->family > GEN_QR))
        usage_error("%s: --perturb is for cholesky, lu and qr with --kernels", where);
    if (request->kernel_count > 0 &&
        (one->wrong > 0 || one->late > 0 || one->overhead > 0 || one->perturb > 0))
        usage_error("%s: --kernel-count varies the times within kernels already: remove --wrong, "
                    "--late and --overhead",
                    where);
    check_machine(one, where);
    if (one->line.list || strcmp(one->line.path[GEN_INSTANCE], "-") != 0)
        usage_error("%s: '%s' is no instance", where, one->recipe);
    if (request->seed != 0)
        usage_error("%s: remove the seed of '%s': the line `seeds` gives all seeds", where,
                    one->recipe);
    request->seed = one->seed;
    return draws_numbers(one);
}

double bench_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Return a random factor in [1 - part, 1 + part). */
static double factor(uint64_t *state, double part)
{
    return 1 - part + 2 * part * bench_draw(state);
}

hs_status bench_tiled(const gen_request *request, const hs_kernel_table *table, int graph,
                      hs_instance **out)
{
    hs_tiled spec = {
        .struct_size = sizeof spec,
        .kind = (hs_factorisation)(request->family - GEN_CHOLESKY),
        .tiles = request->tiles,
        .cpus = request->has_cpus ? request->cpus : table->cpus,
        .gpus = request->has_gpus ? request->gpus : table->gpus,
        .compact = !graph,
        .graph = graph,
        .table = table,
    };

    return hs_generate_tiled(&spec, out, NULL);
}

/* Compute the area bound of the tasks without their dependencies. */
static hs_status area(const gen_request *request, const hs_kernel_table *table, double *value)
{
    hs_instance *in = NULL;
    hs_status    status = bench_tiled(request, table, 0, &in);

    if (status == HS_OK)
        status = hs_bound_compute(hs_bound_find("theorem2"), in, NULL, value);
    hs_instance_free(in);
    return status;
}

static hs_status perturb(const bench_case *one, const hs_kernel_table *from, hs_instance **out)
{
    hs_kernel       kernels[KERNELS];
    hs_kernel_table table = *from;
    double          before, after;
    uint64_t        state = one->seed;
    hs_status       status = from->count <= KERNELS ? HS_OK : HS_ETOOBIG;

    table.kernels = kernels;
    for (size_t i = 0; i < from->count && status == HS_OK; i++) {
        kernels[i] = from->kernels[i];
        kernels[i].cpu *= factor(&state, one->perturb);
        kernels[i].gpu *= factor(&state, one->perturb);
    }
    if (status == HS_OK)
        status = area(&one->line.request, from, &before);
    if (status == HS_OK)
        status = area(&one->line.request, &table, &after);
    for (size_t i = 0; i < from->count && status == HS_OK; i++) {
        kernels[i].cpu *= before / after;
        kernels[i].gpu *= before / after;
    }
    return status == HS_OK ? bench_tiled(&one->line.request, &table, one->line.request.graph, out)
                           : status;
}

static int make_perturbed(const bench_case *one, hs_instance **out)
{
    const hs_kernel_table *table;
    hs_kernel_table       *read = NULL;
    int code = kernel_table_find_or_read(one->line.request.kernels, &table, &read);
    hs_status              status;

    if (code)
        return code;
    status = perturb(one, table, out);
    hs_kernel_table_free(read);
    return status == HS_OK ? EXIT_OK : message_status(status, one->recipe);
}

/* Return the mean of the tasks' smaller times, the unit of delays. */
static double mean_least_time(const hs_instance *in)
{
    double sum = 0;
    size_t rows = hs_instance_rows(in);

    for (size_t i = 0; i < rows; i++) {
        hs_task task;

        hs_instance_row(in, i, &task);
        sum += fmin(task.cpu, task.gpu);
    }
    return rows ? sum / (double)rows : 0;
}

static hs_status add_true_rows(const void *of, const hs_instance *in, hs_builder *b)
{
    const bench_case *one = of;
    double    delay = one->late * mean_least_time(in);
    uint64_t  state = ~one->seed; /* a seed that differs from the seed of the instance */
    hs_status status = HS_OK;

    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;
        double  late = 2 * delay * bench_draw(&state);

        hs_instance_row(in, i, &task);
        task.cpu = task.cpu * factor(&state, one->wrong) + late;
        task.gpu = task.gpu * factor(&state, one->wrong) + late;
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

static hs_status add_dear_rows(const void *of, const hs_instance *in, hs_builder *b)
{
    const bench_case *one = of;
    hs_status status = HS_OK;

    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;

        hs_instance_row(in, i, &task);
        task.cpu += one->overhead;
        task.gpu += one->overhead;
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

hs_status bench_instance_rebuild(const hs_instance *in, bench_add_rows *add, const void *context,
                                 hs_instance **out)
{
    hs_builder *b = NULL;
    hs_status   status = hs_builder_create(&b);

    if (status == HS_OK)
        status = hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in));
    if (status == HS_OK)
        status = hs_builder_set_unit(b, hs_instance_unit(in));
    if (status == HS_OK)
        status = add(context, in, b);
    if (status == HS_OK && hs_instance_has_graph(in))
        status = hs_builder_copy_graph(b, in);
    if (status == HS_OK)
        status = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return status;
}

static hs_status add_unknown_rows(const void *context, const hs_instance *in, hs_builder *b)
{
    hs_status status = HS_OK;

    (void)context;
    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;

        hs_instance_row(in, i, &task);
        task.cpu = isinf(task.cpu) ? task.cpu : HS_UNKNOWN;
        task.gpu = isinf(task.gpu) ? task.gpu : HS_UNKNOWN;
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

hs_status bench_instance_forget(const hs_instance *in, hs_instance **out)
{
    return bench_instance_rebuild(in, add_unknown_rows, NULL, out);
}

/*
 * Make the instance of tasks of a few kernels: the estimates are the mean times of the kernels. The
 * witness is the schedule of HeteroPrio with these estimates.
 */
static int make_similar(const bench_case *one, bool wants_witness, bench_instance *out)
{
    gen_request        request = one->line.request;
    gen_result         made = {0}, means = {0};
    hs_policy_settings settings;
    hs_schedule       *witness = NULL;
    hs_status          status = HS_OK;
    int                code = gen_make(&request, &made);

    hs_policy_settings_init(&settings);
    settings.tolerance = BENCH_TOLERANCE;
    request.within_cv = 0;
    if (!code)
        code = gen_make(&request, &means);
    if (!code && wants_witness)
        status = hs_policy_simulate(hs_policy_find("heteroprio"), means.instance, NULL,
                                    made.instance, &settings, &witness, NULL);
    if (status != HS_OK)
        code = message_status(status, one->recipe);
    *out = (bench_instance){.in = means.instance, .truth = made.instance, .witness = witness};
    means.instance = made.instance = NULL;
    gen_result_free(&means);
    gen_result_free(&made);
    return code;
}

static int read_file(const bench_case *one, hs_instance **out)
{
    const gen_request *request = &one->line.request;
    hs_read_settings   reading;

    hs_read_settings_init(&reading);
    reading.cpus = request->cpus;
    reading.gpus = request->gpus;
    reading.has_cpus = request->has_cpus;
    reading.has_gpus = request->has_gpus;
    return input_instance(one->path, &reading, out);
}

int bench_instance_make(const bench_case *one, bool wants_witness, bench_instance *out)
{
    gen_request  request = one->line.request;
    gen_result   made = {0};
    hs_instance *dear = NULL;
    hs_status    status = HS_OK;
    int          code;

    if (one->machine > 0)
        return bench_machine_instance(one, &out->in);
    if (request.kernel_count > 0)
        return make_similar(one, wants_witness, out);
    request.wants_witness = wants_witness && request.family == GEN_WORST &&
                            !(one->overhead > 0 || one->wrong > 0 || one->late > 0);
    request.wants_bad = 0;
    if (one->path)
        code = read_file(one, &made.instance);
    else if (one->perturb > 0)
        code = make_perturbed(one, &made.instance);
    else
        code = gen_make(&request, &made);
    if (!code && one->overhead > 0)
        status = bench_instance_rebuild(made.instance, add_dear_rows, one, &dear);
    if (dear) {
        hs_instance_free(made.instance);
        made.instance = dear;
    }
    if (!code && status == HS_OK && (one->wrong > 0 || one->late > 0))
        status = bench_instance_rebuild(made.instance, add_true_rows, one, &out->truth);
    if (status != HS_OK)
        code = message_status(status, one->recipe);
    out->in = made.instance;
    out->witness = made.witness;
    made.instance = NULL;
    made.witness = NULL;
    gen_result_free(&made);
    return code;
}

void bench_instance_free(bench_instance *instance)
{
    hs_instance_free(instance->in);
    hs_instance_free(instance->truth);
    hs_schedule_free(instance->witness);
    *instance = (bench_instance){0};
}
