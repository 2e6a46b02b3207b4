/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * torture_aborts [ABORTS [SEED]]: aborts tasks that spin, compute, or are commands with children,
 * in three ways: spoliation, timeout and a stop of the run. Afterwards the number of processes,
 * threads and descriptors and the memory in use must be as before.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "exiting.h"
#include "growth.h"
#include "unit/rounds.h"

enum { CPUS = 2, FEW = 100 }; /* with fewer than FEW aborts, growth of resident memory is not
                                 measurable */

static uint64_t state;

static uint64_t dice(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "torture_aborts: %s: %s\n", what, detail);
    exit(1);
}

typedef struct census {
    long processes, zombies, threads, descriptors;
    long resident; /* KiB */
    long heap;     /* bytes; 0 if malloc cannot report */
} census;

/* Call is_counted() for each entry of the folder; return the number of entries that it accepts. */
static long count_entries(const char *path, int (*is_counted)(const char *name))
{
    DIR           *folder = opendir(path);
    struct dirent *entry;
    long           count = 0;

    if (!folder)
        fail(path, strerror(errno));
    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.' && is_counted(entry->d_name);
    closedir(folder);
    return count;
}

static int is_any(const char *name)
{
    (void)name;
    return 1;
}

static int is_live_thread(const char *thread)
{
    char path[300];

    snprintf(path, sizeof path, "/proc/self/task/%s", thread);
    return !is_exiting(path);
}

/* An environment variable that marks every descendant process. */
static char marker[64];

static bool is_marked(const char *process)
{
    static char text[1 << 18];
    char        path[300];
    FILE       *f;
    size_t      size, at;

    snprintf(path, sizeof path, "/proc/%s/environ", process);
    f = fopen(path, "r");
    size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[size] = '\0';
    if (f)
        fclose(f);
    for (at = 0; at < size; at += strlen(text + at) + 1)
        if (strcmp(text + at, marker) == 0)
            return true;
    return false;
}

/* Return true if SIGKILL is pending, which the process cannot survive. */
static bool is_killed(const char *process)
{
    const unsigned long long sigkill = 1ULL << (SIGKILL - 1);
    unsigned long long       pending = 0, shared = 0;
    char                     path[300], line[256];
    FILE                    *f;

    snprintf(path, sizeof path, "/proc/%s/status", process);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "SigPnd: %llx", &pending);
        sscanf(line, "ShdPnd: %llx", &shared);
    }
    if (f)
        fclose(f);
    return ((pending | shared) & sigkill) != 0;
}

static int is_live_process(const char *process)
{
    char path[300];

    snprintf(path, sizeof path, "/proc/%s", process);
    return isdigit((unsigned char)process[0]) && is_marked(process) && !is_killed(process) &&
           !is_exiting(path);
}

static long count_zombies(void)
{
    siginfo_t about = {0};

    return waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static long resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long  pages = 0;

    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        fail("/proc/self/statm", "cannot be read");
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long heap(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    return (long)mallinfo2().uordblks;
#else
    return 0;
#endif
}

static census count_all(void)
{
    census now = {.processes = count_entries("/proc", is_live_process),
                  .zombies = count_zombies(),
                  .threads = count_entries("/proc/self/task", is_live_thread),
                  .descriptors = count_entries("/proc/self/fd", is_any)};

    growth_trim_heap();
    now.heap = heap();
    now.resident = resident();
    return now;
}

typedef struct body {
    const char *what;
    const char *kernel, *command;
} body;

static const body bodies[] = {
    {"spinning", "spin:100000000", NULL},
    {"computing", "dgemm:768", NULL},
    {"sleeping", "sleep:100000000", NULL},
    {"command", NULL, "sleep 1000"},
    {"command with children", NULL, "sleep 1000 & (sleep 1000 & exec sleep 1000) & wait"},
    {"stubborn command", NULL, "trap '' TERM; sleep 1000 & while :; do wait; done"},
};

enum { BODIES = sizeof bodies / sizeof *bodies };

typedef enum way { SPOLIATED, OUT_OF_TIME, STOPPED, WAYS } way;

/* Return tasks that run for a long time on CPUs. For SPOLIATED, they are short on GPUs. */
static hs_instance *make_tasks(const body *b, way how)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    hs_task      task = {.struct_size = sizeof task,
                         .cpu = 100, .count = how == STOPPED ? CPUS + 1 : CPUS};

    task.gpu = how == SPOLIATED ? 0.001 : how == STOPPED ? 100 : INFINITY;
    task.kernel = b->kernel;
    task.cpu_command = b->command;
    task.restartable = HS_RESTART_YES;
    task.id = "t";
    if (hs_builder_create(&builder) != HS_OK ||
        hs_builder_set_workers(builder, CPUS, how == OUT_OF_TIME ? 0 : 1) != HS_OK ||
        hs_builder_add_row(builder, &task) != HS_OK ||
        hs_builder_finish(builder, &in, NULL) != HS_OK)
        fail("no instance", b->what);
    hs_builder_free(builder);
    return in;
}

static void stop(void *data, const hs_exec_progress *progress)
{
    (void)progress;
    hs_exec_stop(*(hs_exec **)data, HS_STOP_NOW);
}

