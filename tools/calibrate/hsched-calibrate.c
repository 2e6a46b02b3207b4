/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate: measures kernels on this machine, for instances with realistic times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "common/kernel_table.h"
#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/files.h"
#include "common/message.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"

/* The kernels of Cholesky, LU and QR, in double and in single precision; an instance or a profile
 * also gets the bandwidth of memory. */
#define DOUBLE_KERNELS "dpotrf,dtrsm,dsyrk,dgemm,dgetrf,dgeqrf,dormqr,dtpqrt,dtpmqrt"
#define SINGLE_KERNELS "spotrf,strsm,ssyrk,sgemm,sgetrf,sgeqrf,sormqr,stpqrt,stpmqrt"
static const char *const usual_kernels[] = {DOUBLE_KERNELS ",copy:64000000",
                                            SINGLE_KERNELS ",copy:64000000"};
static const char *const table_kernels[] = {DOUBLE_KERNELS, SINGLE_KERNELS};

static const char *kernel_word(size_t index)
{
    static const char *const words[] = {
        "dgemm",  "dsyrk",  "dtrsm",  "dpotrf", "dgetrf", "dgeqrf",  "dormqr",
        "dtpqrt", "dtpmqrt", "sgemm", "ssyrk",  "strsm",  "spotrf",  "sgetrf",
        "sgeqrf", "sormqr", "stpqrt", "stpmqrt", "copy:", "spin:", "sleep:"};

    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

typedef struct command_line {
    calibrate_request request;
    const char       *output, *kernels, *sizes, *gpu_table, *profile, *models;
    calibrate_actions actions;
    int               table, no_verify, single, links;
} command_line;

static const option_spec option_table[] = {
    {0,
     "kernels",
     "NAME[:SIZE],...",
     {OPTION_LIST(kernel_word, kernels)},
     "kernels to measure, each with its size or with all of --sizes (default: the kernels of "
     "Cholesky, LU and QR)"},
    {0,
     "precision",
     "double|single",
     {OPTION_WORD(NULL, single)},
     "precision of the default kernels (default: double)"},
    {0, "sizes", "N[,N...]", {OPTION_TEXT(sizes)}, "sizes of kernels without one (default: 960)"},
    {0,
     "repeats",
     "N",
     {OPTION_WHOLE(request.repeats, 1, 10000)},
     "runs of each kernel by each core (default: 10)"},
    {0,
     "warm-up",
     "N",
     {OPTION_WHOLE(request.warm_up, 0, 10000)},
     "unmeasured runs of each kernel by each core before the measured ones (default: 2)"},
    {0,
     "rounds",
     "N",
     {OPTION_WHOLE(request.rounds, 1, 16)},
     "maximum of rounds per kernel; each round doubles the runs, until the times of both halves "
     "agree or half a minute has passed (default: 4)"},
    {'j',
     "cores",
     "N",
     {OPTION_WHOLE(request.cores, 1, 10000)},
     "number of cores that measure at the same time, as in a run of a plan (default: all)"},
    {0,
     "no-verify",
     NULL,
     {OPTION_FLAG(no_verify)},
     "do not verify the results; verification is part of the measured time"},
    {'o',
     "output",
     "FILE",
     {OPTION_FILE(output)},
     "write the instance or table to FILE; '-', the default without --profile, is standard "
     "output"},
    {0,
     "table",
     NULL,
     {OPTION_FLAG(table)},
     "write a kernel table for hsched-gen --kernels instead of an instance"},
    {0,
     "unit",
     "s|ms|us|ns",
     {OPTION_WORD(NULL, request.unit)},
     "unit of the written times (default: ms)"},
    {'m',
     "cpus",
     "N",
     {OPTION_WHOLE(request.cpus, 0, HS_MAX_WORKERS)},
     "number of CPUs of the instance (default: the number of --cores)"},
    {'k',
     "gpus",
     "N",
     {OPTION_WHOLE(request.gpus, 0, HS_MAX_WORKERS)},
     "number of GPUs of the instance (default: the number of --gpu-table, or 0)"},
    {0,
     "count",
     "N",
     {OPTION_WHOLE(request.count, 1, HS_MAX_TASKS - 1)},
     "tasks in each row of the instance (default: 1)"},
    {0,
     "gpu",
     NULL,
     {OPTION_FLAG(request.on_gpu)},
     "also measure GPU times, on the first GPU, with several tasks in flight as in a run of a "
     "plan"},
    {0,
     "resident",
     NULL,
     {OPTION_FLAG(request.resident)},
     "measure GPU times without copies, as in hsched-exec --resident"},
    {0,
      "links",
      NULL,
      {OPTION_FLAG(links)},
      "measure copies between the host and the GPUs instead of kernels, and write '# link' lines "
      "for an instance"},
    {0,
     "gpu-table",
     "FILE|NAME",
     {OPTION_NAME(kernel_table_name_at, gpu_table)},
     "take GPU times from a kernel table, built-in (see hsched-gen --list) or a file (default: "
     "no GPU times)"},
    {0,
     "gpu-by",
     "time|ratio",
     {OPTION_WORD(NULL, request.by_ratio)},
     "use the GPU times of the table (default), or its ratios of GPU time to CPU time"},
    {0,
     "profile",
     "FILE",
     {OPTION_FILE(profile)},
     "add the measured times to this profile, for hsched-exec and hsched-solve --profile"},
    {0,
     "import-perfmodel",
     "FILE...",
     {OPTION_FILE(models)},
     "add the times in StarPU's performance models, from starpu_perfmodel_recdump, to the profile; "
     "measure nothing"},
    {0,
     "list",
     NULL,
     {OPTION_FLAG(actions.list)},
     "print the times in the profile and the laws fitted to them; measure nothing"},
    {0,
     "forget",
     "KEY|all",
     {OPTION_TEXT(actions.forget)},
     "delete the times of a program or kernel, or all times, from the profile; measure nothing"},
    {0,
     "plot",
     "FILE",
     {OPTION_FILE(actions.plot)},
     "draw the times in the profile over the size, with their laws, as SVG; measure nothing"},
    {0}};

static const tool_spec tool = {
    .name = "hsched-calibrate",
    .operands = "[MODELS...]",
    .summary = "Measure kernels on the cores and GPUs of this machine as hsched-exec runs them, "
               "and write an instance or a kernel table with the times, or keep them in a profile.",
    .options = option_table,
};

static void add_kernel(calibrate_list *list, const char *name, const char *size)
{
    calibrate_kernel *kernel = &list->kernels[list->count];
    int length = snprintf(kernel->name, sizeof kernel->name, size ? "%s:%s" : "%s", name, size);

    if (length >= (int)sizeof kernel->name)
        usage_error("--kernels: '%s' is too long", name);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->kernels[i].name, kernel->name) == 0)
            usage_error("--kernels: '%s' is given twice", kernel->name);
    kernel->median = kernel->low = kernel->high = 1;
    kernel->gpu = INFINITY;
    list->count++;
}

