/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: runs a plan on this machine's cores and GPUs. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "common/help.h"
#include "common/message.h"
#include "common/options.h"
#include "common/progress.h"
#include "exec/exec.h"

enum {
    OPT_POLICY = OPTION_LONG, OPT_EMULATE_GPUS, OPT_EMULATE_CPUS, OPT_OVERSUBSCRIBE,
    OPT_TIME_SCALE, OPT_ALLOW, OPT_KEEP_VISIBLE_DEVICES, OPT_JOURNAL, OPT_RESUME, OPT_RETRIES,
    OPT_TIMEOUT, OPT_HALT, OPT_KEEP_GOING, OPT_GRACE, OPT_LOGS, OPT_DRY_RUN, OPT_REPORT,
    OPT_TRACE, OPT_GANTT, OPT_NO_VERIFY, OPT_IGNORE_UNKNOWN, OPT_DEVICES, OPT_GPU_MODE,
    OPT_RESIDENT, OPT_NO_RESERVE
};

static const char *policy_word(size_t index)
{
    return index < hs_policy_count() ? hs_policy_name(hs_policy_at(index)) : NULL;
}

static const char *allow_word(size_t index)
{
    static const char *const words[] = {"commands", "plugins", NULL};

    return words[index];
}

static const char *halt_word(size_t index) /* in the order of hs_halt */
{
    static const char *const words[] = {"soon", "now", "never", NULL};

    return words[index];
}

static const char *gpu_mode_word(size_t index) /* in the order of hs_gpu_mode */
{
    static const char *const words[] = {"streams", "graph", NULL};

    return words[index];
}

static const option_spec option_table[] = {
    {OPT_POLICY, "policy", ARGUMENT_WORD, "NAME", policy_word,
     "who decides what an idle worker does (default: plan); see below"},
    {OPT_EMULATE_GPUS, "emulate-gpus", ARGUMENT_NONE, NULL, NULL,
     "GPUs are stand-ins: a task with a gpu_command runs it, any other takes its planned time"},
    {OPT_EMULATE_CPUS, "emulate-cpus", ARGUMENT_NONE, NULL, NULL,
     "so are CPUs, and their tasks take their planned time: a rehearsal"},
    {OPT_OVERSUBSCRIBE, "oversubscribe", ARGUMENT_NONE, NULL, NULL,
     "let CPUs of the plan share cores where there are too few"},
    {OPT_DEVICES, "devices", ARGUMENT_NONE, NULL, NULL,
     "say which GPUs there are, and which processors are nearest to each, and exit"},
    {OPT_GPU_MODE, "gpu-mode", ARGUMENT_WORD, "streams|graph", gpu_mode_word,
     "how tasks of a plan get to a GPU: each by itself (streams, the default), or those that "
     "cuBLAS computes in batches put together before the start (graph)"},
    {OPT_RESIDENT, "resident", ARGUMENT_NONE, NULL, NULL,
     "inputs of built-in kernels are on the GPU before the start, and results stay there"},
    {OPT_NO_RESERVE, "no-reserve", ARGUMENT_NONE, NULL, NULL,
     "keep no core for the thread that drives each GPU"},
    {OPT_TIME_SCALE, "time-scale", ARGUMENT_TEXT, "X", NULL,
     "one second of the plan is held to last X seconds here (default: 1)"},
    {OPT_ALLOW, "allow", ARGUMENT_LIST, "commands,plugins", allow_word,
     "run what the plan asks for that is not part of this program"},
    {OPT_KEEP_VISIBLE_DEVICES, "keep-visible-devices", ARGUMENT_NONE, NULL, NULL,
     "leave CUDA_VISIBLE_DEVICES of commands as it was found"},
    {OPT_JOURNAL, "journal", ARGUMENT_FILE, "FILE", NULL,
     "keep on record in FILE what is done, so that it is not lost"},
    {OPT_RESUME, "resume", ARGUMENT_NONE, NULL, NULL,
     "go on from the journal: what it says is done is not done again"},
    {OPT_RETRIES, "retries", ARGUMENT_TEXT, "N", NULL,
     "try a task that failed up to N times more (default: 0)"},
    {OPT_TIMEOUT, "timeout", ARGUMENT_TEXT, "T", NULL,
     "an attempt fails that lasts longer: T seconds, or Nx: N times its estimate"},
    {OPT_HALT, "halt", ARGUMENT_WORD, "soon|now|never", halt_word,
     "when a task has failed for good, let what runs end (soon, the default), abort it (now), or "
     "go on with the others (never)"},
    {OPT_KEEP_GOING, "keep-going", ARGUMENT_NONE, NULL, NULL, "the same as --halt never"},
    {OPT_GRACE, "grace", ARGUMENT_TEXT, "SECONDS", NULL,
     "the time a command that is aborted has between SIGTERM and SIGKILL (default: 2)"},
    {OPT_LOGS, "logs", ARGUMENT_FILE, "FOLDER", NULL,
     "keep there what commands print, a file an attempt; without it only what failed is shown"},
    {OPT_DRY_RUN, "dry-run", ARGUMENT_NONE, NULL, NULL,
     "say what would run where, and refuse what a run would refuse; nothing is started or written"},
    {OPT_REPORT, "report", ARGUMENT_FILE, "FILE", NULL,
     "write what happened to FILE.json or FILE.html"},
    {OPT_GANTT, "gantt", ARGUMENT_FILE, "FILE", NULL,
     "draw what happened beside what was planned, as SVG"},
    {OPT_TRACE, "trace", ARGUMENT_FILE, "FILE", NULL,
     "write both as trace-event JSON, for Perfetto and chrome://tracing"},
    {OPT_NO_VERIFY, "no-verify", ARGUMENT_NONE, NULL, NULL,
     "do not check the results of built-in kernels"},
    {'q', "quiet", ARGUMENT_NONE, NULL, NULL, "print no summary"},
    {OPT_IGNORE_UNKNOWN, "ignore-unknown", ARGUMENT_NONE, NULL, NULL,
     "skip columns of the plan that are not known, rather than refuse them"},
    {0}
};

