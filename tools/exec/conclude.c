/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: what is said and written when a run is over. */
#include <errno.h>
#include <unistd.h>

#include "common/message.h"
#include "exec/exec.h"

static hs_status write_report(int fd, const exec_job *job, const exec_measured *m)
{
    int       copy = dup(fd), error;
    FILE     *out = copy < 0 ? NULL : fdopen(copy, "w");
    hs_status status;

    if (!out) {
        error = errno;
        if (copy >= 0)
            close(copy);
        errno = error;
        return HS_EIO;
    }
    status = HS_OK;
    if (job->request->html)
        status = exec_write_html(out, job, m);
    else
        exec_write_json(out, job, m);
    if (status == HS_OK && (fflush(out) != 0 || ferror(out)))
        status = HS_EIO;
    error = errno;
    if (fclose(out) != 0 && status == HS_OK)
        return HS_EIO;
    errno = error;
    return status;
}

static int write_files(const exec_job *job, exec_request *request, const exec_measured *m)
{
    int worst = EXIT_OK;

    for (int i = 0; i < EXEC_FILES; i++) {
        hs_status status;
        int       fd, code;

        if (!request->file[i])
            continue;
        fd = output_fd(request->file[i]);
        if (i == EXEC_REPORT)
            status = write_report(fd, job, m);
        else
            status = exec_write_picture(i == EXEC_TRACE ? hs_trace_write : hs_gantt_write, fd, job,
                                        m);
        code = output_close(request->file[i], status);
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
            exec_summary(job, &m);
    } else {
        code = message_status(status, job->plan.path);
    }
    exec_measured_free(&m);
    if (job->status == HS_OK)
        return code;
    message("%s: %s", job->plan.path, job->why);
    return job->signal ? 128 + job->signal : exit_code(job->status);
}
