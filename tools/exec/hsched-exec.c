/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: runs a plan on this machine's cores and GPUs. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"
#include "common/help.h"
#include "common/message.h"
#include "common/options.h"
#include "common/plugin.h"
#include "common/progress.h"
#include "common/scratch.h"
#include "exec/exec.h"
#include "exec/earlier_run.h"

static const char *policy_word(size_t index)
{
    return index < hs_policy_count() ? hs_policy_name(hs_policy_at(index)) : NULL;
}

typedef struct command_line {
    exec_request    request;
    hs_read_settings reading;
    const char     *path[EXEC_FILES]; /* path of each output file; NULL: not requested */
    const char     *policy;
    int             devices;          /* whether to list the GPUs and run nothing */
    int             no_verify;
    const char     *compare;          /* path of an earlier report; NULL: none */
    exec_earlier        earlier;              /* report named by --compare */
    int               batch;          /* an index into the words of --batch; 0: none */
    int               gather;         /* whether to gather the results of shares */
    const char       *journal;        /* argument of --journal; NULL: none */
    char             *own_journal;    /* journal of the share; NULL: none */
    exec_journal_list journals;       /* other journals, read by --resume */
} command_line;

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
    {0, "policy", "NAME[:RANK]", {OPTION_NAME(policy_word, policy)},
     "policy that chooses tasks for idle workers (default: plan), and the rank that it uses; "
     "the policies are listed below"},
    {'m', "cpus", "N", {OPTION_WHOLE(reading.cpus, 0, HS_MAX_WORKERS)},
     "number of CPUs for an instance (default: the '# cpus' line, else the cores of the "
     "machine)"},
    {'k', "gpus", "N", {OPTION_WHOLE(reading.gpus, 0, HS_MAX_WORKERS)},
     "number of GPUs for an instance (default: the '# gpus' line, else the GPUs of the machine)"},
    {0, "band", "X", {OPTION_REAL(request.settings.decide.parameters.band, 1e-9, 1e9)},
     "hp-corrected: acceleration from which GPUs take tasks by rank (default: 8)"},
    {0, "leave", "X", {OPTION_REAL(request.settings.decide.parameters.leave, 1e-9, 1e9)},
     "hp-corrected: acceleration from which GPUs spoliate such tasks (default: 16)"},
    {0, "threshold", "N", {OPTION_WHOLE(request.settings.decide.parameters.threshold, 1, 1e9)},
     "h-ratio, d-rank: maximum of tasks that wait for workers (default: twice the workers)"},
    {0, "ratio-tolerance", "X",
     {OPTION_REAL(request.settings.decide.parameters.ratio_tolerance, 1e-12, 1)},
     "heteroprio: relative difference up to which two ratios of CPU to GPU time are equal, so "
     "priorities decide (default: 0)"},
    {0, "commands", "FILE", {OPTION_FILE(request.commands)},
     "run the shell commands in FILE ('-': standard input), a command a line, instead of a PLAN; "
     "this allows these commands"},
    {0, "plugin", "FILE", {OPTION_CALL(ARGUMENT_FILE, NULL, take_plugin)},
     "add the policies of the plugin FILE, a shared object; needs --allow=plugins, see "
     "hybridsched-plugin(3)"},
    {0, "emulate-gpus", NULL, {OPTION_FLAG(request.settings.run.emulate[HS_GPU])},
     "emulate the GPUs: a task with a gpu_command runs the command, any other task takes its "
     "planned time"},
    {0, "emulate-cpus", NULL, {OPTION_FLAG(request.settings.run.emulate[HS_CPU])},
     "emulate the CPUs: each task takes its planned time"},
    {0, "cores-per-cpu-worker", "N", {OPTION_WHOLE(request.settings.place.cores[HS_CPU], 1, 65536)},
     "give each CPU of the plan N cores, and its commands N threads (default: 1)"},
    {0, "cores-per-gpu-worker", "N", {OPTION_WHOLE(request.settings.place.cores[HS_GPU], 1, 65536)},
     "give each GPU of the plan N cores for its thread and its commands (default: 1)"},
    {0, "memory", "SIZE", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_memory)},
     "limit the memory of each process of a command, in bytes or as in 500M or 2G (RLIMIT_AS)"},
    {0, "oversubscribe", NULL, {OPTION_FLAG(request.settings.place.oversubscribe)},
     "let CPUs of the plan share cores if the machine has too few"},
    {0, "devices", NULL, {OPTION_FLAG(devices)},
     "print the GPUs, or the devices of the modules MODULE:SELECTION,..., and the processors nearest "
     "to each, and exit"},
    {0, "gpu-mode", "streams|graph", {OPTION_WORD(NULL, request.settings.gpu.mode)},
     "how tasks are launched on a GPU: one by one (streams, the default), or tasks of cuBLAS in "
     "CUDA graphs that are built before the start (graph)"},
    {0, "resident", NULL, {OPTION_FLAG(request.settings.gpu.resident)},
     "keep inputs and results of built-in kernels on the GPU, without copies"},
    {0, "gpu-memory", "SIZE|P%", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_gpu_memory)},
     "memory of each GPU for tiles of a matrix, in bytes or as in 16G, or P percent of the "
     "GPU's memory (default: 80%)"},
    {0, "no-reserve", NULL, {OPTION_FLAG(request.settings.place.share_gpu_cores)},
     "reserve no core for the thread of each GPU"},
    {0, "time-scale", "X", {OPTION_REAL(request.settings.run.time_scale, 1e-9, 1e9)},
     "expect one second of the plan to last X seconds here (default: 1)"},
    {0, "allow", "commands,plugins", {OPTION_CALL(ARGUMENT_LIST, NULL, take_allow)},
     "allow the run to execute commands or plugins that the plan names"},
    {0, "keep-visible-devices", NULL, {OPTION_FLAG(request.settings.gpu.keep_visible_devices)},
     "do not change CUDA_VISIBLE_DEVICES for commands"},
    {0, "share", "I/N", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_share)},
     "run the I-th of N shares of the tasks, as an element of a job array; N processes run all "
     "tasks; all/N: write the array, with --batch (default: no shares)"},
    {0, "batch", "no|slurm", {OPTION_WORD(NULL, batch)},
     "run nothing, and print a batch script for Slurm (slurm) that runs this command, with "
     "--share=all/N as an array of N jobs"},
    {0, "gather", NULL, {OPTION_FLAG(gather)},
     "run nothing, and report the results of all shares from their journals; needs --journal"},
    {0, "journal", "FILE", {OPTION_FILE(journal)},
     "record finished tasks in FILE (with --share in FILE.IofN), so a later run can resume"},
    {0, "resume", NULL, {OPTION_CALL(ARGUMENT_NONE, NULL, take_resume)},
     "resume the run of the journal: do not repeat finished tasks that have not changed"},
    {0, "resume-failed", NULL, {OPTION_CALL(ARGUMENT_NONE, NULL, take_resume_failed)},
     "run only the tasks that failed in the run of the journal"},
    {0, "joblog", "FILE", {OPTION_FILE(request.joblog)},
     "write a row to the table FILE (TSV) at the end of each attempt"},
    {0, "retries", "N", {OPTION_WHOLE(request.settings.fail.retries, 0, 65534)},
     "retry a failed task up to N times, on another worker if possible (default: 0)"},
    {0, "retry-delay", "SECONDS", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_retry_delay)},
     "time to wait before the second attempt, doubled for each further attempt (default: 0.1; "
     "0: no wait)"},
    {0, "retire-after", "N", {OPTION_WHOLE(request.settings.fail.retire_after, 1, 1000000)},
     "retire a worker after N failed attempts in a row of tasks that succeed on other workers "
     "(default: 5)"},
    {0, "timeout", "T", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_timeout)},
     "time after which an attempt fails: 90 (seconds), 5m, 2h, or Nx for N times the estimate"},
    {0, "halt", "soon|now|never", {OPTION_WORD(NULL, request.settings.fail.halt)},
     "when a task has failed after all retries: let running tasks end and stop (soon, the "
     "default), abort running tasks (now), or run all other tasks (never)"},
    {0, "keep-going", NULL, {OPTION_CALL(ARGUMENT_NONE, NULL, take_keep_going)},
     "the same as --halt never"},
    {0, "grace", "TIME", {OPTION_TIME(request.settings.fail.grace, 1e-3, 1e6)},
     "time between SIGTERM and SIGKILL for an aborted command, and for processes that a command "
     "leaves running (default: 2)"},
    {0, "logs", "FOLDER", {OPTION_FILE(request.settings.keep.log_folder)},
     "keep the output of commands in FOLDER, as ID.ATTEMPT.out and ID.ATTEMPT.err (default: "
     "print the output of failed attempts only)"},
    {0, "show", "no|tasks|lines", {OPTION_WORD(NULL, request.show)},
     "print the output of commands: of each task at its end (tasks), or line by line (lines); "
     "default: tasks with --commands, else no"},
    {0, "tag", NULL, {OPTION_FLAG(request.tag)},
     "begin each line of output with the task's name and a tab"},
    {0, "dry-run", NULL, {OPTION_FLAG(request.dry_run)},
     "check everything that a run checks, print which task would run where and in which order, "
     "and start and write nothing"},
    {0, "report", "FILE", {OPTION_CALL(ARGUMENT_FILE, NULL, take_report)},
     "write a report of the run to FILE.json or FILE.html"},
    {0, "compare", "OLD", {OPTION_FILE(compare)},
     "compare the run with an earlier run on the page of --report=FILE.html; OLD is the "
     "FILE.json of the earlier run's --report"},
    {0, "gantt", "FILE", {OPTION_FILE(path[EXEC_GANTT])},
     "draw the predicted and the actual schedule as SVG"},
    {0, "trace", "FILE", {OPTION_FILE(path[EXEC_TRACE])},
     "write both schedules as trace-event JSON, for Perfetto and chrome://tracing"},
    {0, "profile", "FILE", {OPTION_FILE(request.profile)},
     "predict unknown times from the measurements in this profile, and add the run's"},
    {0, "retime", NULL, {OPTION_FLAG(request.retime)},
     "predict given times, too, from measured times of the same program or kernel"},
    {0, "measured", "FILE", {OPTION_FILE(path[EXEC_MEASURED])},
     "write the instance with the measured times"},
    {0, "seed", "SEED", {OPTION_WHOLE(request.settings.run.matrix_seed, 0, OPTION_ANY)},
     "seed of the random matrix that a graph of kernels on tiles factorises (default: 0)"},
    {0, "input", "A=FILE", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_input)},
     "factorise the matrix in FILE instead of a random one: doubles by column, or a .npy file"},
    {0, "output", "A=FILE", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_output)},
     "write the factors to FILE, by column, or as .npy if the name ends in .npy"},
    {0, "no-verify", NULL, {OPTION_FLAG(no_verify)},
     "do not verify the results of built-in kernels and of their factorisation"},
    {0, "live", NULL, {OPTION_FLAG(request.live)},
     "show workers, running tasks, throughput and failures on the terminal during the run (the "
     "progress line if standard error is not a terminal)"},
    {'q', "quiet", NULL, {OPTION_FLAG(request.quiet)}, "print no summary"},
    {0, "ignore-unknown", NULL, {OPTION_FLAG(reading.ignore_unknown)},
     "ignore unknown columns of the plan (default: an error)"},
    {0}
};

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

