/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: runs a plan on this machine's cores and GPUs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"
#include "common/message.h"
#include "common/options.h"
#include "common/plugin.h"
#include "common/progress.h"
#include "common/scratch.h"
#include "exec/command_line.h"
#include "exec/ranks.h"

static void check_policy_options(const options *o, const char *policy)
{
    if ((options_given(o, "band") || options_given(o, "leave")) &&
        strcmp(policy, "hp-corrected") != 0)
        usage_error("--band and --leave need the policy hp-corrected");
    if (options_given(o, "threshold") && strcmp(policy, "h-ratio") != 0 &&
        strcmp(policy, "d-rank") != 0)
        usage_error("--threshold needs the policy h-ratio or d-rank");
}

/* Refuse options that nodes do not serve, or that need nodes; list the nodes. Return 0, or an exit
 * code after a message. */
static int check_nodes(command_line *line)
{
    exec_request *request = &line->request;
    int           code;

    if (!line->nodes && (line->launch || request->settings.run.node_timeout > 0 ||
                         request->settings.run.fewer_nodes))
        usage_error("--launch, --node-timeout and --fewer need --nodes");
    if (!line->nodes)
        return EXIT_OK;
    if (request->share.count > 0 || line->gather)
        usage_error("--nodes excludes --share and --gather: one process has the journal");
    if (request->input || request->factors)
        usage_error("--nodes excludes --input and --output: nodes execute commands only");
    if (line->batch) {
        request->on_nodes = true;
        request->batch_nodes = exec_nodes_of_job(line->nodes);
        return EXIT_OK;
    }
    code = exec_nodes_list(line->nodes, line->launch, &line->node_list);
    request->settings.run.nodes = line->node_list.list;
    request->settings.run.node_count = line->node_list.count;
    /* agents on one machine would bind their workers to the same cores */
    request->settings.place.unbound |= line->node_list.here;
    return code;
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
    if (!code && !job->plan.s && line->ranks &&
        hs_policy_needs_plan(request->settings.decide.policy))
        code = exec_ranks_refuse_instance(&job->plan);
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
    if (!code)
        code = open_files(line, job);
    code = exec_ranks_agree(line->ranks, code);
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
    bool         is_alone;

    /* number GPUs in PCI order, as CUDA does in commands with this variable */
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    hs_exec_settings_init(&line.request.settings);
    line.request.settings.report.progress = exec_progress;
    line.request.settings.report.failure = exec_messages_failure;
    hs_read_settings_init(&line.reading);
    line.reading.missing_workers = exec_workers_here;
    line.reading.missing_data = &line.request;
    options_read(&o, &exec_tool, argc, argv, &line);
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
    if (line.node)
        return output_finish(exec_nodes_serve());
    take_operand(&o, &line.request, &job.plan);
    set_default_show(&o, &line);
    check_policy_options(&o, hs_policy_name(line.request.settings.decide.policy));
    check_command_line(&line, job.plan.path);
    set_attempt_callbacks(&line.request, &shown);

    code = check_nodes(&line);
    if (!code)
        code = exec_ranks_open(&line);
    if (!code)
        code = run_plan(&line, &job, options_given(&o, "policy"));
    lost = exec_profile_close(line.request.times);
    code = code ? code : lost;
    files_discard(line.request.file, EXEC_FILES);
    is_alone = exec_ranks_wait(&job);
    hs_exec_free(job.exec);
    exec_gathered_free(job.gathered);
    free(line.own_journal);
    exec_share_free_list(&line.journals);
    exec_nodes_free(&line.node_list);
    exec_earlier_free(&line.earlier);
    free(job.matrix);
    scratch_remove();
    hs_schedule_free(job.predicted);
    plan_free(&job.plan);
    return exec_ranks_close(line.ranks, output_finish(code), is_alone);
}