static void add_sizes(calibrate_list *list, const char *name, const char *sizes)
{
    char size[32], text[32];

    while (list_next("--sizes", &sizes, size, sizeof size)) {
        snprintf(text, sizeof text, "%llu",
                 (unsigned long long)parse_unsigned("--sizes", size, 1, UINT32_MAX));
        add_kernel(list, name, text);
    }
}

static size_t elements(const char *list)
{
    size_t count = 1;

    for (; *list; list++)
        count += *list == ',';
    return count;
}

static void list_kernels(const command_line *line, calibrate_list *list)
{
    const char *rest = line->kernels;
    char        name[sizeof list->kernels->name];

    list->kernels =
        checked_calloc(elements(line->kernels) * elements(line->sizes), sizeof *list->kernels);
    while (list_next("--kernels", &rest, name, sizeof name)) {
        if (strchr(name, ':'))
            add_kernel(list, name, NULL);
        else
            add_sizes(list, name, line->sizes);
    }
}

/* Set the number of cores. More cores than available would share and distort the times. */
static void take_cores(calibrate_request *request)
{
    unsigned there = hs_exec_core_count();

    if (!request->cores)
        request->cores = there;
    if (request->cores <= there)
        return;
    message("--cores: this machine has %u core%s, fewer than %u", there, plural(there),
            request->cores);
    exit(EXIT_RESOURCE);
}

/* Count the GPUs; the first is measured. Return 0, or an exit code after a message. */
static int find_gpus(unsigned *count)
{
    hs_error  error;
    hs_status status = hs_exec_device_at(NULL, 0, NULL, count, &error);

    if (status == HS_OK)
        return EXIT_OK;
    message("%s", error.why);
    return exit_code(status);
}