static void choose(hs_exec_settings *s, way how, hs_exec **exec)
{
    hs_exec_settings_init(s);
    s->decide.policy = hs_policy_find("heteroprio");
    s->run.emulate[HS_GPU] = 1;
    s->place.oversubscribe = 1;
    s->run.allow_commands = true;
    s->fail.grace = 0.01;
    s->fail.halt = HS_HALT_NEVER;
    if (how == OUT_OF_TIME) {
        s->fail.timeout = 1e-6 * (double)(1 + dice(4000));
        s->fail.retries = 4;
        s->fail.retry_delay = 1e-3;
    }
    if (how == STOPPED) {
        s->report.progress = stop;
        s->report.data = exec;
        s->report.progress_interval = 1e-6 * (double)(1 + dice(5000));
    }
}

/* Return the number of attempts that did not run to completion. */
static long count_aborts(const hs_exec *exec, way how)
{
    long     aborts = 0;
    unsigned worker;

    for (worker = 0; worker < CPUS + (how != OUT_OF_TIME); worker++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(exec, worker, &count);

        for (; count > 0; count--, r++)
            aborts += r->outcome == HS_OUTCOME_ABORTED ||
                      (how == OUT_OF_TIME && r->outcome == HS_OUTCOME_FAILED);
    }
    return aborts;
}

static bool is_expected(hs_status st, way how, const body *b)
{
    if (how == SPOLIATED)
        return st == HS_OK;
    return st == (how == STOPPED ? HS_ECANCELED : HS_EFAILED) ||
           (st == HS_OK && !b->command); /* a computation may finish first */
}

/* Run the tasks and abort them; return the number of aborted attempts, or -1 if this build lacks
 * the kernel. */
static long abort_some(const body *b, way how)
{
    hs_instance     *in = make_tasks(b, how);
    hs_exec         *exec = NULL;
    hs_exec_settings settings;
    hs_error         error = {0};
    long             aborts = -1;
    hs_status        st;

    choose(&settings, how, &exec);
    st = hs_exec_create(in, NULL, &settings, &exec, &error);
    if (st == HS_OK) {
        st = hs_exec_run(exec, NULL, &error);
        if (!is_expected(st, how, b))
            fail(b->what, *error.why ? error.why : hs_status_text(st));
        aborts = count_aborts(exec, how);
    } else if (st != HS_ERESOURCE) {
        fail(b->what, *error.why ? error.why : hs_status_text(st));
    }
    hs_exec_free(exec);
    hs_instance_free(in);
    return aborts;
}

static long of[WAYS], with[BODIES];

static long abort_all_kinds(void)
{
    long sum = 0;
    int  b, how;

    for (b = 0; b < BODIES; b++)
        for (how = 0; how < WAYS; how++) {
            long aborts = abort_some(&bodies[b], (way)how);

            if (aborts < 0)
                continue;
            sum += aborts;
            of[how] += aborts;
            with[b] += aborts;
        }
    return sum;
}

static void print(const char *when, const census *c)
{
    printf("%s: %ld processes, %ld threads, %ld descriptors, %ld KiB resident, %ld bytes of heap\n",
           when, c->processes, c->threads, c->descriptors, c->resident, c->heap);
}

static void compare(const census *before, const census *after)
{
    if (after->processes != before->processes || after->zombies)
        fail("leaked", "processes");
    if (after->threads != before->threads)
        fail("leaked", "threads");
    if (after->descriptors != before->descriptors)
        fail("leaked", "descriptors");
    /* tolerance for malloc's per-thread memory and a few large blocks; a leak of two bytes in each
     * of 10,000 aborts exceeds it */
    if (growth_counts_memory() && after->heap > before->heap + 16384)
        fail("leaked", "memory");
}

/* Check the growth of resident memory, with a tolerance for BLAS, which keeps a buffer for each
 * call that was ever concurrent. */
static void compare_pages(const long resident_at[GROWTH_LOOKS])
{
    if (growth_counts_memory() && growth_median_step(resident_at) > 64)
        fail("leaked", "pages");
}

int main(int argc, char **argv)
{
    long   wanted = argc > 1 ? strtol(argv[1], NULL, 10) : rounds(300), aborts = 0;
    long   pages[GROWTH_LOOKS];
    census before, after;
    int    looks = wanted < FEW ? 4 : GROWTH_LOOKS, i;

    growth_begin();
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 20170529;
    snprintf(marker, sizeof marker, "TORTURE_ABORTS=%ld", (long)getpid());
    setenv("TORTURE_ABORTS", marker + strlen("TORTURE_ABORTS="), 1);
    for (i = 0; i < 3; i++) /* warm up: allocations made once are no leak */
        abort_all_kinds();
    before = count_all();
    memset(of, 0, sizeof of);
    memset(with, 0, sizeof with);
    pages[0] = before.resident;
    for (i = 1; i < looks; i++) {
        do
            aborts += abort_all_kinds();
        while (aborts * (looks - 1) < wanted * i);
        after = count_all();
        pages[i] = after.resident;
    }
    printf("%ld aborts: %ld spoliated, %ld out of time, %ld stopped\n", aborts, of[SPOLIATED],
           of[OUT_OF_TIME], of[STOPPED]);
    for (i = 0; i < BODIES; i++)
        printf("  %s: %ld\n", bodies[i].what, with[i]);
    print("before", &before);
    print("after", &after);
    compare(&before, &after);
    if (looks == GROWTH_LOOKS)
        compare_pages(pages);
    return 0;
}
