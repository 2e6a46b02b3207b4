/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen: read the command line. */
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "common/files.h"
#include "common/help.h"
#include "common/kernel_table.h"
#include "common/message.h"
#include "common/nearest_word.h"
#include "common/options.h"
#include "gen/gen.h"
#include "gen/jobs/value_lists.h"

/* Return application `index`, without applications named like a family; NULL past the last. */
static const char *application_word(size_t index)
{
    for (size_t i = 0; i < hs_application_count(); i++) {
        const char *name = hs_application_name(hs_application_at(i));

        if (!gen_is_family(name, NULL) && index-- == 0)
            return name;
    }
    return NULL;
}

/* Return operand `index` for completion: a family, or a name within a family. */
static const char *operand_word(size_t index)
{
    if (index < GEN_FAMILIES)
        return gen_family_name(index);
    index -= GEN_FAMILIES;
    if (index < hs_worst_count())
        return hs_worst_name(hs_worst_at(index));
    index -= hs_worst_count();
    for (size_t i = 0; hs_identical_name(i); i++)
        if (index-- == 0)
            return hs_identical_name(i);
    return application_word(index);
}

/*
 * Sets of families, a bit each, for option_spec.scope: the families that accept an option; 0: every
 * family.
 */
#define FOR(family) (1u << (family))
enum {
    SHAPED = FOR(GEN_CHAIN) | FOR(GEN_FORK_JOIN) | FOR(GEN_LAYERED) | FOR(GEN_RANDOM) |
             FOR(GEN_REDUCTION) | FOR(GEN_TOPCUOGLU),
    IDENTICAL = FOR(GEN_IDENTICAL),
    RANDOM = FOR(GEN_GAMMA) | FOR(GEN_UNIFORM) | IDENTICAL | SHAPED,
    TILED = FOR(GEN_CHOLESKY) | FOR(GEN_LU) | FOR(GEN_QR),
    GAMMA = FOR(GEN_GAMMA) | SHAPED,
    UNIFORM = FOR(GEN_UNIFORM) | SHAPED,
    MEASURED = TILED | FOR(GEN_APPLICATIONS),
    IMPORT = FOR(GEN_IMPORT),
    JOBS = FOR(GEN_JOBS),
    ADVERSARY = FOR(GEN_ADVERSARY)
};

typedef gen_line command_line;

static void take_range(const options *o, double *low, double *high)
{
    const char *name = o->current->name, *colon = strchr(o->value, ':');
    char        first[64];

    if (!colon || (size_t)(colon - o->value) >= sizeof first)
        usage_error("--%s: '%s' is not of the form LOW:HIGH", name, o->value);
    snprintf(first, sizeof first, "%.*s", (int)(colon - o->value), o->value);
    *low = parse_double(name, first, 0, DBL_MAX);
    *high = parse_double(name, colon + 1, 0, DBL_MAX);
    if (!(*low > 0))
        usage_error("--%s: times must be above 0", name);
    if (*low > *high)
        usage_error("--%s: %s is an empty range", name, o->value);
}

static void take_cpu_range(const options *o, void *data)
{
    command_line *line = data;

    take_range(o, &line->request.uniform.cpu_low, &line->request.uniform.cpu_high);
}

static void take_gpu_range(const options *o, void *data)
{
    command_line *line = data;

    take_range(o, &line->request.uniform.gpu_low, &line->request.uniform.gpu_high);
}

