/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much sooner an instance is there when several threads read its file.
 *
 *     bench_read_threads [TASKS [FILE...]]      default 1000000, some kinds of files
 *
 * One CSV row a file and number of threads, of seven rounds that take turns. `seconds` have
 * passed, the least of them, as other programs may have had the cores in the others; `cpu`
 * were spent by all threads and `caller` by the calling one, medians: where each thread has a
 * core, no fewer than `caller` pass. `sooner` is the time of one thread over that of
 * this row, `work` what was spent over what one thread spends; `peak_bytes` is what a
 * process that does nothing else grows by while it reads, and `memory` that over one
 * thread's. Each reading finds its memory at hand (see bench_read).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "instance_file.h"

enum { ROUNDS = 7, CASES = 3 };

static const unsigned threads[CASES] = {1, 2, 4};

struct cost {
    double seconds[ROUNDS], cpu[ROUNDS], caller[ROUNDS];
    long   peak;
};

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_file(const char *path, unsigned count)
{
    hs_instance    *in = NULL;
    hs_diagnostic   why;
    hs_read_options options;
    int             fd = open(path, O_RDONLY);

    if (fd < 0)
        fail(path);
    hs_read_options_init(&options);
    options.threads = count;
    if (hs_instance_read(fd, &options, &in, &why) != HS_OK) {
        fprintf(stderr, "%" PRIu64 ":%" PRIu64 ": %s\n", why.line, why.column, why.text);
        exit(1);
    }
    hs_instance_free(in);
    close(fd);
}

/* What this process, which has done nothing yet, takes at most to read the file. */
static int print_peak(const char *path, unsigned count)
{
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);
    read_file(path, count);
    getrusage(RUSAGE_SELF, &after);
    printf("%ld\n", (after.ru_maxrss - before.ru_maxrss) * 1024);
    return 0;
}

static long peak_of_reading(const char *program, const char *path, unsigned count)
{
    char  command[512];
    long  bytes = 0;
    FILE *f;

    snprintf(command, sizeof command, "'%s' --peak '%s' %u", program, path, count);
    f = popen(command, "r");
    if (!f || fscanf(f, "%ld", &bytes) != 1 || pclose(f))
        fail(command);
    return bytes;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void sort(double times[ROUNDS])
{
    qsort(times, ROUNDS, sizeof *times, by_value);
}

static void measure(const char *program, const struct layout *layout, size_t tasks,
                    const char *path)
{
    struct cost cost[CASES];
    double      seconds, cpu, one = 0, one_cpu = 0;

    make_file(path, layout, tasks);
    for (int i = 0; i < CASES; i++)
        cost[i].peak = peak_of_reading(program, path, threads[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CASES; i++) {
            touch_memory((size_t)cost[i].peak);
            cost[i].seconds[round] = -now(CLOCK_MONOTONIC);
            cost[i].cpu[round] = -now(CLOCK_PROCESS_CPUTIME_ID);
            cost[i].caller[round] = -now(CLOCK_THREAD_CPUTIME_ID);
            read_file(path, threads[i]);
            cost[i].caller[round] += now(CLOCK_THREAD_CPUTIME_ID);
            cost[i].cpu[round] += now(CLOCK_PROCESS_CPUTIME_ID);
            cost[i].seconds[round] += now(CLOCK_MONOTONIC);
        }
    }
    for (int i = 0; i < CASES; i++) {
        sort(cost[i].seconds);
        sort(cost[i].cpu);
        sort(cost[i].caller);
        seconds = cost[i].seconds[0];
        cpu = cost[i].cpu[ROUNDS / 2];
        one = i ? one : seconds;
        one_cpu = i ? one_cpu : cpu;
        printf("%s,%zu,%u,%.6f,%.6f,%.6f,%.2f,%.2f,%ld,%.2f\n", layout->name, tasks,
               threads[i], seconds, cpu, cost[i].caller[ROUNDS / 2], one / seconds, cpu / one_cpu,
               cost[i].peak, (double)cost[i].peak / (double)cost[0].peak);
    }
    fflush(stdout);
}

static int is_wanted(const struct layout *layout, int names, char **name)
{
    int found = names <= 0 && layout->digits == 6;

    for (int i = 0; i < names; i++)
        found |= strcmp(name[i], layout->name) == 0;
    return found;
}

int main(int argc, char **argv)
{
    size_t tasks = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    char   path[] = "/tmp/bench_read_threads_XXXXXX";
    int    fd;

    if (argc > 3 && strcmp(argv[1], "--peak") == 0)
        return print_peak(argv[2], (unsigned)atoi(argv[3]));
    fd = mkstemp(path);
    if (fd < 0)
        fail(path);
    close(fd);
    printf("file,tasks,threads,seconds,cpu,caller,sooner,work,peak_bytes,memory\n");
    for (size_t i = 0; i < layout_count; i++)
        if (is_wanted(&layouts[i], argc - 2, argv + 2))
            measure(argv[0], &layouts[i], tasks, path);
    unlink(path);
    return 0;
}
