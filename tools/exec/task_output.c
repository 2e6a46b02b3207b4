/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: pass the output of tasks on to standard output and standard error. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/escape.h"
#include "common/output.h"
#include "common/progress.h"
#include "exec/exec.h"

static FILE *stream_of(int error)
{
    return error ? stderr : stdout;
}

/* Flush the stream. Call it after each write, so that errno still has the reason of a failure. */
static void flush_output(FILE *out)
{
    if (out == stdout)
        output_flush();
    else
        fflush(out);
}

/* Write the task's name and a tab, with --tag. */
static void put_tag(const exec_job *job, uint32_t task, FILE *out)
{
    char name[HS_MAX_ID + 16];

    if (!job->request->tag)
        return;
    hs_instance_name(job->plan.in, task, name, sizeof name);
    fprintf(out, "%s\t", SHOWN(name));
}

/*
 * Return whether the progress line would be drawn over output that ends without a newline, because
 * both are on a terminal.
 */
static bool is_drawn_over(FILE *out)
{
    return progress_is_possible() && isatty(fileno(out));
}

/* For standard output and standard error: the attempt whose last line has no newline yet. */
static struct {
    int      is_open;
    uint32_t task, number;
} unfinished[2];

void exec_show_line(void *data, const hs_exec_line *line)
{
    const exec_job *job = *(exec_job *const *)data;
    FILE           *out = stream_of(line->error);
    int             goes_on = unfinished[line->error].is_open;
    bool            ends = line->text[line->length - 1] == '\n';

    progress_pause();
    if (goes_on && (unfinished[line->error].task != line->task ||
                    unfinished[line->error].number != line->number)) {
        putc('\n', out);
        goes_on = 0;
    }
    if (!goes_on)
        put_tag(job, line->task, out);
    fwrite(line->text, 1, line->length, out);
    flush_output(out);
    if (!ends && is_drawn_over(out)) {
        putc('\n', out);
        flush_output(out);
        ends = true;
    }
    progress_resume();
    unfinished[line->error].is_open = !ends;
    unfinished[line->error].task = line->task;
    unfinished[line->error].number = line->number;
}

void exec_show_end(const exec_job *job)
{
    for (int error = 0; error < 2; error++) {
        if (job->request->tag && unfinished[error].is_open) {
            putc('\n', stream_of(error));
            flush_output(stream_of(error));
        }
        unfinished[error].is_open = 0;
    }
}

FILE *exec_log_open(const exec_job *job, const hs_exec_failure *attempt, int error,
                    char path[EXEC_PATH])
{
    size_t length =
        hs_exec_log_path(job->exec, attempt->task, attempt->number, error, path, EXEC_PATH);
    int    fd;

    if (length == 0 || length >= EXEC_PATH)
        return NULL;
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "r");
}

/*
 * Copy a log byte for byte. With tags, or if the progress line would be drawn over the last line,
 * complete this line with a newline.
 */
static void put_log(const exec_job *job, uint32_t task, FILE *log, FILE *out)
{
    char   block[16384];
    size_t got;
    bool   begins = true;

    while ((got = fread(block, 1, sizeof block, log)) > 0) {
        bool ends = block[got - 1] == '\n';

        for (const char *at = block, *end; job->request->tag && got > 0; at = end) {
            if (begins)
                put_tag(job, task, out);
            end = memchr(at, '\n', got);
            begins = end != NULL;
            end = end ? end + 1 : at + got;
            fwrite(at, 1, (size_t)(end - at), out);
            got -= (size_t)(end - at);
        }
        fwrite(block, 1, got, out);
        flush_output(out);
        begins = ends;
    }
    if (!begins && (job->request->tag || is_drawn_over(out))) {
        putc('\n', out);
        flush_output(out);
    }
}

/* Show the output of a finished task. Failed attempts are shown with their message. */
static void show_attempt(const exec_job *job, const hs_exec_attempt *a)
{
    const hs_exec_failure which = {.task = a->task, .number = a->number};
    char                  path[EXEC_PATH];

    if (a->outcome != HS_OUTCOME_DONE)
        return;
    progress_pause();
    for (int error = 0; error < 2; error++) {
        FILE *log = exec_log_open(job, &which, error, path);

        if (!log)
            continue;
        put_log(job, a->task, log, stream_of(error));
        fclose(log);
        if (!job->keeps_logs)
            unlink(path);
    }
    progress_resume();
}

void exec_attempt_ended(void *data, const hs_exec_attempt *attempt)
{
    const exec_job *job = *(exec_job *const *)data;

    if (job->request->show == EXEC_SHOW_TASKS)
        show_attempt(job, attempt);
    exec_joblog_attempt(job->request->log, attempt);
    exec_profile_attempt(job->request->times, job, attempt);
}