static const option_spec option_table[] = {
    {'n',
     "tasks",
     "N",
     {OPTION_WHOLE(request.tasks, 0, HS_MAX_TASKS), .scope = RANDOM | ADVERSARY},
     "number of tasks (default: 300); adversary: maximum (default: 8 per worker, up to 64)"},
    {'m',
     "cpus",
     "N",
     {OPTION_WHOLE(request.cpus, 0, HS_MAX_WORKERS),
      .scope = RANDOM | MEASURED | IMPORT | ADVERSARY},
     "number of CPUs (default: 20, or the number of the kernel table or the imported file; "
     "applications and adversary: 1)"},
    {'k',
     "gpus",
     "N",
     {OPTION_WHOLE(request.gpus, 0, HS_MAX_WORKERS),
      .scope = (RANDOM & ~IDENTICAL) | MEASURED | IMPORT | ADVERSARY},
     "number of GPUs (default: 4, or as for -m)"},
    {0,
     "nodes",
     "N",
     {OPTION_WHOLE(request.nodes, 1, HS_MAX_NODES), .scope = RANDOM | MEASURED | IMPORT},
     "divide the CPUs and GPUs evenly among N nodes; with links, also a link between nodes"},
    {0,
     "node-bandwidth",
     "X",
     {OPTION_REAL(request.node_bandwidth, 0, DBL_MAX), .scope = RANDOM | MEASURED | IMPORT},
     "--nodes: bytes per second of the link between nodes (default: those between host and GPU)"},
    {'s',
     "seed",
     "SEED",
     {OPTION_WHOLE(request.seed, 0, OPTION_ANY), .scope = RANDOM | ADVERSARY},
     "seed of the random numbers; the same seed gives the same instance everywhere (default: 0)"},
    {'o',
     "output",
     "FILE",
     {OPTION_FILE(path[GEN_INSTANCE])},
     "write the instance to FILE; '-', the default, is standard output"},
    {0,
     "cpu-mean",
     "X",
     {OPTION_REAL(request.gamma.cpu_mean, 0, DBL_MAX), .scope = GAMMA},
     "gamma: mean CPU time (default: 15)"},
    {0,
     "cpu-cv",
     "X",
     {OPTION_REAL(request.gamma.cpu_cv, 0, DBL_MAX), .scope = GAMMA},
     "gamma: coefficient of variation of CPU times (default: 0.2)"},
    {0,
     "gpu-mean",
     "X",
     {OPTION_REAL(request.gamma.gpu_mean, 0, DBL_MAX), .scope = GAMMA},
     "gamma: mean GPU time (default: 1)"},
    {0,
     "gpu-cv",
     "X",
     {OPTION_REAL(request.gamma.gpu_cv, 0, DBL_MAX), .scope = GAMMA},
     "gamma: coefficient of variation of GPU times (default: 1)"},
    {0,
     "kernel-count",
     "N",
     {OPTION_WHOLE(request.kernel_count, 1, HS_MAX_TASKS), .scope = FOR(GEN_GAMMA)},
     "gamma: the tasks belong to N kernels, and the options above describe the mean times of "
     "kernels (default: each task has its own times)"},
    {0,
     "within-cv",
     "X",
     {OPTION_REAL(request.within_cv, 0, DBL_MAX), .scope = FOR(GEN_GAMMA)},
     "--kernel-count: coefficient of variation of the times of a kernel (default: 0.2)"},
    {0,
     "cpu-range",
     "LOW:HIGH",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_cpu_range), .scope = UNIFORM | IDENTICAL},
     "uniform, identical: range of CPU times (default: 1:100; identical: see --list)"},
    {0,
     "gpu-range",
     "LOW:HIGH",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_gpu_range), .scope = UNIFORM},
     "uniform: range of GPU times (default: 1:10)"},
    {0,
     "integer",
     NULL,
     {OPTION_FLAG(request.uniform.integer), .scope = UNIFORM},
     "uniform: whole numbers only"},
    {0,
     "kernels",
     "FILE|NAME",
     {OPTION_NAME(kernel_table_name_at, request.kernels), .scope = TILED | SHAPED},
     "kernel table with the times, built-in (see --list) or a file (cholesky, lu, qr: default "
     "the first built-in table with all kernels); graphs by shape: each task is a kernel of the "
     "table"},
    {0,
     "compact",
     NULL,
     {OPTION_FLAG(request.compact), .scope = TILED},
     "cholesky, lu, qr: one row with a count for each kernel, and no priorities"},
    {0,
     "precision",
     "double|single",
     {OPTION_WORD(NULL, request.single), .scope = TILED},
     "cholesky, lu, qr: double precision as in the table (default), or single precision, with "
     "half of the times"},
    {0,
     "graph",
     NULL,
     {OPTION_FLAG(request.graph), .scope = TILED | ADVERSARY},
     "cholesky, lu, qr: a graph, whose dependencies follow from the tiles that each task "
     "accesses; adversary: search among graphs"},
    {0,
     "times",
     "gamma|uniform|spread",
     {OPTION_WORD(NULL, request.shaped.law), .scope = SHAPED},
     "graphs by shape: distribution of times as in gamma or uniform, or spread around one mean "
     "(default: spread for topcuoglu, else gamma)"},
    {0,
     "mean",
     "X",
     {OPTION_REAL(request.shaped.mean, 0, DBL_MAX), .scope = SHAPED},
     "spread: mean time X (default: 1); the mean of each task is uniform in [0, 2X]"},
    {0,
     "beta",
     "X",
     {OPTION_REAL(request.shaped.beta, 0, 2), .scope = SHAPED},
     "spread: width of the range of a task's two times, relative to its mean (default: 0.5)"},
    {0,
     "width",
     "N",
     {OPTION_WHOLE(request.shaped.width, 1, HS_MAX_TASKS),
      .scope = FOR(GEN_FORK_JOIN) | FOR(GEN_LAYERED)},
     "fork-join, layered: number of parallel tasks (default: the square root of the number of "
     "tasks)"},
    {0,
     "degree",
     "N",
     {OPTION_WHOLE(request.shaped.degree, 1, 1000000),
      .scope = FOR(GEN_LAYERED) | FOR(GEN_RANDOM) | FOR(GEN_REDUCTION) | FOR(GEN_TOPCUOGLU)},
     "layered: predecessors of each task; random, topcuoglu: mean number of successors; "
     "reduction: tasks merged at a time (default: 2)"},
    {0,
     "alpha",
     "X",
     {OPTION_REAL(request.shaped.alpha, 0, DBL_MAX), .scope = FOR(GEN_TOPCUOGLU)},
     "topcuoglu: shape; above 1 wide and short, below 1 narrow and long (default: 1)"},
    {0,
     "ccr",
     "X",
     {OPTION_REAL(request.shaped.ccr, 0, DBL_MAX), .scope = SHAPED},
     "graphs by shape: mean transfer time of an edge / mean time of a task (default: 0, no "
     "transfers)"},
    {0,
     "bandwidth",
     "X",
     {OPTION_REAL(request.shaped.bandwidth, 0, DBL_MAX), .scope = SHAPED},
     "--ccr: bytes per second of the links (default: 1e10)"},
    {0,
     "problem",
     "small|medium|large",
     {OPTION_WORD(NULL, request.problem), .scope = FOR(GEN_APPLICATIONS)},
     "applications: their size (default: small)"},
    {0,
     "from",
     "stg|dot|wfcommons|starpu",
     {OPTION_WORD(NULL, request.format), .scope = IMPORT},
     "import: format of the file (default: by its ending .stg, .dot or .gv, .json, .rec)"},
    {0,
     "speedup",
     "RULES",
     {OPTION_TEXT(request.import.speedup), .scope = IMPORT},
     "import: acceleration, by which CPU times are divided to get GPU times: a number, or "
     "NAME=NUMBER,..., where the first match holds and '*' in NAME matches any text; 'none' for "
     "tasks that cannot run on a GPU"},
    {0,
     "least-time",
     "X",
     {OPTION_REAL(request.import.least_time, 0, DBL_MAX), .scope = IMPORT},
     "import: minimum time; shorter times are raised to X (default: a time of 0 is an error)"},
    {0,
     "unit",
     "s|ms|us|ns",
     {OPTION_WORD(NULL, request.import.unit), .scope = IMPORT},
     "import: unit of times in STG, and in DOT without a unit (default: s)"},
    {0,
     "time-attribute",
     "NAME",
     {OPTION_TEXT(request.import.time), .scope = IMPORT},
     "import: attribute of DOT nodes with the CPU time (default: cpu)"},
    {0,
     "bytes-attribute",
     "NAME",
     {OPTION_TEXT(request.import.bytes), .scope = IMPORT},
     "import: attribute of DOT edges with the bytes (default: bytes)"},
    {0,
     "max-time",
     "N",
     {OPTION_WHOLE(request.most_time, 1, 1000000), .scope = ADVERSARY},
     "adversary: maximum of the times, which are whole numbers (default: 100)"},
    {0,
     "gpu-command",
     "TEMPLATE",
     {OPTION_TEXT(request.gpu_command), .scope = JOBS},
     "jobs: template of the commands for GPUs"},
    {0,
     "iterations",
     "N",
     {OPTION_WHOLE(request.iterations, 1, OPTION_ANY), .scope = ADVERSARY},
     "adversary: number of instances to try (default: 1000000)"},
    {'t',
     "time-limit",
     "TIME",
     {OPTION_TIME(request.seconds, 1e-3, 1e9), .scope = ADVERSARY},
     "adversary: time limit of the search, in seconds or as in 5m; the result then depends on "
     "the machine"},
    {0,
     "witness",
     "PLAN",
     {OPTION_FILE(path[GEN_WITNESS]), .scope = FOR(GEN_WORST) | ADVERSARY},
     "worst, adversary: also write a good schedule as a plan"},
    {0,
     "worst-plan",
     "PLAN",
     {OPTION_FILE(path[GEN_BAD]), .scope = FOR(GEN_WORST) | ADVERSARY},
     "worst list, adversary: also write the bad schedule as a plan"},
    {0,
     "certificate",
     "FILE",
     {OPTION_FILE(path[GEN_CERTIFICATE]), .scope = ADVERSARY},
     "adversary: also write a certificate of the lower bound"},
    {0,
     "list",
     NULL,
     {OPTION_FLAG(list)},
     "print all families, kernel tables and worst cases, and exit"},
    {0}};