static const tool_spec tool = {
    .name = "hsched-exec",
    .operands = "PLAN|INSTANCE|--commands=FILE",
    .summary = "Run the tasks of PLAN ('-': standard input), written by hsched-solve -o, on the "
               "cores and GPUs of this machine, and compare the run with the prediction. An "
               "INSTANCE is planned first, by best, unless the policy needs no plan or times are "
             "unknown.",
    .options = option_table,
    .epilogue = print_policies,
};

static void check_policy_options(const options *o, const char *policy)
{
    if ((options_given(o, "band") || options_given(o, "leave")) &&
        strcmp(policy, "hp-corrected") != 0)
        usage_error("--band and --leave need the policy hp-corrected");
    if (options_given(o, "threshold") && strcmp(policy, "h-ratio") != 0 &&
        strcmp(policy, "d-rank") != 0)
        usage_error("--threshold needs the policy h-ratio or d-rank");
}

/* Refuse options that need a run. */
static void check_gather(const command_line *line)
{
    if (!line->journal)
        usage_error("--gather needs --journal=FILE, the journal of the shares");
    if (line->batch || line->request.dry_run || line->request.share.index > 0)
        usage_error("--gather excludes --batch, --dry-run and --share=I/N: it reports all shares");
    if (line->request.joblog || line->request.profile || line->request.factors)
        usage_error("--gather excludes --joblog, --profile and --output, which a run writes");
}