static void complete(const options *o, unsigned devices, calibrate_request *request)
{
    if (!options_given(o, "cpus"))
        request->cpus = request->cores;
    if (!options_given(o, "gpus"))
        request->gpus = request->gpu ? request->gpu->gpus : devices;
    if (request->cpus + request->gpus == 0)
        usage_error("no CPU and no GPU: nothing could run");
}

static void note_absent(const calibrate_request *request, const calibrate_kernel *kernel)
{
    if (request->gpu && isinf(kernel->gpu))
        message("kernel %s has no GPU time in table '%s'", kernel->name, request->gpu->name);
}

static int measure_all(const calibrate_request *request, calibrate_list *list)
{
    int code = EXIT_OK;

    progress_begin(list->count);
    for (size_t i = 0; i < list->count && !code; i++) {
        calibrate_kernel *kernel = &list->kernels[i];

        progress_set_done(i, "measuring %s", kernel->name);
        code = calibrate_measure(request, kernel);
        if (code)
            break;
        if (request->on_gpu) {
            code = calibrate_measure_gpu(request, kernel);
        } else {
            kernel->gpu = calibrate_gpu(request, kernel);
            note_absent(request, kernel);
        }
    }
    progress_end();
    return code;
}

static int write_result(const command_line *line, const calibrate_request *request,
                        const calibrate_list *list, output *file)
{
    hs_status st = HS_OK;

    if (!line->table)
        st = calibrate_write_instance(output_fd(file), request, list);
    else if (output_stream(file))
        calibrate_write_table(output_stream(file), request, list);
    else
        st = HS_ENOMEM;
    return output_close(file, st);
}

static int calibrate(const command_line *line, const calibrate_request *request,
                     calibrate_list *list)
{
    output *file = NULL;
    int     code = line->table ? calibrate_check_table(request, list) : EXIT_OK;
    bool    to_stdout;

    if (!code && line->output)
        code = output_open(line->output, &file);
    if (code)
        return code;
    to_stdout = file && output_is_stdout(file);
    code = measure_all(request, list);
    if (code)
        output_discard(file);
    else if (file)
        code = write_result(line, request, list, file);
    if (!code && !to_stdout)
        calibrate_print(stdout, request, list);
    return code;
}

/* Write the measured runs to the profile. Return 0, or an exit code after a message. */
static int write_profile(times_profile *times, hs_cost *fresh)
{
    hs_error  error = {0};
    hs_status st = profile_write(times, fresh, &error);

    if (st == HS_OK)
        st = profile_trim(times, &error);
    if (st == HS_OK)
        return EXIT_OK;
    message("the measured times are lost: %s", error.why);
    return EXIT_WORK;
}

/* Measure, and add the runs to the profile if there is one. */
static int calibrate_into_profile(const command_line *line, calibrate_request *request,
                                  calibrate_list *list)
{
    times_profile times = {.path = line->profile};
    char          gpu[HS_MAX_PROCESSOR_MODEL] = PROFILE_EMULATED;
    int           code;

    if (!line->profile)
        return calibrate(line, request, list);
    if (request->on_gpu)
        calibrate_name_gpu(gpu);
    code = profile_open(&times, line->profile, HS_PROFILE_UPDATE, 1, gpu);
    if (!code && hs_cost_create(&request->fresh) != HS_OK)
        code = message_status(HS_ENOMEM, line->profile);
    if (!code)
        code = calibrate(line, request, list);
    if (!code)
        code = write_profile(&times, request->fresh);
    hs_cost_free(request->fresh);
    profile_close(&times);
    return code;
}

/* Options of a measurement; those behind LINK_OPTIONS are of kernels only. */
enum { LINK_OPTIONS = 2 };
static const char *const measuring[] = {
    "output", "unit",      "kernels", "precision", "sizes", "repeats", "warm-up",
    "rounds", "cores",     "table",   "no-verify", "cpus",  "gpus",    "count",
    "gpu",    "gpu-table", "gpu-by",  "resident",  NULL};

/* Return the first of these names whose option is given, or NULL. */
static const char *given_of(const options *o, const char *const *names)
{
    while (*names && !options_given(o, *names))
        names++;
    return *names;
}