static void print_families(FILE *out, const void *line)
{
    (void)line;
    fputs("Families:\n", out);
    for (size_t i = 0; i < GEN_FAMILIES; i++) {
        int used = fprintf(out, "  %s", gen_family_name(i));

        help_wrap(out, gen_family_summary((gen_family)i), used, 16);
    }
}

static const tool_spec tool = {
    .name = "hsched-gen",
    .operands = "FAMILY [ARGUMENT]...",
    .summary = "Generate an instance: independent tasks or a task graph, with the times of each "
               "task on a CPU and on a GPU; or a table of commands without times.",
    .options = option_table,
    .word = operand_word,
    .epilogue = print_families,
};

static const char listed[] = "hsched-gen --list lists all";

static const char *family_word(size_t index)
{
    return index < GEN_FAMILIES ? gen_family_name(index) : NULL;
}

static const char *worst_word(size_t index)
{
    const hs_worst *worst = hs_worst_at(index);

    return worst ? hs_worst_name(worst) : NULL;
}

static gen_family find_family(const char *name)
{
    gen_family family;

    if (gen_is_family(name, &family))
        return family;
    report_unknown_word(NULL, "family", name, family_word, listed);
}

static const char *needed_operand(options *o, gen_family family, const char *what)
{
    const char *text = options_operand(o);

    if (!text)
        usage_error("%s needs %s", gen_family_name(family), what);
    return text;
}