/* Set the paths of the files that are written besides the journal. */
enum { OUTPUTS = EXEC_FILES + 2 };
static void list_outputs(const command_line *line, const char *written[OUTPUTS])
{
    written[0] = line->request.joblog;
    written[1] = line->request.profile;
    memcpy(written + 2, line->path, sizeof line->path);
}

/* Refuse an output file that is a journal of the list, or would be one of a share. */
static void check_journals_kept(const command_line *line, const char *const *path, size_t count)
{
    const char *written[OUTPUTS];
    exec_share  share;

    list_outputs(line, written);
    for (size_t i = 0; i < OUTPUTS; i++)
        if (written[i] && exec_share_of_journal(line->journal, written[i], &share))
            usage_error("%s is the journal of share %u/%u: give the output another file",
                        written[i], share.index, share.count);
    files_check(written, OUTPUTS, path, count);
}

/* Report the results of all shares; return an exit code. */
static int gather(command_line *line, exec_job *job)
{
    int code = exec_share_list(line->journal, "", &line->journals);

    if (code)
        return code;
    check_journals_kept(line, (const char *const *)line->journals.path, line->journals.count);
    code = exec_gather(job, &line->request, line->journal, &line->journals);
    job->guesses = 1; /* nothing is predicted for the workers of several shares */
    if (!code)
        code = files_open(line->path, line->request.file, EXEC_FILES);
    return code ? code : exec_conclude(job, &line->request);
}

