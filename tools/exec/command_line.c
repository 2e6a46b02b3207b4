/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the options of the command line. */
#include "exec/command_line.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "common/files.h"
#include "common/help.h"
#include "common/message.h"
#include "common/plugin.h"

static const char *policy_word(size_t index)
{
    return index < hs_policy_count() ? hs_policy_name(hs_policy_at(index)) : NULL;
}

static void take_plugin(const options *o, void *line)
{
    (void)line;
    plugin_add_file(o->value);
}

static void take_allow(const options *o, void *data)
{
    command_line *line = data;
    const char   *list = o->value;
    char          word[32];

    while (list_next("--allow", &list, word, sizeof word)) {
        if (strcmp(word, "commands") == 0)
            line->request.settings.run.allow_commands = true;
        else if (strcmp(word, "plugins") == 0)
            line->request.settings.run.allow_plugins = true;
        else
            usage_error("--allow: there is no '%s'; it is commands, plugins, or both with a comma",
                        word);
    }
}

/* Parse a size such as "500M" or "2G"; return bytes. */
static double bytes_of(const char *option, const char *value)
{
    static const char letters[] = "KMGT";
    char              number[64];
    size_t            length = strlen(value);
    const char       *letter = length > 1 ? strchr(letters, value[length - 1]) : NULL;
    double            unit = 1;

    snprintf(number, sizeof number, "%s", value);
    if (letter && length < sizeof number) {
        number[length - 1] = '\0';
        for (const char *l = letters; l <= letter; l++)
            unit *= 1024;
    }
    return unit * parse_double(option, number, 1, 1e18 / unit);
}

static void take_memory(const options *o, void *data)
{
    command_line *line = data;

    line->request.settings.place.process_memory = bytes_of("--memory", o->value);
}

/* Store the argument of --gpu-memory: "4G" is a size, "40%" a share of each GPU's memory. */
static void take_gpu_memory(const options *o, void *data)
{
    hs_exec_settings *settings = &((command_line *)data)->request.settings;
    char              number[64];
    size_t            length = strlen(o->value);

    if (length > 1 && length < sizeof number && o->value[length - 1] == '%') {
        memcpy(number, o->value, length - 1);
        number[length - 1] = '\0';
        settings->gpu.tile_share = parse_double("--gpu-memory", number, 1e-9, 100) / 100;
        settings->gpu.tile_memory = 0;
    } else {
        settings->gpu.tile_memory = bytes_of("--gpu-memory", o->value);
    }
}

/*
 * Store the argument of --timeout: a time such as "30" or "5m", or a multiple of the estimate such
 * as "5x".
 */
static void take_timeout(const options *o, void *data)
{
    command_line *line = data;
    char          number[64];
    size_t        length = strlen(o->value);

    if (length > 1 && length < sizeof number && o->value[length - 1] == 'x') {
        memcpy(number, o->value, length - 1);
        number[length - 1] = '\0';
        line->request.settings.fail.timeout_factor =
            parse_double("--timeout", number, 1e-9, DBL_MAX);
    } else {
        line->request.settings.fail.timeout = parse_time("--timeout", o->value, 1e-9, 1e9);
    }
}

/*
 * Store the argument of --retry-delay. The library reads 0 as its default, and a negative value as
 * no delay.
 */
static void take_retry_delay(const options *o, void *data)
{
    command_line *line = data;
    double        delay = parse_double("--retry-delay", o->value, 0, 1e6);

    line->request.settings.fail.retry_delay = delay > 0 ? delay : -1;
}

static void take_resume(const options *o, void *data)
{
    command_line *line = data;

    (void)o;
    if (line->request.settings.keep.resume == HS_RESUME_NOT)
        line->request.settings.keep.resume = HS_RESUME_REST;
}

static void take_resume_failed(const options *o, void *data)
{
    command_line *line = data;

    (void)o;
    line->request.settings.keep.resume = HS_RESUME_FAILED;
}

