/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen: makes instances, from the papers' families and from measured kernels. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/help.h"
#include "common/message.h"
#include "common/options.h"
#include "common/output.h"
#include "gen/gen.h"

enum { OPT_CPU_MEAN = OPTION_LONG, OPT_CPU_CV, OPT_GPU_MEAN, OPT_GPU_CV, OPT_CPU_RANGE,
       OPT_GPU_RANGE, OPT_INTEGER, OPT_KERNELS, OPT_COMPACT, OPT_WITNESS, OPT_WORST_PLAN,
       OPT_LIST };

static const char *table_word(size_t index)
{
    const hs_kernel_table *table = hs_kernel_table_at(index);

    return table ? table->name : NULL;
}

/* An operand is a family, or the name of a worst case. */
static const char *operand_word(size_t index)
{
    if (index < GEN_FAMILIES)
        return gen_family_name(index);
    index -= GEN_FAMILIES;
    return index < hs_worst_count() ? hs_worst_name(hs_worst_at(index)) : NULL;
}

static const option_spec option_table[] = {
    {'n', "tasks", ARGUMENT_TEXT, "N", NULL, "gamma, uniform: how many tasks (default: 300)"},
    {'m', "cpus", ARGUMENT_TEXT, "N", NULL,
     "how many CPUs (default: 20; for a factorisation, what the kernel table says)"},
    {'k', "gpus", ARGUMENT_TEXT, "N", NULL, "how many GPUs (default: 4, or as for -m)"},
    {'s', "seed", ARGUMENT_TEXT, "SEED", NULL,
     "gamma, uniform: the same seed gives the same instance everywhere (default: 0)"},
    {'o', "output", ARGUMENT_FILE, "FILE", NULL,
     "write the instance there; '-', the default, is standard output"},
    {OPT_CPU_MEAN, "cpu-mean", ARGUMENT_TEXT, "X", NULL, "gamma: mean CPU time (default: 15)"},
    {OPT_CPU_CV, "cpu-cv", ARGUMENT_TEXT, "X", NULL,
     "gamma: coefficient of variation of CPU times (default: 0.2)"},
    {OPT_GPU_MEAN, "gpu-mean", ARGUMENT_TEXT, "X", NULL, "gamma: mean GPU time (default: 1)"},
    {OPT_GPU_CV, "gpu-cv", ARGUMENT_TEXT, "X", NULL,
     "gamma: coefficient of variation of GPU times (default: 1)"},
    {OPT_CPU_RANGE, "cpu-range", ARGUMENT_TEXT, "LOW:HIGH", NULL,
     "uniform: bounds of CPU times (default: 1:100)"},
    {OPT_GPU_RANGE, "gpu-range", ARGUMENT_TEXT, "LOW:HIGH", NULL,
     "uniform: bounds of GPU times (default: 1:10)"},
    {OPT_INTEGER, "integer", ARGUMENT_NONE, NULL, NULL, "uniform: whole numbers only"},
    {OPT_KERNELS, "kernels", ARGUMENT_WORD, "FILE|NAME", table_word,
     "cholesky, lu, qr: times from a built-in table (--list names them) or from a file (default: "
     "the first built-in table with all the kernels)"},
    {OPT_COMPACT, "compact", ARGUMENT_NONE, NULL, NULL,
     "cholesky, lu, qr: one row with a count for each kernel, and no priorities"},
    {OPT_WITNESS, "witness", ARGUMENT_FILE, "PLAN", NULL,
     "worst: also write a good schedule as a plan"},
    {OPT_WORST_PLAN, "worst-plan", ARGUMENT_FILE, "PLAN", NULL,
     "worst list: also write the bad schedule as a plan"},
    {OPT_LIST, "list", ARGUMENT_NONE, NULL, NULL,
     "print what families, kernel tables and worst cases there are, and exit"},
    {0}
};

static void print_families(FILE *out)
{
    fputs("Families:\n", out);
    for (size_t i = 0; i < GEN_FAMILIES; i++) {
        int used = fprintf(out, "  %s", gen_family_name(i));

        help_wrap(out, gen_family_summary((gen_family)i), used, 12);
    }
}

static const tool_spec tool = {
    .name = "hsched-gen",
    .operands = "gamma|uniform|cholesky N|lu N|qr N|worst NAME ARG",
    .summary = "Make an instance: independent tasks with their times on a CPU and on a GPU, for "
               "hsched-solve and other programs.",
    .options = option_table,
    .word = operand_word,
    .epilogue = print_families,
};

/* Which families an option is for; those not listed here serve all. */
#define FOR(family) (1u << (family))
enum {
    RANDOM = FOR(GEN_GAMMA) | FOR(GEN_UNIFORM),
    TILED = FOR(GEN_CHOLESKY) | FOR(GEN_LU) | FOR(GEN_QR)
};

