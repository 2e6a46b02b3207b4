/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the table of attempts, with a row per finished attempt. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "exec/exec.h"

static const char header[] = "id\tworker\tstart\tseconds\texit\tattempt\tcommand\n";

/*
 * Buffer size that lets a row be written at once: a command has at most 128 KiB, and each byte
 * takes at most four characters.
 */
enum { LONGEST_ROW = 1 << 20 };

struct exec_joblog {
    const exec_job *job;
    const char     *path;
    FILE           *out;
    int             error; /* errno of the first failed write */
};

static int cannot(const char *what, const char *path, int error)
{
    message("cannot %s '%s': %s", what, path, strerror(error));
    return error == ENOSPC || error == EIO ? EXIT_RESOURCE : EXIT_USAGE;
}

/* Check that a file is empty or a table of attempts. *ended: its last row is complete. */
static int check_content(int fd, const char *path, int *ended)
{
    char        first[sizeof header - 1], last = '\n';
    struct stat about;

    *ended = 1;
    if (fstat(fd, &about) != 0)
        return cannot("read", path, errno);
    if (!S_ISREG(about.st_mode) || about.st_size == 0)
        return EXIT_OK;
    if (pread(fd, first, sizeof first, 0) != (ssize_t)sizeof first ||
        memcmp(first, header, sizeof first) != 0) {
        message("'%s' is not a table of attempts and is left unchanged: name another file", path);
        return EXIT_USAGE;
    }
    if (pread(fd, &last, 1, about.st_size - 1) != 1)
        return cannot("read", path, errno);
    *ended = last == '\n';
    return EXIT_OK;
}

static int open_file(const char *path, int flags, int *fd)
{
    *fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | flags, 0666);
    return *fd >= 0 ? EXIT_OK : cannot("write", path, errno);
}

int exec_joblog_look(const char *path)
{
    struct stat about;
    int         fd, ended, code;

    if (stat(path, &about) != 0)
        return output_check_creatable(path);
    code = open_file(path, 0, &fd);
    if (code)
        return code;
    code = check_content(fd, path, &ended);
    close(fd);
    return code;
}

/* Begin the table, or continue it if the run resumes. */
static int begin(exec_joblog *log, int fd, bool resume)
{
    int ended, code = check_content(fd, log->path, &ended);

    if (code)
        return code;
    if (!resume)
        (void)!ftruncate(fd, 0); /* ftruncate() fails on a pipe, which has no old content */
    log->out = fdopen(fd, "a");
    if (!log->out)
        return cannot("write", log->path, errno);
    setvbuf(log->out, NULL, _IOFBF, LONGEST_ROW);
    if (!ended && resume)
        putc('\n', log->out);
    if (lseek(fd, 0, SEEK_END) <= 0)
        fputs(header, log->out);
    return fflush(log->out) == 0 ? EXIT_OK : cannot("write", log->path, errno);
}

int exec_joblog_open(const char *path, const exec_job *job, exec_joblog **out)
{
    exec_joblog *log = checked_calloc(1, sizeof *log);
    int          fd, code = open_file(path, O_CREAT, &fd);

    log->job = job;
    log->path = path;
    if (!code) {
        code = begin(log, fd, job->request->settings.keep.resume != HS_RESUME_NOT);
        if (code && log->out)
            fclose(log->out);
        else if (code)
            close(fd);
    }
    if (code)
        free(log);
    else
        *out = log;
    return code;
}

/* Write a text as one field of the table: escape tabs, newlines and backslashes. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '\t')
            fputs("\\t", out);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c == '\\')
            fputs("\\\\", out);
        else if (c < ' ' || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            putc(c, out);
    }
}

/* Write the outcome: 0 for success, another number only for an exit status. */
static void put_end(FILE *out, const hs_exec_attempt *a)
{
    if (a->outcome == HS_OUTCOME_DONE)
        putc('0', out);
    else if (a->timed_out)
        fputs("timeout", out);
    else if (a->outcome == HS_OUTCOME_ABORTED)
        fputs("aborted", out);
    else if (a->outcome == HS_OUTCOME_LOST)
        fputs("lost", out);
    else if (a->signal > 0)
        fprintf(out, "signal %d", a->signal);
    else if (a->status > 0)
        fprintf(out, "%d", a->status);
    else
        fputs("failed", out);
}

/* Return the command or kernel of an attempt; empty on emulated workers. */
static const char *command_of(const exec_job *job, const hs_exec_attempt *a)
{
    const hs_instance *in = job->plan.in;
    const hs_type      type = a->worker < hs_instance_cpus(in) ? HS_CPU : HS_GPU;
    const char        *backend = hs_exec_backend_name(job->exec, a->task, type), *command;
    hs_task            row;

    hs_instance_row(in, hs_instance_row_of(in, a->task), &row);
    command = type == HS_CPU ? row.cpu_command : row.gpu_command;
    if (!backend || strcmp(backend, "emulated") == 0)
        return "";
    if (command && *command)
        return command;
    return row.kernel ? row.kernel : "";
}

void exec_joblog_attempt(exec_joblog *log, const hs_exec_attempt *a)
{
    FILE *out = log ? log->out : NULL;
    char  id[HS_MAX_ID + 16], worker[EXEC_WORKER];

    if (!out || log->error)
        return;
    hs_instance_name(log->job->plan.in, a->task, id, sizeof id);
    exec_worker_label(log->job, a->worker, worker);
    put_text(out, id);
    putc('\t', out);
    put_text(out, worker);
    fprintf(out, "\t%.6f\t%.6f\t", a->date, a->end - a->start);
    put_end(out, a);
    fprintf(out, "\t%lu\t", (unsigned long)a->number);
    put_text(out, command_of(log->job, a));
    putc('\n', out);
    if (fflush(out) != 0)
        log->error = errno ? errno : EIO;
}

/*
 * Write a row for each task that was never attempted because a predecessor failed. Otherwise a
 * reader of the table would wait for these tasks.
 */
static void put_blocked(exec_joblog *log)
{
    char     id[HS_MAX_ID + 16];
    uint32_t next = 0;

    while (exec_blocked_next(log->job, &next, NULL)) {
        hs_instance_name(log->job->plan.in, next - 1, id, sizeof id);
        put_text(log->out, id);
        fputs("\t-\t0.000000\t0.000000\tblocked\t0\t\n", log->out);
    }
    if (fflush(log->out) != 0 && !log->error)
        log->error = errno ? errno : EIO;
}

int exec_joblog_close(exec_joblog *log)
{
    int error;

    if (!log)
        return EXIT_OK;
    put_blocked(log);
    error = log->error;
    if (fclose(log->out) != 0 && !error)
        error = errno;
    if (error)
        message("cannot write '%s': %s", log->path, strerror(error));
    free(log);
    return error ? EXIT_RESOURCE : EXIT_OK;
}