static void take_worst(options *o, gen_request *request)
{
    const char *name = needed_operand(o, GEN_WORST, "the name of a worst case and its argument");
    const char *argument = needed_operand(o, GEN_WORST, "an argument behind the name");
    char        label[64];

    request->worst = hs_worst_find(name);
    if (!request->worst)
        report_unknown_word(NULL, "worst case", name, worst_word, listed);
    snprintf(label, sizeof label, "worst %s", name);
    request->argument =
        (unsigned)parse_unsigned(label, argument, hs_worst_least_argument(request->worst),
                                 hs_worst_most_argument(request->worst));
}

static void take_identical(options *o, gen_request *request)
{
    const char *name = needed_operand(o, GEN_IDENTICAL, "the name of what draws its times");
    size_t      i = 0;

    while (hs_identical_name(i) && strcmp(hs_identical_name(i), name) != 0)
        i++;
    if (!hs_identical_name(i))
        report_unknown_word("identical", "family", name, hs_identical_name, listed);
    if (request->has_range && !hs_identical_has_range(i))
        usage_error("--cpu-range is not for identical %s", name);
    request->identical.family = hs_identical_name(i);
}

static void take_operands(options *o, gen_request *request)
{
    const char *name = options_operand(o), *surplus;

    if (!name)
        usage_error("a family is needed; hsched-gen --list lists all");
    request->family = find_family(name);
    if (request->family == GEN_WORST)
        take_worst(o, request);
    else if (request->family == GEN_IDENTICAL)
        take_identical(o, request);
    else if (TILED & FOR(request->family))
        request->tiles = (unsigned)parse_unsigned(
            name, needed_operand(o, request->family, "a number of tiles"), 1, 65536);
    else if (request->family == GEN_APPLICATIONS)
        request->applications =
            needed_operand(o, request->family, "a list of applications, NAME[:COPIES],...");
    else if (request->family == GEN_IMPORT) {
        request->file = needed_operand(o, request->family, "a file");
        request->models = options_operand(o);
    } else if (request->family == GEN_JOBS) {
        request->command_words = options_operand_count(o);
        request->command = o->argv + o->argc - request->command_words;
        return;
    } else if (request->family == GEN_ADVERSARY) {
        request->algorithm = needed_operand(o, GEN_ADVERSARY, "the name of an algorithm");
    }
    surplus = options_operand(o);
    if (surplus)
        usage_error("unexpected '%s' behind %s", surplus, name);
}