static const struct {
    int      code;
    unsigned families;
} uses[] = {
    {'n', RANDOM},
    {'s', RANDOM},
    {'m', RANDOM | TILED},
    {'k', RANDOM | TILED},
    {OPT_CPU_MEAN, FOR(GEN_GAMMA)},
    {OPT_CPU_CV, FOR(GEN_GAMMA)},
    {OPT_GPU_MEAN, FOR(GEN_GAMMA)},
    {OPT_GPU_CV, FOR(GEN_GAMMA)},
    {OPT_CPU_RANGE, FOR(GEN_UNIFORM)},
    {OPT_GPU_RANGE, FOR(GEN_UNIFORM)},
    {OPT_INTEGER, FOR(GEN_UNIFORM)},
    {OPT_KERNELS, TILED},
    {OPT_COMPACT, TILED},
    {OPT_WITNESS, FOR(GEN_WORST)},
    {OPT_WORST_PLAN, FOR(GEN_WORST)},
};
enum { USES = sizeof uses / sizeof *uses };

/* What the command line says, beside the request itself. */
typedef struct command_line {
    const char *output, *witness, *bad;
    const char *given[USES]; /* names of the options met, in the order of `uses` */
    int         list;
} command_line;

static double positive(const options *o)
{
    double value = options_double(o, 0, DBL_MAX);

    if (!(value > 0))
        usage_error("--%s: it must be above 0", o->current->name);
    return value;
}

static void take_range(const options *o, double *low, double *high)
{
    const char *name = o->current->name, *colon = strchr(o->value, ':');
    char        first[64];

    if (!colon || (size_t)(colon - o->value) >= sizeof first)
        usage_error("--%s: '%s' is not of the form LOW:HIGH", name, o->value);
    memcpy(first, o->value, (size_t)(colon - o->value));
    first[colon - o->value] = '\0';
    *low = parse_double(name, first, 0, DBL_MAX);
    *high = parse_double(name, colon + 1, 0, DBL_MAX);
    if (!(*low > 0))
        usage_error("--%s: times must be above 0", name);
    if (*low > *high)
        usage_error("--%s: %s is an empty range", name, o->value);
}

static void take_option(const options *o, int code, command_line *line, gen_request *request)
{
    for (size_t i = 0; i < USES; i++)
        if (uses[i].code == code)
            line->given[i] = o->current->name;
    switch (code) {
    case 'n':
        request->tasks = options_unsigned(o, 0, HS_MAX_TASKS);
        break;
    case 'm':
        request->cpus = (unsigned)options_unsigned(o, 0, HS_MAX_WORKERS);
        request->has_cpus = 1;
        break;
    case 'k':
        request->gpus = (unsigned)options_unsigned(o, 0, HS_MAX_WORKERS);
        request->has_gpus = 1;
        break;
    case 's':
        request->seed = options_unsigned(o, 0, UINT64_MAX);
        break;
    case 'o':
        line->output = o->value;
        break;
    case OPT_CPU_MEAN:
        request->gamma.cpu_mean = positive(o);
        break;
    case OPT_CPU_CV:
        request->gamma.cpu_cv = options_double(o, 0, DBL_MAX);
        break;
    case OPT_GPU_MEAN:
        request->gamma.gpu_mean = positive(o);
        break;
    case OPT_GPU_CV:
        request->gamma.gpu_cv = options_double(o, 0, DBL_MAX);
        break;
    case OPT_CPU_RANGE:
        take_range(o, &request->uniform.cpu_low, &request->uniform.cpu_high);
        break;
    case OPT_GPU_RANGE:
        take_range(o, &request->uniform.gpu_low, &request->uniform.gpu_high);
        break;
    case OPT_INTEGER:
        request->uniform.integer = 1;
        break;
    case OPT_KERNELS:
        request->kernels = o->value;
        break;
    case OPT_COMPACT:
        request->compact = 1;
        break;
    case OPT_WITNESS:
        line->witness = o->value;
        request->wants_witness = 1;
        break;
    case OPT_WORST_PLAN:
        line->bad = o->value;
        request->wants_bad = 1;
        break;
    case OPT_LIST:
        line->list = 1;
        break;
    }
}

static gen_family find_family(const char *name)
{
    for (size_t i = 0; i < GEN_FAMILIES; i++)
        if (strcmp(name, gen_family_name(i)) == 0)
            return (gen_family)i;
    usage_error("there is no family '%s'; hsched-gen --list names those there are", name);
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
        usage_error("there is no worst case '%s'; hsched-gen --list names those there are", name);
    snprintf(label, sizeof label, "worst %s", name);
    request->argument = (unsigned)parse_unsigned(label, argument, hs_worst_least(request->worst),
                                                 hs_worst_most(request->worst));
}