static void take_share(const options *o, void *data)
{
    command_line *line = data;

    line->request.share = exec_share_of("--share", o->value);
}

static void take_keep_going(const options *o, void *data)
{
    command_line *line = data;

    (void)o;
    line->request.settings.fail.halt = HS_HALT_NEVER;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);

    return length > end && strcmp(path + length - end, suffix) == 0;
}

static void take_report(const options *o, void *data)
{
    command_line *line = data;

    line->request.html = has_suffix(o->value, ".html");
    if (!line->request.html && !has_suffix(o->value, ".json") && !is_dash(o->value))
        usage_error("--report: '%s' ends neither in .json nor in .html", o->value);
    line->path[EXEC_REPORT] = o->value;
}

/* Return FILE of the argument "A=FILE". A is the name of the matrix in the column `data`. */
static const char *file_of_matrix(const options *o)
{
    if (strncmp(o->value, "A=", 2) != 0 || !o->value[2])
        usage_error("--%s: '%s' is not A=FILE: the matrix is called A", o->current->name,
                    o->value);
    return o->value + 2;
}

static void take_input(const options *o, void *data)
{
    command_line *line = data;

    line->request.input = file_of_matrix(o);
}

static void take_output(const options *o, void *data)
{
    command_line *line = data;

    line->path[EXEC_FACTORS] = line->request.factors = file_of_matrix(o);
}

