/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate: measures kernels on this machine, for instances that are true of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"

/* All that Cholesky, LU and QR ask for. */
#define USUAL_KERNELS "dpotrf,dtrsm,dsyrk,dgemm,dgetrf,dgeqrf,dormqr,dtpqrt,dtpmqrt"

enum {
    OPT_KERNELS = OPTION_LONG,
    OPT_SIZES,
    OPT_REPEATS,
    OPT_WARM_UP,
    OPT_TABLE,
    OPT_UNIT,
    OPT_COUNT,
    OPT_GPU_TABLE,
    OPT_GPU_BY,
    OPT_GPU,
    OPT_RESIDENT,
    OPT_NO_VERIFY
};

static const char *kernel_word(size_t index)
{
    static const char *const words[] = {"dgemm",  "sgemm",   "dsyrk",  "dtrsm",
                                        "dpotrf", "dgetrf",  "dgeqrf", "dormqr",
                                        "dtpqrt", "dtpmqrt", "spin:",  "sleep:"};

    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *unit_word(size_t index)
{
    return index <= HS_NANOSECONDS ? calibrate_unit_name((hs_unit)index) : NULL;
}

static const char *table_word(size_t index)
{
    const hs_kernel_table *table = hs_kernel_table_at(index);

    return table ? table->name : NULL;
}

static const char *gpu_by_word(size_t index)
{
    return index == 0 ? "time" : index == 1 ? "ratio" : NULL;
}

static const option_spec option_table[] = {
    {OPT_KERNELS, "kernels", ARGUMENT_LIST, "NAME[:SIZE],...", kernel_word,
     "what to measure, each with its size, or else with all of --sizes (default: what Cholesky, "
     "LU and QR need)"},
    {OPT_SIZES, "sizes", ARGUMENT_TEXT, "N[,N...]", NULL,
     "sizes of kernels without one (default: 960)"},
    {OPT_REPEATS, "repeats", ARGUMENT_TEXT, "N", NULL,
     "runs of each kernel by each core (default: 10)"},
    {OPT_WARM_UP, "warm-up", ARGUMENT_TEXT, "N", NULL,
     "runs before those that count, likewise (default: 2)"},
    {'j', "cores", ARGUMENT_TEXT, "N", NULL,
     "cores that work at once, as they do when a plan runs (default: all there are)"},
    {OPT_NO_VERIFY, "no-verify", ARGUMENT_NONE, NULL, NULL,
     "leave out the check of the results, which is part of the time otherwise"},
    {'o', "output", ARGUMENT_FILE, "FILE", NULL,
     "write the instance or table there; '-', the default, is standard output"},
    {OPT_TABLE, "table", ARGUMENT_NONE, NULL, NULL,
     "write a kernel table for hsched-gen --kernels rather than an instance"},
    {OPT_UNIT, "unit", ARGUMENT_WORD, "s|ms|us|ns", unit_word, "of what is written (default: ms)"},
    {'m', "cpus", ARGUMENT_TEXT, "N", NULL,
     "how many CPUs the instance is to be for (default: as many as cores at once)"},
    {'k', "gpus", ARGUMENT_TEXT, "N", NULL, "how many GPUs (default: what --gpu-table says, or 0)"},
    {OPT_COUNT, "count", ARGUMENT_TEXT, "N", NULL,
     "tasks in each row of the instance (default: 1)"},
    {OPT_GPU, "gpu", ARGUMENT_NONE, NULL, NULL,
     "measure GPU times too, on the first GPU, several tasks on their way at once as in a plan"},
    {OPT_RESIDENT, "resident", ARGUMENT_NONE, NULL, NULL,
     "GPU times are without copies there and back, as with hsched-exec --resident"},
    {OPT_GPU_TABLE, "gpu-table", ARGUMENT_WORD, "FILE|NAME", table_word,
     "GPU times from a built-in kernel table (hsched-gen --list names them) or from a file; "
     "without it no kernel has one"},
    {OPT_GPU_BY, "gpu-by", ARGUMENT_WORD, "time|ratio", gpu_by_word,
     "take the table's GPU times (default), or its ratio of GPU time to CPU time"},
    {0}};

static const tool_spec tool = {
    .name = "hsched-calibrate",
    .operands = "",
    .summary = "Measure kernels on the cores and GPUs of this machine, as hsched-exec runs them, and write "
               "an instance or a kernel table with their times.",
    .options = option_table,
};

typedef struct command_line {
    const char *output, *kernels, *sizes, *gpu_table;
    int         table, has_cpus, has_gpus, has_gpu_by;
} command_line;

static void take_option(const options *o, int code, command_line *line, calibrate_request *request)
{
    switch (code) {
    case OPT_KERNELS:
        line->kernels = o->value;
        break;
    case OPT_SIZES:
        line->sizes = o->value;
        break;
    case OPT_REPEATS:
        request->repeats = (unsigned)options_unsigned(o, 1, 10000);
        break;
    case OPT_WARM_UP:
        request->warm_up = (unsigned)options_unsigned(o, 0, 10000);
        break;
    case 'j':
        request->cores = (unsigned)options_unsigned(o, 1, 10000);
        break;
    case OPT_NO_VERIFY:
        request->verify = 0;
        break;
    case 'o':
        line->output = o->value;
        break;
    case OPT_TABLE:
        line->table = 1;
        break;
    case OPT_UNIT:
        request->unit = (hs_unit)options_word(o);
        break;
    case 'm':
        request->cpus = (unsigned)options_unsigned(o, 0, HS_MAX_WORKERS);
        line->has_cpus = 1;
        break;
    case 'k':
        request->gpus = (unsigned)options_unsigned(o, 0, HS_MAX_WORKERS);
        line->has_gpus = 1;
        break;
    case OPT_COUNT:
        request->count = (uint32_t)options_unsigned(o, 1, HS_MAX_TASKS - 1);
        break;
    case OPT_GPU:
        request->on_gpu = 1;
        break;
    case OPT_RESIDENT:
        request->resident = 1;
        break;
    case OPT_GPU_TABLE:
        line->gpu_table = o->value;
        break;
    case OPT_GPU_BY:
        request->by_ratio = options_word(o) == 1;
        line->has_gpu_by = 1;
        break;
    }
}

static void add_kernel(calibrate_list *list, const char *name, const char *size)
{
    calibrate_kernel *kernel = &list->kernels[list->count];
    int length = snprintf(kernel->name, sizeof kernel->name, size ? "%s:%s" : "%s", name, size);

    if (length >= (int)sizeof kernel->name)
        usage_error("--kernels: '%s' is too long", name);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->kernels[i].name, kernel->name) == 0)
            usage_error("--kernels: '%s' is there twice", kernel->name);
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