static void print_policies(FILE *out)
{
    fputs("Policies:\n", out);
    for (size_t i = 0; i < hs_policy_count(); i++) {
        int used = fprintf(out, "  %-12s", hs_policy_name(hs_policy_at(i)));

        help_wrap(out, hs_policy_summary(hs_policy_at(i)), used, 14);
    }
}

static const tool_spec tool = {
    .name = "hsched-exec",
    .operands = "PLAN",
    .summary = "Run the tasks of PLAN ('-': standard input), made by hsched-solve -o, on this "
               "machine's cores and GPUs, and say how that compares with what was planned.",
    .options = option_table,
    .epilogue = print_policies,
};

typedef struct command_line {
    exec_request    request;
    hs_read_options reading;
    const char     *path[EXEC_FILES]; /* NULL: not wanted */
    int             devices;          /* only say which there are */
} command_line;

static const hs_policy_kind *find_policy(const char *name)
{
    const hs_policy_kind *kind = hs_policy_find(name);

    if (!kind)
        usage_error("there is no policy '%s'; hsched-exec --help names those there are", name);
    return kind;
}

static void allow(hs_exec_settings *settings, const char *list)
{
    char word[32];

    while (list_next("--allow", &list, word, sizeof word)) {
        if (strcmp(word, "commands") == 0)
            settings->allow_commands = 1;
        else if (strcmp(word, "plugins") == 0)
            settings->allow_plugins = 1;
        else
            usage_error("--allow: there is no '%s'; it is commands, plugins, or both with a comma",
                        word);
    }
}

/* "30": seconds; "5x": so many times the estimate. */
static void set_timeout(hs_exec_settings *settings, const char *text)
{
    char   number[64];
    size_t length = strlen(text);

    if (length > 1 && length < sizeof number && text[length - 1] == 'x') {
        memcpy(number, text, length - 1);
        number[length - 1] = '\0';
        settings->timeout_factor = parse_double("--timeout", number, 1e-9, DBL_MAX);
    } else {
        settings->timeout = parse_double("--timeout", text, 1e-9, 1e9);
    }
}

static int has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);

    return length > end && strcmp(path + length - end, suffix) == 0;
}

static void set_report(command_line *line, const char *path)
{
    line->request.html = has_suffix(path, ".html");
    if (!line->request.html && !has_suffix(path, ".json") && strcmp(path, "-") != 0)
        usage_error("--report: '%s' ends neither in .json nor in .html", path);
    line->path[EXEC_REPORT] = path;
}

static void take_option(const options *o, int code, command_line *line)
{
    hs_exec_settings *settings = &line->request.settings;

    switch (code) {
    case OPT_POLICY:
        settings->policy = find_policy(o->value);
        break;
    case OPT_EMULATE_GPUS:
        settings->emulate[HS_GPU] = 1;
        break;
    case OPT_EMULATE_CPUS:
        settings->emulate[HS_CPU] = 1;
        break;
    case OPT_OVERSUBSCRIBE:
        settings->oversubscribe = 1;
        break;
    case OPT_DEVICES:
        line->devices = 1;
        break;
    case OPT_GPU_MODE:
        settings->gpu_mode = options_word(o);
        break;
    case OPT_RESIDENT:
        settings->resident = 1;
        break;
    case OPT_NO_RESERVE:
        settings->no_reserve = 1;
        break;
    case OPT_TIME_SCALE:
        settings->time_scale = options_double(o, 1e-9, 1e9);
        break;
    case OPT_ALLOW:
        allow(settings, o->value);
        break;
    case OPT_KEEP_VISIBLE_DEVICES:
        settings->keep_visible_devices = 1;
        break;
    case OPT_JOURNAL:
        settings->journal = o->value;
        break;
    case OPT_RESUME:
        settings->resume = 1;
        break;
    case OPT_RETRIES:
        settings->retries = (unsigned)options_unsigned(o, 0, 65534);
        break;
    case OPT_TIMEOUT:
        set_timeout(settings, o->value);
        break;
    case OPT_HALT:
        settings->halt = (hs_halt)options_word(o);
        break;
    case OPT_KEEP_GOING:
        settings->halt = HS_HALT_NEVER;
        break;
    case OPT_GRACE:
        settings->grace = options_double(o, 1e-3, 1e6);
        break;
    case OPT_LOGS:
        settings->logs = o->value;
        break;
    case OPT_DRY_RUN:
        line->request.dry_run = 1;
        break;
    case OPT_REPORT:
        set_report(line, o->value);
        break;
    case OPT_TRACE:
        line->path[EXEC_TRACE] = o->value;
        break;
    case OPT_GANTT:
        line->path[EXEC_GANTT] = o->value;
        break;
    case OPT_NO_VERIFY:
        settings->verify = 0;
        break;
    case 'q':
        line->request.quiet = 1;
        break;
    case OPT_IGNORE_UNKNOWN:
        line->reading.ignore_unknown = 1;
        break;
    }
}

