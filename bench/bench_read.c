/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the speed of reading and writing instances, relative to the unavoidable work: reading the
 * bytes, and a bare scan that converts the numbers and discards them, with the library's own exact
 * conversion (`scan`) and with C++17's (`charconv`).
 *
 *     bench_read [TASKS [FILE...]]      default 1000000, every kind of file
 *
 * For a file with a graph `scan` also hashes ids and names of data. Prints a CSV row per file and
 * operation: medians of seven rounds in which the operations take turns, in CPU time, in case the
 * machine is busy. `floor_share` is the time of the charconv scan (without a C++17 compiler: of the
 * library's scan) over the time of the operation; `peak_bytes` is the growth of a fresh process
 * while it reads the file. `touch` writes to this amount of new memory; `solve` reads, and runs
 * heteroprio; `report` also computes the exact makespan. `sort_heap` is the unavoidable work of
 * scheduling (floor_solve.h): the floor of `solve` and `report` includes it. On a virtual machine a
 * page requested from the host costs ten times a page at hand; after `touch` the pages for `read`
 * are at hand.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "floor_solve.h"
#include "floor_text.h"
#include "instance_file.h"
#include "support/decimal/decimal.h"

enum { ROUNDS = 7 };
enum operation { BARE, SCAN, CHARCONV, SORT_HEAP, TOUCH, READ, SOLVE, REPORT, WRITE, OPERATIONS };

static const char *const operation_names[OPERATIONS] = {
    "bytes", "scan", "charconv", "sort_heap", "touch", "read", "solve", "report", "write"};

#ifdef HAVE_CHARCONV
enum { HAS_CHARCONV = 1 };
#else
enum { HAS_CHARCONV = 0 };
#endif

/* the scan with charconv ignores names */
static enum operation floor_of(const struct layout *layout)
{
    return HAS_CHARCONV && !layout->is_graph ? CHARCONV : SCAN;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { BLOCK = 256 * 1024 };

static double time_reading_bytes(int fd)
{
    static char block[BLOCK];
    double      sum = 0;
    ssize_t     got;

    while ((got = read(fd, block, sizeof block)) > 0)
        sum += block[0];
    if (got < 0)
        fail("read");
    return sum;
}

/* Sum the hashes of names, each ended by a comma, colon or semicolon. */
static double scan_names(const char *at, const char *end)
{
    double   sum = 0;
    uint64_t hash = 0;

    for (; at < end; at++) {
        bool ends = *at == ',' || *at == ':' || *at == ';';

        sum += ends ? (double)hash : 0;
        hash = ends ? 0 : (hash ^ (unsigned char)*at) * 0x100000001b3u;
    }
    return sum + (double)hash;
}

/* Sum the numbers of one row, and for a graph its names; `at` is after the id. */
static double scan_row(const char *at, const char *end, const struct layout *layout)
{
    double sum = 0, value = 0;

    for (int numbers = layout->has_kernels ? 3 : 2; numbers > 0; numbers--, at++) {
        at = hsi_decimal_read(at, end, &value);
        if (!at)
            fail("scan");
        sum += value;
    }
    return layout->is_graph ? sum + scan_names(at, end) : sum;
}

/* Scan the rows of a file: each ends in a newline, and the positions of the numbers are known. */
static double time_scan(int fd, const struct layout *layout)
{
    static char block[2 * BLOCK];
    size_t      held = 0;
    double      sum = 0;
    ssize_t     got;

    while ((got = read(fd, block + held, BLOCK)) > 0) {
        const char *at = block, *end = block + held + got, *stop;

        for (; (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1) {
            if (*at == '#' || *at == 'i' || *at == 'c')
                continue;
            if (layout->ids) {
                const char *id = at;

                at = (const char *)memchr(at, ',', (size_t)(stop - at)) + 1;
                sum += layout->is_graph ? scan_names(id, at - 1) : 0;
            }
            sum += scan_row(at, stop, layout);
        }
        held = (size_t)(end - at);
        memmove(block, at, held);
    }
    return sum;
}

static double time_charconv(int fd, const struct layout *layout)
{
#ifdef HAVE_CHARCONV
    double sum = scan_numbers(fd, layout->ids != NO_IDS);

    if (sum < 0)
        fail("charconv");
    return sum;
#else
    return fd + layout->ids;
#endif
}

static hs_instance *read_instance(int fd)
{
    hs_instance  *in = NULL;
    hs_error      error;

    if (hs_instance_read(fd, NULL, &in, &error) != HS_OK) {
        fprintf(stderr, "%" PRIu64 ":%" PRIu64 ": %s\n", error.line, error.column, error.why);
        exit(1);
    }
    return in;
}

static double heteroprio_makespan(const hs_instance *in, hs_report *report)
{
    hs_schedule *s = NULL;
    double       makespan;

    if (hs_solve_reported(hs_algorithm_find("heteroprio"), in, NULL, &s, report) != HS_OK)
        fail("heteroprio");
    makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    return makespan;
}

static int open_file(const char *path, int flags)
{
    int fd = open(path, flags, 0600);

    if (fd < 0)
        fail(path);
    return fd;
}

static double run_operation(enum operation operation, const char *path, const char *copy,
                            const struct layout *layout, const hs_instance *in, size_t peak)
{
    int fd = open_file(operation == WRITE ? copy : path,
                       operation == WRITE ? O_WRONLY | O_CREAT : O_RDONLY);
    hs_instance    *made = NULL;
    hs_report       report;
    volatile double sink = 0;
    double          start, elapsed;

    hs_report_init(&report);
    start = now();

    if (operation == BARE)
        sink = time_reading_bytes(fd);
    else if (operation == SCAN)
        sink = time_scan(fd, layout);
    else if (operation == CHARCONV)
        sink = time_charconv(fd, layout);
    else if (operation == TOUCH)
        sink = touch_memory(peak);
    else if (operation == READ || operation == SOLVE || operation == REPORT)
        made = read_instance(fd);
    else if (operation == WRITE && hs_instance_write(fd, in, NULL) != HS_OK)
        fail("write");
    if (operation == SOLVE || operation == REPORT)
        sink = heteroprio_makespan(made, operation == REPORT ? &report : NULL);
    elapsed = operation == SORT_HEAP ? seconds_of_sort(in) + seconds_of_heap(in) : now() - start;
    (void)sink;
    hs_instance_free(made);
    close(fd);
    return elapsed;
}

/* Print the peak memory of reading the file; this process has done nothing before. */
static bool print_peak(const char *path)
{
    struct rusage before, after;
    int           fd = open_file(path, O_RDONLY);

    getrusage(RUSAGE_SELF, &before);
    read_instance(fd);
    getrusage(RUSAGE_SELF, &after);
    printf("%ld\n", (after.ru_maxrss - before.ru_maxrss) * 1024);
    return false;
}

static long long peak_of_reading(const char *program, const char *path)
{
    char      command[512];
    long long bytes = 0;
    FILE     *f;

    snprintf(command, sizeof command, "'%s' --peak '%s'", program, path);
    f = popen(command, "r");
    if (!f || fscanf(f, "%lld", &bytes) != 1 || pclose(f))
        fail(command);
    return bytes;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double floor_time(const struct layout *layout, enum operation operation,
                         double times[OPERATIONS][ROUNDS])
{
    double seconds = times[floor_of(layout)][ROUNDS / 2];

    if (operation == SOLVE || operation == REPORT)
        seconds += times[SORT_HEAP][ROUNDS / 2];
    return seconds;
}

static void measure_layout(const char *program, const struct layout *layout, size_t tasks,
                           const char *path, const char *copy)
{
    double       times[OPERATIONS][ROUNDS];
    hs_instance *in;
    long long    peak;
    off_t        size;
    int          fd;

    make_file(path, layout, tasks);
    peak = peak_of_reading(program, path);
    fd = open_file(path, O_RDONLY);
    size = lseek(fd, 0, SEEK_END);
    lseek(fd, 0, SEEK_SET);
    in = read_instance(fd);
    close(fd);
    for (int round = 0; round < ROUNDS; round++)
        for (enum operation o = BARE; o < OPERATIONS; o++)
            times[o][round] = run_operation(o, path, copy, layout, in, (size_t)peak);
    for (enum operation o = BARE; o < OPERATIONS; o++)
        qsort(times[o], ROUNDS, sizeof times[o][0], by_value);
    for (enum operation o = BARE; o < OPERATIONS; o++)
        if (o != CHARCONV || o == floor_of(layout))
            printf("%s,%zu,%s,%lld,%.6f,%.1f,%.1f,%.3f,%lld\n", layout->name, tasks,
                   operation_names[o], (long long)size, times[o][ROUNDS / 2],
                   1e9 * times[o][ROUNDS / 2] / (double)tasks,
                   (double)size / times[o][ROUNDS / 2] / 1e6,
                   floor_time(layout, o, times) / times[o][ROUNDS / 2], o == READ ? peak : 0);
    hs_instance_free(in);
}

static bool is_selected(const struct layout *layout, int names, char **name)
{
    bool found = names <= 0;

    for (int i = 0; i < names; i++)
        found |= strcmp(name[i], layout->name) == 0;
    return found;
}

int main(int argc, char **argv)
{
    size_t tasks = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    char   path[] = "/tmp/bench_read_XXXXXX", copy[sizeof path + 8];
    int    fd;

    if (argc > 2 && strcmp(argv[1], "--peak") == 0)
        return print_peak(argv[2]);
    fd = mkstemp(path);
    if (fd < 0)
        fail(path);
    close(fd);
    snprintf(copy, sizeof copy, "%s.copy", path);
    printf("file,tasks,operation,bytes,seconds,ns_per_task,mb_per_s,floor_share,peak_bytes\n");
    for (size_t i = 0; i < layout_count; i++)
        if (is_selected(&layouts[i], argc - 2, argv + 2))
            measure_layout(argv[0], &layouts[i], tasks, path, copy);
    unlink(path);
    unlink(copy);
    return 0;
}