/* Refuse a command line that no job could run, or that is no request for a script. */
static void check_batch(const command_line *line, const char *operand)
{
    if (is_dash(operand))
        usage_error("--batch needs the name of a file instead of '-': the job reads it later");
    if (line->request.dry_run)
        usage_error("--batch and --dry-run exclude each other: both run nothing");
    if (line->request.share.count > 0 && line->request.share.index > 0)
        usage_error("--batch needs --share=all/%u: the script runs all shares",
                    line->request.share.count);
}

/* Refuse an output file that several jobs would write. Print the batch script; return an exit code. */
static int write_batch(const command_line *line, const plan *p)
{
    const char *const written[] = {line->path[EXEC_REPORT],  line->path[EXEC_GANTT],
                                   line->path[EXEC_TRACE],   line->path[EXEC_MEASURED],
                                   line->path[EXEC_FACTORS], line->request.joblog};
    unsigned          shares = exec_batch_shares(p, &line->request);

    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (shares > 1 && written[i] && !strstr(written[i], "%a"))
            usage_error("--batch: all shares would write the file '%s': put %%a, the number of the "
                        "share, into its name",
                        written[i]);
    if (shares > 1 && line->journal && strstr(line->journal, "%a"))
        usage_error(
            "--batch: --journal=%s: all shares need the same name: leave %%a out; share I of N "
            "adds .IofN itself",
            line->journal);
    return exec_write_batch(p, &line->request, &line->reading);
}

static void check_command_line(command_line *line, const char *operand)
{
    const hs_read_settings *reading = &line->reading;
    const char             *written[OUTPUTS + 1];
    const char            *read[] = {operand, line->request.input, line->compare};

    if (reading->has_cpus && reading->has_gpus && reading->cpus + reading->gpus == 0)
        usage_error("no CPU and no GPU: nothing could run");
    if (line->request.share.count > 0 && line->request.share.index == 0 && !line->batch &&
        !line->gather)
        usage_error("--share=all/N needs --batch or --gather; a process runs one share, --share=I/N");
    if (line->gather)
        check_gather(line);
    if (line->batch)
        check_batch(line, operand);
    else if (line->request.settings.keep.resume && !line->journal)
        usage_error("%s needs --journal=FILE, the journal of the run to resume",
                    line->request.settings.keep.resume == HS_RESUME_FAILED ? "--resume-failed"
                                                                      : "--resume");
    if (is_dash(line->journal))
        usage_error("--journal needs the name of a file, not '-'");
    if (is_dash(line->request.joblog))
        usage_error("--joblog needs the name of a file, not '-'");
    if (is_dash(line->request.profile))
        usage_error("--profile needs the name of a file, not '-'");
    written[0] = line->journal;
    list_outputs(line, written + 1);
    if (line->request.retime && !line->request.profile)
        usage_error("--retime needs --profile");
    files_check_svg("--gantt", line->path[EXEC_GANTT]);
    files_check(written, OUTPUTS + 1, read, 3);
    if (is_dash(operand) + is_dash(line->request.input) + is_dash(line->compare) > 1)
        usage_error(
            "only one of the plan, the matrix and the earlier report can be '-', standard input");
    if (line->compare && !line->request.html)
        usage_error("--compare needs --report=FILE.html, the page that has both runs");
    if (line->request.tag && !line->request.show)
        usage_error("--tag needs --show=tasks or --show=lines");
    if (files_count_stdout(line->path, EXEC_FILES)) {
        if (line->request.show)
            usage_error("with --show, tasks write to standard output: name a file instead of '-'");
        line->request.quiet = 1;
    }
}