static bool is_whole(double value)
{
    return floor(value) == value && value <= 0x1p53;
}

/* Refuse a given option that the family does not accept. */
static void check_scope(const options *o, gen_family family)
{
    const option_spec *spec;

    for (spec = option_table; spec->name; spec++)
        if (spec->value.scope && !(spec->value.scope & FOR(family)) && options_given(o, spec->name))
            usage_error("--%s is not for %s", spec->name, gen_family_name(family));
}

/* Refuse options of a law that is not requested. */
static void check_law(const options *o, const gen_request *request)
{
    static const struct {
        const char *option, *law;
        hs_law      of;
    } laws[] = {
        {"cpu-mean", "gamma", HS_LAW_GAMMA},      {"cpu-cv", "gamma", HS_LAW_GAMMA},
        {"gpu-mean", "gamma", HS_LAW_GAMMA},      {"gpu-cv", "gamma", HS_LAW_GAMMA},
        {"cpu-range", "uniform", HS_LAW_UNIFORM}, {"gpu-range", "uniform", HS_LAW_UNIFORM},
        {"integer", "uniform", HS_LAW_UNIFORM},   {"mean", "spread", HS_LAW_SPREAD},
        {"beta", "spread", HS_LAW_SPREAD},
    };

    if (request->kernels && options_given(o, "times"))
        usage_error("--kernels and --times cannot be used together: both give times");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (options_given(o, laws[i].option) &&
            (request->kernels || laws[i].of != request->shaped.law))
            usage_error("--%s needs --times=%s", laws[i].option, laws[i].law);
    if (options_given(o, "bandwidth") && !options_given(o, "ccr"))
        usage_error("--bandwidth needs --ccr");
}

static void check_shaped(const options *o, const gen_request *request)
{
    if (!(request->shaped.mean > 0))
        usage_error("--mean: it must be above 0");
    if (!(request->shaped.alpha > 0))
        usage_error("--alpha: it must be above 0");
    if (!(request->shaped.bandwidth > 0))
        usage_error("--bandwidth: it must be above 0");
    check_law(o, request);
}

