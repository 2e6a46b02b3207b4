/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: what failed, and what it had printed. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "exec.h"

/* ---- a folder for the time of the run ----------------------------------------- */

char *exec_folder_create(void)
{
    static const char name[] = "/hsched-exec.XXXXXX";
    const char       *parent = getenv("TMPDIR");
    char             *path;
    size_t            size;

    if (!parent || !parent[0])
        parent = "/tmp";
    size = strlen(parent) + sizeof name;
    path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%s%s", parent, name);
    if (mkdtemp(path))
        return path;
    free(path);
    return NULL;
}

void exec_folder_remove(char *folder)
{
    DIR           *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    if (folder)
        rmdir(folder);
    free(folder);
}

/* ---- failures ----------------------------------------------------------------- */

/* The whole file on standard error, ended by a newline. */
static void print_log(const char *path)
{
    FILE  *log = fopen(path, "r");
    char   block[4096];
    size_t got;
    int    last = '\n';

    if (!log) {
        message("cannot read '%s': %s", path, strerror(errno));
        return;
    }
    while ((got = fread(block, 1, sizeof block, log)) > 0) {
        fwrite(block, 1, got, stderr);
        last = block[got - 1];
    }
    if (last != '\n')
        fputc('\n', stderr);
    fclose(log);
}

static int is_empty(const char *path)
{
    FILE *log = fopen(path, "r");
    int   empty = log && getc(log) == EOF && !ferror(log);

    if (log)
        fclose(log);
    return empty;
}

/* Names may hold line ends and worse. */
static void print_clean(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static void report_failure(const exec_job *job, const hs_exec_failure *f)
{
    char task[HS_MAX_ID + 16], worker[16], why[HS_WHY];
    int  print = f->final && f->log && !is_empty(f->log);

    hs_instance_name(job->plan.in, f->task, task, sizeof task);
    print_clean(task);
    snprintf(why, sizeof why, "%s", f->why ? f->why : "it is not said why");
    print_clean(why);
    hs_worker_name(hs_instance_cpus(job->plan.in), f->worker, worker);
    message("task %s failed on %s, attempt %u: %s%s", task, worker, (unsigned)f->number, why,
            print      ? "; its output:"
            : f->final ? ""
                       : "; it was tried again");
    if (print)
        print_log(f->log);
}

void exec_report_failures(const exec_job *job)
{
    hs_exec_failure f;

    hs_exec_failure_init(&f);
    for (size_t i = 0; hs_exec_failure_at(job->exec, i, &f); i++)
        report_failure(job, &f);
}