/*
 * Replace the plan by the share of --share. *empty: the share has no task. A plan is checked first,
 * because a plan that is not valid has no shares. Return 0, or an exit code after a message.
 */
static int take_part(exec_request *request, plan *p, bool *empty)
{
    int code = p->s ? plan_check(p, NULL) : EXIT_OK;

    request->whole_tasks = hs_instance_tasks(p->in);
    if (!code)
        code = exec_take_share(p, request->share, empty);
    if (!code && *empty)
        message("%s: share %u/%u has no task: nothing to run", p->path, request->share.index,
                request->share.count);
    return code;
}

/* Refuse to start again beside the first `count` journals, of other numbers of shares. */
static int check_fresh(const exec_journal_list *list, size_t count)
{
    struct stat st;

    for (size_t i = 0; i < count; i++)
        if (stat(list->path[i], &st) == 0 && st.st_size > 0) {
            message(
                "the journal '%s' of the same tasks exists: add --resume to continue, or remove it "
                "to start again",
                list->path[i]);
            return EXIT_USAGE;
        }
    return EXIT_OK;
}

/*
 * Set the journal, of the share if there is one, and the other journals that --resume reads. Refuse
 * output files that are journals. Return 0, or an exit code after a message.
 */
static int find_journals(command_line *line)
{
    hs_exec_settings  *settings = &line->request.settings;
    exec_journal_list *list = &line->journals;
    const char        *own = line->journal;
    size_t             idle;
    int                code;

    if (own && line->request.share.count > 0)
        own = line->own_journal = exec_share_journal(line->journal, line->request.share);
    settings->keep.journal = own;
    if (!own)
        return EXIT_OK;
    code = exec_share_list(line->journal, own, list);
    if (code)
        return code;
    check_journals_kept(line, &own, 1);
    check_journals_kept(line, (const char *const *)list->path, list->count);
    idle = exec_share_sort_idle(line->journal, line->request.share.count, list);
    if (settings->keep.resume == HS_RESUME_NOT)
        return check_fresh(list, idle);
    settings->keep.other_journals = (const char *const *)list->path;
    settings->keep.other_journal_count = list->count;
    settings->keep.idle_journal_count = idle;
    return EXIT_OK;
}

/* Open the output files; in a dry run, only check that they can be opened. */
static int open_files(command_line *line, const exec_job *job)
{
    exec_request *request = &line->request;
    int           code = request->dry_run ? files_check_creatable(line->path, EXEC_FILES)
                                          : files_open(line->path, request->file, EXEC_FILES);

    if (code || !request->joblog)
        return code;
    return request->dry_run ? exec_joblog_look(request->joblog)
                            : exec_joblog_open(request->joblog, job, &request->log);
}

static int run_plan(command_line *line, exec_job *job, bool has_policy)
{
    exec_request *request = &line->request;
    int           code = line->compare ? exec_earlier_read(line->compare,
                                                           &line->earlier) : EXIT_OK, rows;
    bool          empty = false;

    if (!code && !line->batch && !line->gather)
        code = find_journals(line);
    if (code)
        return code;
    request->earlier = line->compare ? &line->earlier : NULL;
    job->request = request;
    progress_begin(2);
    code = request->commands ? plan_commands_read(&job->plan, &line->reading)
                             : plan_or_instance_read(&job->plan, &line->reading);
    job->planned = job->plan.s != NULL;
    if (line->batch) {
        progress_end();
        request->settings.keep.journal = line->journal;
        return code ? code : write_batch(line, &job->plan);
    }
    if (line->gather) {
        progress_end();
        return code ? code : gather(line, job);
    }
    if (!code && request->share.count > 0)
        code = take_part(request, &job->plan, &empty);
    if (empty)
        progress_end();
    if (empty)
        return code;
    if (!code)
        code = exec_set_workers(&job->plan, request, &line->reading);
    if (!code && request->profile)
        code = exec_profile_open(request->profile, request, &request->times);
    if (!code)
        code = exec_fill_unknown_times(job, request, has_policy);
    if (!code && !job->plan.s)
        code = hs_policy_needs_plan(request->settings.decide.policy)
                   ? exec_plan_instance(&job->plan, request->quiet)
                   : exec_bound_instance(&job->plan);
    if (!code && job->plan.s) {
        progress_set_done(1, "checking %s", job->plan.path);
        code = plan_check(&job->plan, NULL);
    }
    progress_end();
    if (!code)
        code = exec_prepare(job, request);
    if (code)
        return code;
    code = open_files(line, job);
    if (code)
        return code;
    if (request->dry_run)
        return exec_dry_run(job);
    code = exec_profile_begin(request->times, job);
    if (code)
        return code;
    exec_run(job);
    exec_show_end(job);
    rows = exec_joblog_close(request->log);
    code = exec_conclude(job, request);
    return code ? code : rows;
}

