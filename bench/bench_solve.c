/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure every heuristic and quick bound on gamma tasks, relative to the unavoidable work,
 * measured in the same run: a radix sort of n (64-bit key, 32-bit index) pairs, a heap of m + k
 * workers whose top is replaced n times, and the first touch of memory needed by a call without a
 * workspace. Medians of 7, processor time. Memory is the growth of a process minus the schedule,
 * where measurable.
 *
 *   bench_solve [TASKS...|queue]      default 100 10000 1000000
 *
 * Each algorithm is also run repeatedly in one workspace, without first touches of memory, and then
 * the sum over all heuristics is printed. Without arguments the program also measures HeteroPrio's
 * queue, a factorisation of 1,000 tiles in four rows with counts, and the worst case of
 * balanced-makespan.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <hybridsched/hybridsched.h>

#include "floor_solve.h"

enum { REPEATS = 7, SMALL = 10000, LARGE = 1000000 };

static const struct node {
    unsigned cpus, gpus;
} nodes[] = {{20, 4}, {1024, 64}};

/* Algorithms and bounds that use their whole time limit: bench_best measures them. */
static const char *const searches[] = {"best", "exact", "allocation", "configuration",
                                       "mip"};

static bool is_search(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof searches / sizeof *searches; i++)
        if (strcmp(name, searches[i]) == 0)
            return true;
    return false;
}

/* Return processor time: a single thread works, and other programs do not count. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_time(double seconds[REPEATS])
{
    qsort(seconds, REPEATS, sizeof *seconds, by_value);
    return seconds[REPEATS / 2];
}

/* Return the time of a floor (unavoidable work) in a single call: the clock is precise enough
 * for a sort of a hundred. */
static double time_floor(double floor(const hs_instance *in), const hs_instance *in)
{
    double seconds[REPEATS];
    int    r;

    for (r = 0; r < REPEATS; r++)
        seconds[r] = floor(in);
    return median_time(seconds);
}

/* A call to measure; do_call() returns 0, or -1 if the instance is too large for the bound. */
typedef struct call {
    const hs_algorithm *alg;
    const hs_bound     *bound; /* algorithm or bound of the call; the other one is NULL */
    const hs_instance  *in;
    hs_workspace       *ws; /* NULL: no workspace */
} call;

static int do_call(const call *c)
{
    const hs_schedule *in_place;
    hs_schedule       *s = NULL;
    double             value;
    hs_status          st;

    if (c->bound)
        st = hs_bound_compute(c->bound, c->in, NULL, &value);
    else if (c->ws)
        st = hs_solve_in(c->ws, c->alg, c->in, NULL, &in_place, NULL);
    else
        st = hs_solve(c->alg, c->in, NULL, &s);
    hs_schedule_free(s);
    if (st == HS_ETOOBIG)
        return -1;
    if (st != HS_OK)
        abort();
    return 0;
}

/* Return seconds per call, over enough calls to make the clock's cost negligible; < 0: skipped. */
static double time_call(const call *c)
{
    size_t n = hs_instance_tasks(c->in), loops = n < SMALL ? SMALL / (n + 1) + 1 : 1, i;
    double seconds[REPEATS];
    int    r;

    for (r = 0; r < REPEATS; r++) {
        seconds[r] = now();
        for (i = 0; i < loops; i++)
            if (do_call(c))
                return -1;
        seconds[r] = (now() - seconds[r]) / (double)loops;
    }
    return median_time(seconds);
}

static long resident_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Measure the growth of a forked process, which starts with the resident memory of its parent. */
static void report_growth(const call *c, int fd)
{
    long   before = resident_kib();
    double schedule = c->alg ? (double)sizeof(hs_entry) * (double)hs_instance_tasks(c->in) : 0;
    double grown;

    do_call(c);
    grown = 1024.0 * (double)(resident_kib() - before) - schedule;
    _exit(write(fd, &grown, sizeof grown) != sizeof grown);
}

/* Return the working memory of a call in bytes per task; < 0: not measurable. */
static double memory_of(const call *c)
{
    size_t n = hs_instance_tasks(c->in);
    double grown = -1;
    int    ends[2];
    pid_t  child;

    if (n < LARGE || pipe(ends))
        return -1;
#ifdef __GLIBC__
    malloc_trim(0); /* return free memory to the system: later allocations then count as growth */
#endif
    child = fork();
    if (child == 0)
        report_growth(c, ends[1]);
    close(ends[1]);
    if (child < 0 || read(ends[0], &grown, sizeof grown) != sizeof grown)
        grown = -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return grown / (double)n;
}

typedef struct floors {
    double sort, heap;
} floors;

static void print_row(const char *what, const char *how, const hs_instance *in, double seconds,
                      double bytes, const floors *f)
{
    size_t n = hs_instance_tasks(in);

    printf("%s%s,%zu,%u,%u,", what, how, n, hs_instance_cpus(in), hs_instance_gpus(in));
    if (seconds < 0) {
        puts("skipped,,,,");
        return;
    }
    printf("%.6g,%.4g,", seconds, 1e9 * seconds / (double)n);
    if (f)
        printf("%.2f,%.2f,", seconds / f->sort, seconds / (f->sort + f->heap));
    else
        printf(",,");
    if (bytes >= 0)
        printf("%.1f", bytes);
    putchar('\n');
    fflush(stdout);
}