static int is_dash(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Nothing that is read, or written, is to be written over. */
static void check_files(const command_line *line, const char *operand)
{
    const char *journal = line->request.settings.journal;

    if (journal && same_file(journal, operand))
        usage_error("%s is to be read and written", operand);
    for (int i = 0; i < EXEC_FILES; i++) {
        const char *path = line->path[i];

        if (!path || is_dash(path))
            continue;
        for (int j = 0; j < i; j++)
            if (line->path[j] && same_file(path, line->path[j]))
                usage_error("%s is to be written twice", path);
        if (same_file(path, operand))
            usage_error("%s is to be read and written", path);
        if (journal && same_file(path, journal))
            usage_error("%s is to be written twice", path);
    }
}

static void check_command_line(command_line *line, const char *operand)
{
    int to_stdout = 0;

    for (int i = 0; i < EXEC_FILES; i++)
        to_stdout += is_dash(line->path[i]);
    if (to_stdout > 1)
        usage_error("only one result can go to standard output");
    if (to_stdout > 0)
        line->request.quiet = 1;
    if (line->request.settings.resume && !line->request.settings.journal)
        usage_error("--resume needs a --journal to go on from");
    if (is_dash(line->request.settings.journal))
        usage_error("--journal is a file, which '-' is not");
    check_files(line, operand);
}

static int open_files(const command_line *line, exec_request *request)
{
    int code = EXIT_OK;

    for (int i = 0; i < EXEC_FILES && !code; i++)
        if (line->path[i])
            code = output_open(line->path[i], &request->file[i]);
    return code;
}

static int look_at_files(const command_line *line)
{
    int code = EXIT_OK;

    for (int i = 0; i < EXEC_FILES && !code; i++)
        if (line->path[i])
            code = output_look(line->path[i]);
    return code;
}

static int run_plan(command_line *line, exec_job *job, char **folder)
{
    exec_request *request = &line->request;
    int           code;

    job->request = request;
    progress_begin(2);
    code = plan_read(&job->plan, &line->reading);
    if (!code) {
        progress_step(1, "checking %s", job->plan.path);
        code = plan_check(&job->plan);
    }
    progress_end();
    if (!code)
        code = exec_prepare(job, request, folder);
    if (code)
        return code;
    code = request->dry_run ? look_at_files(line) : open_files(line, request);
    if (code)
        return code;
    if (request->dry_run)
        return exec_dry_run(job);
    exec_run(job);
    return exec_conclude(job, request);
}

int main(int argc, char **argv)
{
    options      o;
    command_line line = {0};
    exec_job     job = {0};
    char        *folder = NULL; /* for output of commands, if it is not to be kept */
    int          code;

    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1); /* as for commands: GPUs by their place */
    hs_exec_settings_init(&line.request.settings);
    line.request.settings.policy = hs_policy_find("plan");
    line.request.settings.progress = exec_progress;
    line.request.settings.failure = exec_news_failure;
    hs_read_options_init(&line.reading);
    options_begin(&o, &tool, argc, argv);
    while ((code = options_next(&o)) != -1)
        take_option(&o, code, &line);
    if (line.devices && options_operand_count(&o) == 0)
        return output_finish(exec_devices());
    if (options_operand_count(&o) != 1)
        usage_error("a plan is needed, and only one");
    job.plan.path = options_operand(&o);
    check_command_line(&line, job.plan.path);

    code = run_plan(&line, &job, &folder);
    for (int i = 0; i < EXEC_FILES; i++)
        output_discard(line.request.file[i]);
    hs_exec_free(job.exec);
    exec_folder_remove(folder);
    hs_schedule_free(job.predicted);
    plan_free(&job.plan);
    return output_finish(code);
}