static void take_operands(options *o, gen_request *request)
{
    const char *name = options_operand(o), *surplus;

    if (!name)
        usage_error("a family is needed; hsched-gen --list names those there are");
    request->family = find_family(name);
    if (request->family == GEN_WORST)
        take_worst(o, request);
    else if (TILED & FOR(request->family))
        request->tiles = (unsigned)parse_unsigned(
            name, needed_operand(o, request->family, "a number of tiles"), 1, 65536);
    surplus = options_operand(o);
    if (surplus)
        usage_error("unexpected '%s' behind %s", surplus, name);
}

static int is_whole(double value)
{
    return floor(value) == value && value <= 0x1p53;
}

static void check_command_line(const command_line *line, const gen_request *request)
{
    const hs_uniform *u = &request->uniform;
    int               outputs = strcmp(line->output, "-") == 0;

    for (size_t i = 0; i < USES; i++)
        if (line->given[i] && !(uses[i].families & FOR(request->family)))
            usage_error("--%s is not for %s", line->given[i], gen_family_name(request->family));
    if (request->has_cpus && request->has_gpus && request->cpus + request->gpus == 0)
        usage_error("no CPU and no GPU: nothing could run");
    if (u->integer && !(is_whole(u->cpu_low) && is_whole(u->cpu_high) && is_whole(u->gpu_low) &&
                        is_whole(u->gpu_high)))
        usage_error("--integer needs ranges of whole numbers up to 2^53");
    outputs += line->witness && strcmp(line->witness, "-") == 0;
    outputs += line->bad && strcmp(line->bad, "-") == 0;
    if (outputs > 1)
        usage_error("only one result can go to standard output");
}

enum { INSTANCE, WITNESS, BAD, FILES };

static int open_files(const command_line *line, output *file[FILES])
{
    const char *path[FILES] = {line->output, line->witness, line->bad};
    int         code = EXIT_OK;

    for (int i = 0; i < FILES && !code; i++)
        if (path[i])
            code = output_open(path[i], &file[i]);
    return code;
}

static hs_status write_plan(int fd, const hs_instance *in, const hs_schedule *s, const char *name)
{
    hs_plan_info info;

    hs_plan_info_init(&info);
    snprintf(info.algorithm, sizeof info.algorithm, "%s", name);
    return hs_plan_write(fd, in, s, &info);
}

static hs_status write_file(int which, int fd, const gen_result *made)
{
    switch (which) {
    case WITNESS:
        return write_plan(fd, made->instance, made->witness, "witness");
    case BAD:
        return write_plan(fd, made->instance, made->bad, "worst-list");
    default:
        return hs_instance_write(fd, made->instance);
    }
}

/* All are written before any gets its name; those closed become NULL. */
static int write_files(const gen_result *made, output *file[FILES])
{
    int code = EXIT_OK;

    for (int i = 0; i < FILES && !code; i++) {
        hs_status st = file[i] ? write_file(i, output_fd(file[i]), made) : HS_OK;

        if (st != HS_OK) {
            code = output_close(file[i], st);
            file[i] = NULL;
        }
    }
    for (int i = 0; i < FILES && !code; i++) {
        if (file[i])
            code = output_close(file[i], HS_OK);
        file[i] = NULL;
    }
    return code;
}

static int generate(const command_line *line, const gen_request *request)
{
    gen_result made = {0};
    output    *file[FILES] = {0};
    int        code = open_files(line, file);

    if (!code)
        code = gen_make(request, &made);
    if (!code)
        code = write_files(&made, file);
    for (int i = 0; i < FILES; i++)
        output_discard(file[i]);
    gen_result_free(&made);
    return code;
}

int main(int argc, char **argv)
{
    options      o;
    command_line line = {.output = "-"};
    gen_request  request = {
        .cpus = 20, .gpus = 4, .tasks = 300,
        .gamma = {.cpu_mean = 15, .cpu_cv = 0.2, .gpu_mean = 1, .gpu_cv = 1},
        .uniform = {.cpu_low = 1, .cpu_high = 100, .gpu_low = 1, .gpu_high = 10},
    };
    int code;

    options_begin(&o, &tool, argc, argv);
    while ((code = options_next(&o)) != -1)
        take_option(&o, code, &line, &request);
    if (line.list) {
        gen_list();
        return output_finish(EXIT_OK);
    }
    take_operands(&o, &request);
    check_command_line(&line, &request);
    return output_finish(generate(&line, &request));
}