/* Check the options of a profile. */
static void check_profile_options(const options *o, const command_line *line)
{
    const char *given;

    if (is_dash(line->profile))
        usage_error("--profile needs the name of a file, not '-'");
    files_check_svg("--plot", line->actions.plot);
    if (!calibrate_has_action(&line->actions))
        return;
    if (!line->profile)
        usage_error("--import-perfmodel, --list, --forget and --plot need --profile");
    given = given_of(o, measuring);
    if (given)
        usage_error("--%s is for a measurement; --import-perfmodel, --list, --forget and --plot "
                    "measure nothing",
                    given);
}

/* Collect the files with models: the argument of the option, and the operands. */
static void list_models(options *o, command_line *line)
{
    size_t       count = line->models ? 1 + options_operand_count(o) : 0;
    const char **paths = checked_calloc(count, sizeof *paths);

    for (size_t i = 0; i < count; i++)
        paths[i] = i == 0 ? line->models : options_operand(o);
    line->actions.models = paths;
    line->actions.model_count = count;
}

/* Check that no output is an input; the profile is both. */
static void check_files(const command_line *line)
{
    const char *const written[] = {line->output, line->actions.plot, line->profile};
    const char       *table = line->gpu_table;

    if (table && hs_kernel_table_find(table))
        table = NULL;
    files_check(written, 2, &line->profile, 1);
    files_check(written, 3, &table, 1);
    files_check(written, 3, line->actions.models, line->actions.model_count);
}

static void check_command_line(options *o, const command_line *line)
{
    const calibrate_request *request = &line->request;
    const char              *surplus = options_operand(o);

    if (surplus && !line->models)
        usage_error("unexpected operand '%s': give options only", surplus);
    if (options_given(o, "precision") && line->kernels)
        usage_error("--precision selects default kernels and cannot be used with --kernels");
    if (options_given(o, "gpu-by") && !line->gpu_table)
        usage_error("--gpu-by needs --gpu-table");
    if (request->on_gpu && line->gpu_table)
        usage_error("--gpu and --gpu-table cannot be used together: both give GPU times");
    if (line->links && (given_of(o, measuring + LINK_OPTIONS) || line->profile))
        usage_error("--links measures copies alone: of the other options it takes --unit and "
                    "--output");
    if (request->resident && !request->on_gpu)
        usage_error("--resident needs --gpu");
    if (line->profile && line->table && !line->output)
        usage_error("--table needs --output if there is a --profile");
    if (request->count && line->table)
        usage_error("--count and --table cannot be used together");
    check_files(line);
}

static int measure_links(const command_line *line)
{
    unsigned devices = 0;
    int      code = find_gpus(&devices);

    return code ? code : calibrate_links(line->output, devices, line->request.unit);
}

static int measure_kernels(const options *o, command_line *line)
{
    calibrate_request *request = &line->request;
    calibrate_list     list = {0};
    hs_kernel_table   *read = NULL;
    unsigned           devices = 0;
    int                code = EXIT_OK;

    if (!line->kernels)
        line->kernels = (line->table ? table_kernels : usual_kernels)[line->single];
    request->verify = !line->no_verify;
    list_kernels(line, &list);
    take_cores(request);
    if (line->gpu_table)
        code = kernel_table_find_or_read(line->gpu_table, &request->gpu, &read);
    if (request->on_gpu)
        code = find_gpus(&devices);
    if (!code) {
        complete(o, devices, request);
        code = calibrate_into_profile(line, request, &list);
    }
    hs_kernel_table_free(read);
    free(list.kernels);
    return code;
}

int main(int argc, char **argv)
{
    options      o;
    command_line line = {
        .request = {.repeats = 10, .warm_up = 2, .rounds = 4, .unit = HS_MILLISECONDS},
        .sizes = "960"};
    int code;

    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1); /* as in hsched-exec */
    options_read(&o, &tool, argc, argv, &line);
    list_models(&o, &line);
    check_command_line(&o, &line);
    check_profile_options(&o, &line);
    if (!line.output && !line.profile)
        line.output = "-";
    if (calibrate_has_action(&line.actions))
        code = calibrate_profile(line.profile, &line.actions);
    else
        code = line.links ? measure_links(&line) : measure_kernels(&o, &line);
    free(line.actions.models);
    return output_finish(code);
}