static const option_spec option_table[] = {
    {0,
     "policy",
     "NAME[:RANK]",
     {OPTION_NAME(policy_word, policy)},
     "policy that chooses tasks for idle workers (default: plan), and the rank that it uses; "
     "the policies are listed below"},
    {'m',
     "cpus",
     "N",
     {OPTION_WHOLE(reading.cpus, 0, HS_MAX_WORKERS)},
     "number of CPUs for an instance (default: the '# cpus' line, else the cores of the "
     "machine)"},
    {'k',
     "gpus",
     "N",
     {OPTION_WHOLE(reading.gpus, 0, HS_MAX_WORKERS)},
     "number of GPUs for an instance (default: the '# gpus' line, else the GPUs of the machine)"},
    {0,
     "band",
     "X",
     {OPTION_REAL(request.settings.decide.parameters.band, 1e-9, 1e9)},
     "hp-corrected: acceleration from which GPUs take tasks by rank (default: 8)"},
    {0,
     "leave",
     "X",
     {OPTION_REAL(request.settings.decide.parameters.leave, 1e-9, 1e9)},
     "hp-corrected: acceleration from which GPUs spoliate such tasks (default: 16)"},
    {0,
     "threshold",
     "N",
     {OPTION_WHOLE(request.settings.decide.parameters.threshold, 1, 1e9)},
     "h-ratio, d-rank: maximum of tasks that wait for workers (default: twice the workers)"},
    {0,
     "ratio-tolerance",
     "X",
     {OPTION_REAL(request.settings.decide.parameters.ratio_tolerance, 1e-12, 1)},
     "heteroprio: relative difference up to which two ratios of CPU to GPU time are equal, so "
     "priorities decide (default: 0)"},
    {0,
     "commands",
     "FILE",
     {OPTION_FILE(request.commands)},
     "run the shell commands in FILE ('-': standard input), a command a line, instead of a PLAN; "
     "this allows these commands"},
    {0,
     "plugin",
     "FILE",
     {OPTION_CALL(ARGUMENT_FILE, NULL, take_plugin)},
     "add the policies of the plugin FILE, a shared object; needs --allow=plugins, see "
     "hybridsched-plugin(3)"},
    {0,
     "emulate-gpus",
     NULL,
     {OPTION_FLAG(request.settings.run.emulate[HS_GPU])},
     "emulate the GPUs: a task with a gpu_command runs the command, any other task takes its "
     "planned time"},
    {0,
     "emulate-cpus",
     NULL,
     {OPTION_FLAG(request.settings.run.emulate[HS_CPU])},
     "emulate the CPUs: each task takes its planned time"},
    {0,
     "cores-per-cpu-worker",
     "N",
     {OPTION_WHOLE(request.settings.place.cores[HS_CPU], 1, 65536)},
     "give each CPU of the plan N cores, and its commands N threads (default: 1)"},
    {0,
     "cores-per-gpu-worker",
     "N",
     {OPTION_WHOLE(request.settings.place.cores[HS_GPU], 1, 65536)},
     "give each GPU of the plan N cores for its thread and its commands (default: 1)"},
    {0,
     "memory",
     "SIZE",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_memory)},
     "limit the memory of each process of a command, in bytes or as in 500M or 2G (RLIMIT_AS)"},
    {0,
     "oversubscribe",
     NULL,
     {OPTION_FLAG(request.settings.place.oversubscribe)},
     "let CPUs of the plan share cores if the machine has too few"},
    {0,
     "devices",
     NULL,
     {OPTION_FLAG(devices)},
     "print the GPUs, or the devices of the modules MODULE:SELECTION,..., and the processors "
     "nearest "
     "to each, and exit"},
    {0,
     "gpu-module",
     "MODULE:SELECTION,...",
     {OPTION_TEXT(request.settings.gpu.module)},
     "use the devices of these modules as GPUs for tiles of a matrix, for instance opencl:all, or "
     "the file of a module for CUDA (default: the installed module for CUDA)"},
    {0,
     "gpu-mode",
     "streams|graph",
     {OPTION_WORD(NULL, request.settings.gpu.mode)},
     "how tasks are launched on a GPU: one by one (streams, the default), or tasks of cuBLAS in "
     "CUDA graphs that are built before the start (graph)"},
    {0,
     "resident",
     NULL,
     {OPTION_FLAG(request.settings.gpu.resident)},
     "keep inputs and results of built-in kernels on the GPU, without copies"},
    {0,
     "gpu-memory",
     "SIZE|P%",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_gpu_memory)},
     "memory of each GPU for tiles of a matrix, in bytes or as in 16G, or P percent of the "
     "GPU's memory (default: 80%)"},
    {0,
     "no-reserve",
     NULL,
     {OPTION_FLAG(request.settings.place.share_gpu_cores)},
     "reserve no core for the thread of each GPU"},
    {0,
     "time-scale",
     "X",
     {OPTION_REAL(request.settings.run.time_scale, 1e-9, 1e9)},
     "expect one second of the plan to last X seconds here (default: 1)"},
    {0,
     "allow",
     "commands,plugins",
     {OPTION_CALL(ARGUMENT_LIST, NULL, take_allow)},
     "allow the run to execute commands or plugins that the plan names"},
    {0,
     "keep-visible-devices",
     NULL,
     {OPTION_FLAG(request.settings.gpu.keep_visible_devices)},
     "do not change CUDA_VISIBLE_DEVICES for commands"},
    {0,
     "nodes",
     "N|FILE|slurm",
     {OPTION_TEXT(nodes)},
     "execute the tasks, which are commands or emulated, on several machines: the hosts in FILE, "
     "one "
     "a line, or the nodes of this job of Slurm (slurm); N: in N processes on this machine, or "
     "with "
     "--batch on N nodes of a job"},
    {0,
     "launch",
     "COMMAND",
     {OPTION_TEXT(launch)},
     "shell command that executes the command after it on the host {} (default: 'ssh {}', or "
     "srun)"},
    {0,
     "node-timeout",
     "TIME",
     {OPTION_TIME(request.settings.run.node_timeout, 1e-2, 1e6)},
     "time of silence after which a node is lost, and other nodes get its tasks (default: 30)"},
    {0,
     "fewer",
     NULL,
     {OPTION_FLAG(request.settings.run.fewer_nodes)},
     "run also if some of the nodes cannot be started (default: an error)"},
    {0,
     "node",
     NULL,
     {OPTION_FLAG(node)},
     "be a node: execute the tasks that the hsched-exec --nodes at the other end of standard input "
     "and output sends; it starts this itself"},
    {0,
     "mpi",
     NULL,
     {OPTION_FLAG(mpi)},
     "be one of the processes that mpirun or srun has started, which factorise one matrix "
     "together: "
     "each executes the tasks whose tiles it owns"},
    {0,
     "share",
     "I/N",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_share)},
     "run the I-th of N shares of the tasks, as an element of a job array; N processes run all "
     "tasks; all/N: write the array, with --batch (default: no shares)"},
    {0,
     "batch",
     "no|slurm",
     {OPTION_WORD(NULL, batch)},
     "run nothing, and print a batch script for Slurm (slurm) that runs this command, with "
     "--share=all/N as an array of N jobs"},
    {0,
     "gather",
     NULL,
     {OPTION_FLAG(gather)},
     "run nothing, and report the results of all shares from their journals; needs --journal"},
    {0,
     "journal",
     "FILE",
     {OPTION_FILE(journal)},
     "record finished tasks in FILE (with --share in FILE.IofN), so a later run can resume"},
    {0,
     "resume",
     NULL,
     {OPTION_CALL(ARGUMENT_NONE, NULL, take_resume)},
     "resume the run of the journal: do not repeat finished tasks that have not changed"},
    {0,
     "resume-failed",
     NULL,
     {OPTION_CALL(ARGUMENT_NONE, NULL, take_resume_failed)},
     "run only the tasks that failed in the run of the journal"},
    {0,
     "joblog",
     "FILE",
     {OPTION_FILE(request.joblog)},
     "write a row to the table FILE (TSV) at the end of each attempt"},
    {0,
     "retries",
     "N",
     {OPTION_WHOLE(request.settings.fail.retries, 0, 65534)},
     "retry a failed task up to N times, on another worker if possible (default: 0)"},
    {0,
     "retry-delay",
     "SECONDS",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_retry_delay)},
     "time to wait before the second attempt, doubled for each further attempt (default: 0.1; "
     "0: no wait)"},
    {0,
     "retire-after",
     "N",
     {OPTION_WHOLE(request.settings.fail.retire_after, 1, 1000000)},
     "retire a worker after N failed attempts in a row of tasks that succeed on other workers "
     "(default: 5)"},
    {0,
     "timeout",
     "T",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_timeout)},
     "time after which an attempt fails: 90 (seconds), 5m, 2h, or Nx for N times the estimate"},
    {0,
     "halt",
     "soon|now|never",
     {OPTION_WORD(NULL, request.settings.fail.halt)},
     "when a task has failed after all retries: let running tasks end and stop (soon, the "
     "default), abort running tasks (now), or run all other tasks (never)"},
    {0,
     "keep-going",
     NULL,
     {OPTION_CALL(ARGUMENT_NONE, NULL, take_keep_going)},
     "the same as --halt never"},
    {0,
     "grace",
     "TIME",
     {OPTION_TIME(request.settings.fail.grace, 1e-3, 1e6)},
     "time between SIGTERM and SIGKILL for an aborted command, and for processes that a command "
     "leaves running (default: 2)"},
    {0,
     "logs",
     "FOLDER",
     {OPTION_FILE(request.settings.keep.log_folder)},
     "keep the output of commands in FOLDER, as ID.ATTEMPT.out and ID.ATTEMPT.err (default: "
     "print the output of failed attempts only)"},
    {0,
     "show",
     "no|tasks|lines",
     {OPTION_WORD(NULL, request.show)},
     "print the output of commands: of each task at its end (tasks), or line by line (lines); "
     "default: tasks with --commands, else no"},
    {0,
     "tag",
     NULL,
     {OPTION_FLAG(request.tag)},
     "begin each line of output with the task's name and a tab"},
    {0,
     "dry-run",
     NULL,
     {OPTION_FLAG(request.dry_run)},
     "check everything that a run checks, print which task would run where and in which order, "
     "and start and write nothing"},
    {0,
     "report",
     "FILE",
     {OPTION_CALL(ARGUMENT_FILE, NULL, take_report)},
     "write a report of the run to FILE.json or FILE.html"},
    {0,
     "compare",
     "OLD",
     {OPTION_FILE(compare)},
     "compare the run with an earlier run on the page of --report=FILE.html; OLD is the "
     "FILE.json of the earlier run's --report"},
    {0,
     "gantt",
     "FILE",
     {OPTION_FILE(path[EXEC_GANTT])},
     "draw the predicted and the actual schedule as SVG"},
    {0,
     "trace",
     "FILE",
     {OPTION_FILE(path[EXEC_TRACE])},
     "write both schedules as trace-event JSON, for Perfetto and chrome://tracing"},
    {0,
     "profile",
     "FILE",
     {OPTION_FILE(request.profile)},
     "predict unknown times from the measurements in this profile, and add the run's"},
    {0,
     "retime",
     NULL,
     {OPTION_FLAG(request.retime)},
     "predict given times, too, from measured times of the same program or kernel"},
    {0,
     "measured",
     "FILE",
     {OPTION_FILE(path[EXEC_MEASURED])},
     "write the instance with the measured times"},
    {0,
     "seed",
     "SEED",
     {OPTION_WHOLE(request.settings.run.matrix_seed, 0, OPTION_ANY)},
     "seed of the random matrix that a graph of kernels on tiles factorises (default: 0)"},
    {0,
     "input",
     "A=FILE",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_input)},
     "factorise the matrix in FILE instead of a random one: doubles by column, or a .npy file"},
    {0,
     "output",
     "A=FILE",
     {OPTION_CALL(ARGUMENT_TEXT, NULL, take_output)},
     "write the factors to FILE, by column, or as .npy if the name ends in .npy"},
    {0,
     "no-verify",
     NULL,
     {OPTION_FLAG(no_verify)},
     "do not verify the results of built-in kernels and of their factorisation"},
    {0,
     "live",
     NULL,
     {OPTION_FLAG(request.live)},
     "show workers, running tasks, throughput and failures on the terminal during the run (the "
     "progress line if standard error is not a terminal)"},
    {'q', "quiet", NULL, {OPTION_FLAG(request.quiet)}, "print no summary"},
    {0,
     "ignore-unknown",
     NULL,
     {OPTION_FLAG(reading.ignore_unknown)},
     "ignore unknown columns of the plan (default: an error)"},
    {0}};