/* Take the path of the plan, the instance or the list of commands. */
static void take_operand(options *o, exec_request *request, plan *p)
{
    if (request->commands && options_operand_count(o) > 0)
        usage_error("--commands=FILE replaces the plan '%s': give one of them",
                    options_operand(o));
    if (!request->commands && options_operand_count(o) != 1)
        usage_error("give exactly one plan or instance, or --commands=FILE");
    p->path = request->commands ? request->commands : options_operand(o);
    if (request->commands)
        request->settings.run.allow_commands = true;
}

/* Show the output of the tasks of a list of commands, unless a file goes to standard output. */
static void set_default_show(const options *o, command_line *line)
{
    if (line->request.commands && !options_given(o, "show") &&
        !files_count_stdout(line->path, EXEC_FILES))
        line->request.show = EXEC_SHOW_TASKS;
}

static void set_attempt_callbacks(exec_request *request, exec_job **job)
{
    hs_exec_settings *settings = &request->settings;

    settings->report.data = job;
    if (request->joblog || request->profile || request->show == EXEC_SHOW_TASKS)
        settings->report.attempt = exec_attempt_ended;
    if (request->show == EXEC_SHOW_LINES)
        settings->report.line = exec_show_line;
}

int main(int argc, char **argv)
{
    options      o;
    command_line line = {.policy = "plan"};
    exec_job     job = {0}, *shown = &job;
    int          code, lost;

    /* number GPUs in PCI order, so that commands see the same numbers */
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    hs_exec_settings_init(&line.request.settings);
    line.request.settings.report.progress = exec_progress;
    line.request.settings.report.failure = exec_messages_failure;
    hs_read_settings_init(&line.reading);
    line.reading.missing_workers = exec_workers_here;
    line.reading.missing_data = &line.request;
    options_read(&o, &tool, argc, argv, &line);
    line.reading.has_cpus = options_given(&o, "cpus");
    line.reading.has_gpus = options_given(&o, "gpus");
    line.request.command = argv;
    line.request.report = line.path[EXEC_REPORT];
    line.request.measured = line.path[EXEC_MEASURED];
    line.request.settings.run.verify = !line.no_verify;
    line.request.settings.keep.transfers =
        line.path[EXEC_REPORT] || line.path[EXEC_TRACE] || line.path[EXEC_GANTT];
    exec_status_begin();
    plugin_open_files(line.request.settings.run.allow_plugins);
    line.request.policy = line.policy;
    line.request.settings.decide.policy =
        plugin_policy_with_rank(line.policy, &line.request.settings.decide.rank);
    if (!line.request.settings.decide.policy)
        plugin_unknown_policy(NULL, line.policy);
    if (line.devices && options_operand_count(&o) <= 1)
        return output_finish(exec_devices(options_operand(&o)));
    take_operand(&o, &line.request, &job.plan);
    set_default_show(&o, &line);
    check_policy_options(&o, hs_policy_name(line.request.settings.decide.policy));
    check_command_line(&line, job.plan.path);
    set_attempt_callbacks(&line.request, &shown);

    code = run_plan(&line, &job, options_given(&o, "policy"));
    lost = exec_profile_close(line.request.times);
    code = code ? code : lost;
    files_discard(line.request.file, EXEC_FILES);
    hs_exec_free(job.exec);
    exec_gathered_free(job.gathered);
    free(line.own_journal);
    exec_share_free_list(&line.journals);
    exec_earlier_free(&line.earlier);
    free(job.matrix);
    scratch_remove();
    hs_schedule_free(job.predicted);
    plan_free(&job.plan);
    return output_finish(code);
}
