/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: preparation of a run, with every check that may refuse it. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/escape.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/scratch.h"
#include "exec/exec.h"

static int cannot_make(const char *path)
{
    message("cannot make the folder '%s': %s", path, strerror(errno));
    return EXIT_USAGE;
}

static int make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? EXIT_OK : cannot_make(path);
}

/* Create a folder for output that is only kept for messages; NULL after a message. */
static const char *make_scratch(void)
{
    const char *path = scratch_create();

    if (!path)
        message("what fails will be shown without its output: no folder for that can be made in "
                "'%s': %s",
                scratch_parent(), strerror(errno));
    return path;
}

/*
 * Check whether a missing folder could be created, and set *path to NULL; an existing folder is
 * checked when the run is prepared. Return 0, or an exit code after a message.
 */
static int look_at_folder(const char **path)
{
    const char *wanted = *path;
    struct stat st;
    char       *copy;
    int         code = EXIT_OK;

    if (!wanted || lstat(wanted, &st) == 0)
        return EXIT_OK;
    if (errno != ENOENT || !*wanted)
        return cannot_make(wanted);
    copy = checked_calloc(strlen(wanted) + 1, 1);
    strcpy(copy, wanted);
    if (access(dirname(copy), W_OK | X_OK) != 0)
        code = cannot_make(wanted);
    free(copy);
    *path = NULL;
    return code;
}

void exec_print_reason(const char *path, const char *why)
{
    static const char *const option[][2] = {{"settings.run.allow_commands", "--allow=commands"},
                                            {"settings.run.allow_plugins", "--allow=plugins"},
                                            {"settings.run.emulate[HS_CPU]", "--emulate-cpus"},
                                            {"settings.run.emulate[HS_GPU]", "--emulate-gpus"},
                                            {"settings.run.matrix", "--input"},
                                            {"settings.place.share_gpu_cores", "--no-reserve"},
                                            {"settings.gpu.tile_memory", "--gpu-memory"},
                                            {"settings.run.mpi", "--mpi"},
                                            {"settings.run.fewer_nodes", "--fewer"},
                                            {"settings.run.nodes", "--nodes"},
                                            {"settings.gpu.module", "--gpu-module"},
                                            {"settings.place.oversubscribe", "--oversubscribe"}};
    char                     text[2 * HS_WHY];
    size_t                   used = 0, i;

    while (*why && used + 32 < sizeof text) {
        for (i = 0; i < sizeof option / sizeof *option; i++)
            if (strncmp(why, option[i][0], strlen(option[i][0])) == 0)
                break;
        if (i < sizeof option / sizeof *option) {
            used += (size_t)sprintf(text + used, "%s", option[i][1]);
            why += strlen(option[i][0]);
        } else {
            text[used++] = *why++;
        }
    }
    text[used] = '\0';
    message("%s: %s", path, text);
}

static int refuse_policy(const exec_job *job, hs_status status, const char *what)
{
    if (status == HS_ESCHEDULE)
        message("%s: the schedule of the policy '%s' is not valid: %s", job->plan.path,
                job->request->policy, what ? what : "the policy made an impossible decision");
    else if (status == HS_EDEPENDENT)
        message("%s: the policy '%s' supports independent tasks only; choose another one",
                job->plan.path, job->request->policy);
    else
        return message_status(status, job->plan.path);
    return exit_code(status);
}

/*
 * Compute the policy's schedule for the estimates and check it, because a plugin's policy may be
 * faulty.
 */
static int predict(exec_job *job, const exec_request *request)
{
    const hs_policy_kind *policy = request->settings.decide.policy;
    const hs_instance    *in = job->plan.in;
    hs_policy_settings    settings;
    hs_error              error = {0};
    hs_status             status;

    hs_policy_settings_init(&settings);
    settings.rank = request->settings.decide.rank;
    settings.parameters = request->settings.decide.parameters;
    settings.cost = request->settings.decide.cost;
    settings.transfers = 1;
    status = hs_policy_simulate(policy, in, job->plan.s, in, &settings, &job->predicted, &error);
    if (status == HS_OK)
        status = hs_schedule_check(in, job->predicted, &error);
    if (status == HS_OK)
        return EXIT_OK;
    return refuse_policy(job, status, error.why);
}

/* Replace the prediction of a resumed run by the prediction for the remaining tasks. */
static int predict_rest(exec_job *job)
{
    hs_schedule *rest = NULL;
    hs_status    status = hs_exec_predict(job->exec, &rest);

    if (status != HS_OK)
        return refuse_policy(job, status, NULL);
    hs_schedule_free(job->predicted);
    job->predicted = rest;
    return EXIT_OK;
}

/* Print the state of a resumed run from its journal; nothing without a journal. */
static void print_past(const exec_job *job)
{
    char         gone[64] = "";
    hs_exec_journal_summary p;

    hs_exec_journal_summary_init(&p);
    hs_exec_summarise_journal(job->exec, &p);
    if (p.note)
        message("%s", p.note);
    if (job->request->quiet || p.done + p.failed + p.changed + p.gone == 0)
        return;
    if (p.gone > 0)
        snprintf(gone, sizeof gone, "; %llu more not in this %s", (unsigned long long)p.gone,
                 job->request->share.count > 0 ? "share" : "plan");
    message("%s: %llu task%s done, %llu failed, %llu changed since, %llu not on record%s",
            job->request->settings.keep.journal, (unsigned long long)p.done, plural(p.done),
            (unsigned long long)p.failed, (unsigned long long)p.changed,
            (unsigned long long)p.fresh, gone);
}

static bool can_write_factors(const exec_job *job)
{
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    if (!job->request->factors || hs_exec_describe_factorisation(job->exec, &f))
        return true;
    message("%s: --output needs tasks that factorise a matrix; there are none", job->plan.path);
    return false;
}

int exec_prepare(exec_job *job, exec_request *request)
{
    hs_exec_settings *settings = &request->settings;
    hs_status         status;
    int               code = EXIT_OK;

    job->unit = hs_unit_seconds(hs_instance_unit(job->plan.in)) *
                (settings->run.time_scale > 0 ? settings->run.time_scale : 1);
    job->keeps_logs = settings->keep.log_folder != NULL;
    settings->keep.dry_run = request->dry_run;
    if (request->dry_run)
        code = look_at_folder(&settings->keep.log_folder);
    else if (settings->keep.log_folder)
        code = make_folder(settings->keep.log_folder);
    else if (settings->run.allow_commands || settings->run.allow_plugins)
        settings->keep.log_folder = make_scratch();
    settings->keep.separate_errors = request->show != EXEC_SHOW_NOTHING || job->keeps_logs;
    settings->keep.failed_logs_only = !job->keeps_logs && request->show != EXEC_SHOW_TASKS;
    if (!code)
        code = predict(job, request);
    if (!code && request->input)
        code = exec_matrix_read(request->input, job->plan.in, &job->matrix,
                                &settings->run.matrix_order);
    settings->run.matrix = job->matrix;
    if (code)
        return code;
    status = hs_exec_create(job->plan.in, job->plan.s, settings, &job->exec, &job->error);
    if (status != HS_OK) {
        exec_print_reason(job->plan.path, job->error.why);
        if (status == HS_ERESOURCE)
            exec_suggest_workers(job);
        return exit_code(status);
    }
    if (!can_write_factors(job))
        return EXIT_USAGE;
    if (!request->quiet)
        print_past(job);
    return settings->keep.resume == HS_RESUME_NOT ? EXIT_OK : predict_rest(job);
}