static void print_policy(FILE *out, const hs_policy_kind *kind)
{
    int used = fprintf(out, "  %-11s ", hs_policy_name(kind));

    help_wrap(out, hs_policy_summary(kind), used, 14);
    if (!hs_policy_supported_ranks(kind))
        return;
    fprintf(out, "%14sranks:", "");
    for (int rank = HS_RANK_MIN; hs_rank_name((hs_rank)rank); rank++)
        if (hs_policy_supported_ranks(kind) >> rank & 1)
            fprintf(out, " %s", hs_rank_name((hs_rank)rank));
    putc('\n', out);
}

/*
 * Print the policies, including those of plugins if the options before --help name and allow them.
 */
static void print_policies(FILE *out, const void *data)
{
    const command_line *line = data;

    if (line->request.settings.run.allow_plugins)
        plugin_open_files(1);
    fputs("Policies:\n", out);
    for (size_t i = 0; i < hs_policy_count(); i++)
        print_policy(out, hs_policy_at(i));
    for (size_t i = 0; plugin_policy_at(i); i++)
        print_policy(out, plugin_policy_at(i));
}

const tool_spec exec_tool = {
    .name = "hsched-exec",
    .operands = "PLAN|INSTANCE|--commands=FILE",
    .summary = "Run the tasks of PLAN ('-': standard input), written by hsched-solve -o, on the "
               "cores and GPUs of this machine, and compare the run with the prediction. An "
               "INSTANCE is planned first, by best, unless the policy needs no plan or times are "
             "unknown.",
    .options = option_table,
    .epilogue = print_policies,
};