/*
 * Measure the first touch of memory. A call without a workspace writes to new memory, in large
 * pages if available: at least the schedule, and heteroprio's 20 bytes per task.
 */
static double time_first_touch(size_t tasks)
{
    enum { LARGE_PAGE = 2 << 20, WORK = 20 };
    size_t size = (tasks * (sizeof(hs_entry) + WORK) + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, i;
    double seconds[REPEATS];
    int    r;

    for (r = 0; r < REPEATS; r++) {
        char *memory = aligned_alloc(LARGE_PAGE, size);

        if (!memory)
            abort();
#ifdef MADV_HUGEPAGE
        (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
        seconds[r] = now();
        for (i = 0; i < size; i += 4096)
            ((volatile char *)memory)[i] = 1;
        free(memory);
        seconds[r] = now() - seconds[r];
    }
    return median_time(seconds);
}

static void measure_call(const char *what, const char *how, const call *c, const floors *f)
{
    print_row(what, how, c->in, time_call(c), memory_of(c), f);
}

static void measure_algorithms(const hs_instance *in, const floors *f)
{
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++) {
        const hs_algorithm *alg = hs_algorithm_at(i);

        if (!is_search(hs_algorithm_name(alg)))
            measure_call(hs_algorithm_name(alg), "", &(call){.alg = alg, .in = in}, f);
    }
}

static void measure_bounds(const hs_instance *in, const floors *f)
{
    size_t i;

    for (i = 0; i < hs_bound_count(); i++) {
        const hs_bound *bound = hs_bound_at(i);

        if (!is_search(hs_bound_name(bound)))
            measure_call(hs_bound_name(bound), "", &(call){.bound = bound, .in = in}, f);
    }
}

static void measure_in_workspace(const hs_instance *in, const floors *f)
{
    call   c = {.in = in};
    double all = 0;
    size_t i;

    if (hs_workspace_create(&c.ws) != HS_OK)
        abort();
    for (i = 0; i < hs_algorithm_count(); i++) {
        double seconds;

        c.alg = hs_algorithm_at(i);
        if (is_search(hs_algorithm_name(c.alg)))
            continue;
        seconds = time_call(&c);
        all += seconds;
        print_row(hs_algorithm_name(c.alg), " in a workspace", in, seconds, -1, f);
    }
    print_row("all heuristics", " in a workspace", in, all, -1, f);
    hs_workspace_free(c.ws);
}

static void measure_size(size_t tasks, struct node node)
{
    hs_gamma     spec = {sizeof spec, tasks, node.cpus, node.gpus, 15, 1, 1, 1, 1};
    hs_instance *in = NULL;
    floors       f;

    if (hs_generate_gamma(&spec, &in, NULL) != HS_OK)
        abort();
    f = (floors){time_floor(seconds_of_sort, in), time_floor(seconds_of_heap, in)};
    print_row("radix-sort", "", in, f.sort, -1, &f);
    print_row("worker-heap", "", in, f.heap, -1, &f);
    if (tasks >= LARGE)
        print_row("first-touch", "", in, time_first_touch(tasks), -1, &f);
    measure_algorithms(in, &f);
    measure_in_workspace(in, &f);
    measure_bounds(in, &f);
    hs_instance_free(in);
}

/*
 * Content of HeteroPrio's queue: all ratios differ; or they are those of four kernels and
 * priorities decide between equal ratios; or the latter with a noise of a millionth and a
 * tolerance.
 */
typedef enum ties { NO_TIES, KERNELS, NOISE } ties;

static hs_queue_task ready_task(const hs_instance *in, size_t index, ties how)
{
    static const double times[4][2] = {{33.6, 17.0}, {89.2, 7.92}, {96.9, 3.70}, {172.9, 5.98}};
    const double       *kernel = times[index % 4];
    const double        noise = how == NOISE ? 1e-6 * (double)(index * 7919 % 1000) / 1000 : 0;

    if (how == NO_TIES)
        return (hs_queue_task){index, hs_instance_time(in, index, HS_CPU),
                               hs_instance_time(in, index, HS_GPU), 0};
    return (hs_queue_task){index, kernel[0] * (1 + noise), kernel[1],
                           (int64_t)(index * UINT64_C(0x9e3779b97f4a7c15) >> 40)};
}

/* Time pairs of a push and a take, alternating between both ends, while `ready` tasks wait. */
static double time_queue(const hs_instance *in, size_t ready, ties how)
{
    hs_queue         *q = NULL;
    hs_queue_settings settings;
    double            seconds[REPEATS];
    size_t            i, n = hs_instance_tasks(in);
    hs_queue_task          task;
    int               r;

    hs_queue_settings_init(&settings);
    settings.tolerance = how == NOISE ? 1e-2 : 0;
    if (hs_queue_create_with(20, 4, ready + 1, &settings, &q) != HS_OK)
        abort();
    for (r = -1; r < REPEATS; r++) { /* the first round fills the queue */
        double start = now();

        for (i = 0; i < n; i++) {
            task = ready_task(in, i, how);
            if (hs_queue_push(q, &task, NULL) != HS_OK)
                abort();
            if (hs_queue_size(q) > ready && !hs_queue_take(q, i & 1 ? HS_CPU : HS_GPU, &task))
                abort();
        }
        if (r >= 0)
            seconds[r] = now() - start;
    }
    hs_queue_free(q);
    return median_time(seconds);
}

static void measure_queue(void)
{
    static const size_t      ready[] = {1000, 100000};
    static const char *const name[] = {"", " of four kernels", " of kernels with noise"};
    hs_gamma                 spec = {sizeof spec, 1000000, 20, 4, 15, 1, 1, 1, 1};
    hs_instance             *in = NULL;
    size_t                   i;
    char                     how[64];

    if (hs_generate_gamma(&spec, &in, NULL) != HS_OK)
        abort();
    for (i = 0; i < sizeof ready / sizeof *ready; i++)
        for (int t = NO_TIES; t <= NOISE; t++) {
            snprintf(how, sizeof how, " push and take at %zu%s", ready[i], name[t]);
            print_row("queue", how, in, time_queue(in, ready[i], (ties)t), -1, NULL);
        }
    hs_instance_free(in);
}

/* Build a factorisation of 1,000 tiles on 9 CPUs and 3 GPUs: a row per kernel, with a count. */
static hs_instance *make_cholesky(void)
{
    enum { SIZE = sizeof(hs_task) };
    static const hs_task kernels[] = {
        {SIZE, .id = "potrf", .cpu = 33.62389, .gpu = 17.0173, .count = 1000},
        {SIZE, .id = "trsm", .cpu = 89.19371, .gpu = 7.92157, .count = 499500},
        {SIZE, .id = "syrk", .cpu = 96.88974, .gpu = 3.69525, .count = 499500},
        {SIZE, .id = "gemm", .cpu = 172.9324, .gpu = 5.98023, .count = 166167000},
    };
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    size_t       i;

    if (hs_builder_create(&builder) != HS_OK || hs_builder_set_workers(builder, 9, 3) != HS_OK)
        abort();
    for (i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (hs_builder_add_row(builder, &kernels[i]) != HS_OK)
            abort();
    if (hs_builder_finish(builder, &in, NULL) != HS_OK)
        abort();
    hs_builder_free(builder);
    return in;
}

static void measure_counts(void)
{
    hs_instance *in = make_cholesky();
    double       start = now(), makespan;

    if (hs_solve_makespan(NULL, hs_algorithm_find("heteroprio"), in, NULL, &makespan, NULL) !=
        HS_OK)
        abort();
    print_row("heteroprio", " of four rows", in, now() - start, -1, NULL);
    measure_bounds(in, NULL);
    hs_instance_free(in);
}

/*
 * Build five CPU tasks on which LPT does badly, and a crowd of small tasks to move into their gap.
 */
static hs_instance *pinned_five(size_t crowd)
{
    static const double pinned[] = {3, 3, 2, 2, 2};
    hs_builder         *builder = NULL;
    hs_instance        *in = NULL;
    size_t              i;

    if (hs_builder_create(&builder) != HS_OK || hs_builder_set_workers(builder, 2, 1) != HS_OK)
        abort();
    for (i = 0; i < crowd + 5; i++) {
        double  small = 6.5 / (double)crowd;
        hs_task task = {.struct_size = sizeof task,
                        .cpu = i < 5 ? pinned[i] : small,
                        .gpu = i < 5 ? INFINITY : small};

        if (hs_builder_add_row(builder, &task) != HS_OK)
            abort();
    }
    if (hs_builder_finish(builder, &in, NULL) != HS_OK)
        abort();
    hs_builder_free(builder);
    return in;
}

static void measure_worst(void)
{
    static const size_t crowd[] = {1000, 2000, 4000};
    size_t              i;

    for (i = 0; i < sizeof crowd / sizeof *crowd; i++) {
        hs_instance *in = pinned_five(crowd[i]);
        call         c = {.alg = hs_algorithm_find("balanced-makespan"), .in = in};

        print_row("balanced-makespan", " at worst", in, time_call(&c), -1, NULL);
        hs_instance_free(in);
    }
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {100, 10000, 1000000};
    size_t              count = sizeof sizes / sizeof *sizes, i, node;

    printf("what,tasks,cpus,gpus,seconds,ns_per_task,over_sort,over_sort_and_heap,"
           "work_bytes_per_task\n");
    if (argc > 1 && strcmp(argv[1], "queue") == 0) {
        measure_queue();
        return 0;
    }
    if (argc > 1)
        count = (size_t)argc - 1;
    for (i = 0; i < count; i++)
        for (node = 0; node < sizeof nodes / sizeof *nodes; node++)
            measure_size(argc > 1 ? (size_t)strtoull(argv[i + 1], NULL, 10) : sizes[i],
                         nodes[node]);
    if (argc > 1)
        return 0;
    measure_queue();
    measure_counts();
    measure_worst();
    return 0;
}