/* The times of cores that are shared would say nothing. */
static void take_cores(calibrate_request *request)
{
    unsigned there = hs_exec_cores();

    if (!request->cores)
        request->cores = there;
    if (request->cores <= there)
        return;
    message("too few cores: --cores asks for %u, and there %s %u", request->cores,
            there == 1 ? "is" : "are", there);
    exit(EXIT_RESOURCE);
}

/* How many there are, of which the first is measured. 0, or an exit code after a message. */
static int find_gpus(unsigned *count)
{
    char      why[HS_WHY];
    hs_status status = hs_exec_device_at(NULL, 0, NULL, count, why);

    if (status == HS_OK)
        return EXIT_OK;
    message("%s", why);
    return exit_code(status);
}

/* It stands in a line of what is written, which it must not break. */
static const char *printable(const char *path)
{
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return "FILE";
    return path;
}

/* *read is the table if it comes from a file, to be freed. */
static int open_gpu_table(const char *name, calibrate_request *request, hs_kernel_table **read)
{
    hs_diagnostic why = {0};
    input         in;
    int           code;

    request->gpu = hs_kernel_table_find(name);
    if (request->gpu)
        return EXIT_OK;
    if (strcmp(name, "-") != 0 && access(name, F_OK) != 0)
        usage_error("there is no kernel table '%s', nor a file of that name; hsched-gen --list "
                    "names the tables",
                    name);
    code = input_open(name, &in);
    if (code)
        return code;
    code = input_status(&in, hs_kernel_table_read(in.fd, read, &why), &why);
    input_close(&in);
    if (code)
        return code;
    (*read)->name = printable(name);
    request->gpu = *read;
    return EXIT_OK;
}

static void complete(const command_line *line, unsigned devices, calibrate_request *request)
{
    if (!line->has_cpus)
        request->cpus = request->cores;
    if (!line->has_gpus)
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

        progress_step(i, "measuring %s", kernel->name);
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
    hs_status st = (line->table ? calibrate_write_table : calibrate_write_instance)(output_fd(file),
                                                                                    request, list);

    return output_close(file, st);
}

static int calibrate(const command_line *line, const calibrate_request *request,
                     calibrate_list *list)
{
    output *file = NULL;
    int     code = line->table ? calibrate_check_table(request, list) : EXIT_OK, to_stdout;

    if (!code)
        code = output_open(line->output, &file);
    if (code)
        return code;
    to_stdout = output_is_stdout(file);
    code = measure_all(request, list);
    if (code)
        output_discard(file);
    else
        code = write_result(line, request, list, file);
    if (!code && !to_stdout)
        calibrate_print(stdout, request, list);
    return code;
}

int main(int argc, char **argv)
{
    options           o;
    command_line      line = {.output = "-", .kernels = USUAL_KERNELS, .sizes = "960"};
    calibrate_request request = {.repeats = 10, .warm_up = 2, .verify = 1, .unit = HS_MILLISECONDS};
    calibrate_list    list = {0};
    hs_kernel_table  *read = NULL;
    const char       *surplus;
    unsigned          devices = 0;
    int               code;

    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1); /* as hsched-exec has it */
    options_begin(&o, &tool, argc, argv);
    while ((code = options_next(&o)) != -1)
        take_option(&o, code, &line, &request);
    surplus = options_operand(&o);
    if (surplus)
        usage_error("unexpected '%s'", surplus);
    if (line.has_gpu_by && !line.gpu_table)
        usage_error("--gpu-by is about --gpu-table, which is not there");
    if (request.on_gpu && line.gpu_table)
        usage_error("--gpu and --gpu-table: GPU times come from one or the other");
    if (request.resident && !request.on_gpu)
        usage_error("--resident is about --gpu, which is not there");
    if (request.count && line.table)
        usage_error("--count is not for --table");
    list_kernels(&line, &list);
    take_cores(&request);
    code = line.gpu_table ? open_gpu_table(line.gpu_table, &request, &read) : EXIT_OK;
    if (request.on_gpu)
        code = find_gpus(&devices);
    if (!code) {
        complete(&line, devices, &request);
        code = calibrate(&line, &request, &list);
    }
    hs_kernel_table_free(read);
    free(list.kernels);
    return output_finish(code);
}