static void check_command_line(const options *o, const command_line *line)
{
    const gen_request *request = &line->request;
    const hs_uniform  *u = &request->uniform;
    const char *const  read[] = {request->file, request->models};

    if (!(request->gamma.cpu_mean > 0))
        usage_error("--cpu-mean: it must be above 0");
    if (!(request->gamma.gpu_mean > 0))
        usage_error("--gpu-mean: it must be above 0");
    check_scope(o, request->family);
    if (options_given(o, "node-bandwidth") && request->nodes == 0)
        usage_error("--node-bandwidth needs --nodes");
    if (options_given(o, "node-bandwidth") && !(request->node_bandwidth > 0))
        usage_error("--node-bandwidth: it must be above 0");
    if (options_given(o, "within-cv") && request->kernel_count == 0)
        usage_error("--within-cv needs --kernel-count");
    if (SHAPED & FOR(request->family))
        check_shaped(o, request);
    if (request->compact && request->graph)
        usage_error("--compact has one row for many tasks; --graph needs one for each");
    if (request->has_cpus && request->has_gpus && request->cpus + request->gpus == 0)
        usage_error("no CPU and no GPU: nothing could run");
    if (request->family == GEN_IDENTICAL && request->cpus == 0)
        usage_error("no CPU: nothing could run");
    if (u->integer && !(is_whole(u->cpu_low) && is_whole(u->cpu_high) && is_whole(u->gpu_low) &&
                        is_whole(u->gpu_high)))
        usage_error("--integer needs ranges of whole numbers up to 2^53");
    files_check(line->path, GEN_FILES, read, 2);
}

/*
 * Take the lists of values behind the first word that begins a list: whatever follows it is a value,
 * not an option. Return the number of words before it.
 */
static int take_lists(int argc, char **argv, gen_request *request)
{
    int end = 0;

    while (end < argc && !value_lists_begin(argv[end]))
        end++;
    request->lists = argv + end;
    request->list_words = (size_t)(argc - end);
    return end;
}

/* Refuse lists of values of another family, and the family `jobs` where times are needed. */
static void check_jobs(const gen_request *request, const char *within)
{
    if (request->family == GEN_JOBS && within)
        usage_error("jobs cannot be used in %s, since its times are unknown", within);
    if (request->family != GEN_JOBS && request->list_words > 0)
        usage_error("unexpected '%s' behind %s: lists of values are for jobs", request->lists[0],
                    gen_family_name(request->family));
}

void gen_read_options(int argc, char **argv, const char *name, gen_line *line)
{
    options   o;
    tool_spec own = tool;

    *line = (gen_line){
        .request =
            {
                .cpus = 20,
                .gpus = 4,
                .tasks = 300,
                .gamma = {.cpu_mean = 15, .cpu_cv = 0.2, .gpu_mean = 1, .gpu_cv = 1},
                .within_cv = 0.2,
                .most_time = 100,
                .uniform = {.cpu_low = 1, .cpu_high = 100, .gpu_low = 1, .gpu_high = 10},
            },
        .path = {[GEN_INSTANCE] = "-"},
    };

    hs_shaped_init(&line->request.shaped);
    hs_import_settings_init(&line->request.import);
    line->request.format = -1;
    own.within = strcmp(name, tool.name) == 0 ? NULL : "a recipe";
    own.name = name;
    optind = 0; /* getopt must restart for another command line */
    argc = take_lists(argc, argv, &line->request);
    if (line->request.list_words > 0)
        own.hint = "; put the command in quotes, or -- before it";
    options_read(&o, &own, argc, argv, line);
    if (line->list)
        return;
    line->request.has_cpus = options_given(&o, "cpus");
    line->request.has_gpus = options_given(&o, "gpus");
    line->request.has_range = options_given(&o, "cpu-range");
    line->request.has_tasks = options_given(&o, "tasks");
    line->request.wants_certificate = options_given(&o, "certificate");
    line->request.wants_witness = options_given(&o, "witness");
    line->request.wants_bad = options_given(&o, "worst-plan");
    take_operands(&o, &line->request);
    check_jobs(&line->request, own.within);
    if (line->request.family == GEN_TOPCUOGLU && !options_given(&o, "times"))
        line->request.shaped.law = HS_LAW_SPREAD;
    check_command_line(&o, line);
}
