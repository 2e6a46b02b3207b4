/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: everything that a run may be refused for. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "exec.h"

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return EXIT_OK;
    message("cannot make the folder '%s': %s", path, strerror(errno));
    return EXIT_USAGE;
}

int exec_prepare(exec_job *job, exec_request *request, char **folder)
{
    hs_exec_settings *settings = &request->settings;
    hs_status         status;
    int               code = EXIT_OK;

    job->unit = hs_unit_seconds(hs_instance_unit(job->plan.in)) *
                (settings->time_scale > 0 ? settings->time_scale : 1);
    job->keeps_logs = settings->logs != NULL;
    settings->look_only = request->dry_run;
    if (request->dry_run)
        settings->logs = NULL;
    else if (settings->logs)
        code = make_folder(settings->logs);
    else if (settings->allow_commands || settings->allow_plugins)
        settings->logs = *folder = exec_folder_create();
    if (code)
        return code;
    status = hs_exec_create(job->plan.in, job->plan.s, settings, &job->exec, job->why);
    if (status != HS_OK) {
        message("%s: %s", job->plan.path, job->why[0] ? job->why : hs_status_text(status));
        return exit_code(status);
    }
    if (job->why[0]) /* a note, such as that the journal's end was cut off */
        message("%s", job->why);
    status = hs_policy_simulate(settings->policy, job->plan.in, job->plan.s, job->plan.in, 0,
                                &job->predicted);
    return status == HS_OK ? EXIT_OK : message_status(status, job->plan.path);
}
