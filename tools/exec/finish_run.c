/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: files and messages at the end of a run. */
#include "common/message.h"
#include "exec/exec.h"

static hs_status write_file(int which, output *file, const exec_job *job, const exec_measured *m)
{
    FILE *out;

    if (which == EXEC_TRACE)
        return exec_write_picture(hs_trace_write, output_fd(file), job, m, 0);
    if (which == EXEC_GANTT)
        return exec_write_picture(hs_gantt_write, output_fd(file), job, m, 0);
    if (which == EXEC_MEASURED)
        return exec_write_measured(output_fd(file), job, m);
    out = output_stream(file);
    if (!out)
        return HS_ENOMEM;
    if (which == EXEC_FACTORS)
        return exec_matrix_write(out, job, job->request->factors);
    if (job->request->html)
        return exec_write_html(out, job, m);
    exec_write_json(out, job, m);
    return HS_OK;
}

static int write_files(const exec_job *job, exec_request *request, const exec_measured *m)
{
    int worst = EXIT_OK;

    for (int i = 0; i < EXEC_FILES; i++) {
        int code;

        if (i == EXEC_FACTORS && job->status != HS_OK) {
            output_discard(request->file[i]); /* a failed run has no factors, or wrong ones */
            request->file[i] = NULL;
        }
        if (!request->file[i])
            continue;
        code = output_close(request->file[i], write_file(i, request->file[i], job, m));
        request->file[i] = NULL;
        worst = code > worst ? code : worst;
    }
    return worst;
}

int exec_conclude(exec_job *job, exec_request *request)
{
    exec_measured m = {0};
    hs_status     status = exec_measure(job, &m);
    int           code = EXIT_OK;

    if (status == HS_OK) {
        code = write_files(job, request, &m);
        if (!request->quiet)
            exec_summary(request->show ? stderr : stdout, job, &m);
    } else {
        code = message_status(status, job->plan.path);
    }
    exec_measured_free(&m);
    if (job->status == HS_OK)
        return code;
    exec_print_reason(job->plan.path, job->error.why);
    return job->signal ? 128 + job->signal : exit_code(job->status);
}
