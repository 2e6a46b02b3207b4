/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cost of every algorithm and bound on gamma tasks, beside what it cannot avoid,
 * measured in the same run: a radix sort of n (64-bit key, 32-bit index) pairs,
 * and a heap of m + k workers whose top is replaced n times. Medians of 7.
 *
 *   bench_solve [TASKS...]      default 1000 10000 100000 1000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hybridsched/hybridsched.h>

enum { REPEATS = 7, CPUS = 20, GPUS = 4 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double seconds[REPEATS])
{
    qsort(seconds, REPEATS, sizeof *seconds, by_value);
    return seconds[REPEATS / 2];
}

/* ---- the floor ---------------------------------------------------------------- */

typedef struct pair {
    uint64_t key;
    uint32_t index;
} pair;

/* Least significant digit first, 11 bits a pass, passes that change nothing left out. */
static void radix_sort(pair *from, pair *to, size_t n)
{
    static uint32_t counts[6][2048];
    size_t          i;
    int             d;

    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i++)
        for (d = 0; d < 6; d++)
            counts[d][from[i].key >> (11 * d) & 2047]++;
    for (d = 0; d < 6; d++) {
        uint32_t sum = 0;
        pair    *swap;

        if (counts[d][from[0].key >> (11 * d) & 2047] == n)
            continue;
        for (i = 0; i < 2048; i++) {
            uint32_t count = counts[d][i];

            counts[d][i] = sum;
            sum += count;
        }
        for (i = 0; i < n; i++)
            to[counts[d][from[i].key >> (11 * d) & 2047]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
}

static double time_sort(const hs_instance *in)
{
    size_t n = hs_instance_tasks(in), i;
    pair  *pairs = malloc(2 * n * sizeof *pairs);
    double seconds[REPEATS];
    int    r;

    if (!pairs)
        abort();
    for (r = 0; r < REPEATS; r++) {
        for (i = 0; i < n; i++) {
            double rho = hs_instance_time(in, i, HS_CPU) / hs_instance_time(in, i, HS_GPU);

            memcpy(&pairs[i].key, &rho, sizeof rho);
            pairs[i].index = (uint32_t)i;
        }
        seconds[r] = now();
        radix_sort(pairs, pairs + n, n);
        seconds[r] = now() - seconds[r];
    }
    free(pairs);
    return median(seconds);
}

static double time_heap(const hs_instance *in)
{
    enum { WORKERS = CPUS + GPUS };
    size_t        n = hs_instance_tasks(in), i;
    double       *add = malloc(n * sizeof *add), seconds[REPEATS];
    volatile double sink = 0;
    int           r, at, child;

    if (!add)
        abort();
    for (i = 0; i < n; i++)
        add[i] = hs_instance_time(in, i, HS_GPU);
    for (r = 0; r < REPEATS; r++) {
        double heap[WORKERS] = {0};

        seconds[r] = now();
        for (i = 0; i < n; i++) {
            double moving = heap[0] + add[i];

            for (at = 0; (child = 2 * at + 1) < WORKERS; at = child) {
                if (child + 1 < WORKERS && heap[child + 1] < heap[child])
                    child++;
                if (heap[child] >= moving)
                    break;
                heap[at] = heap[child];
            }
            heap[at] = moving;
        }
        seconds[r] = now() - seconds[r];
        sink += heap[0];
    }
    free(add);
    return median(seconds);
}

/* ---- what is measured ------------------------------------------------------------ */

static void print_row(const char *what, size_t n, double seconds, double sort, double heap)
{
    printf("%s,%zu,%d,%d,%.6g,%.1f,%.2f,%.2f\n", what, n, CPUS, GPUS, seconds,
           1e9 * seconds / (double)n, seconds / sort, seconds / (sort + heap));
    fflush(stdout);
}

static double time_algorithm(const hs_algorithm *alg, const hs_instance *in)
{
    double seconds[REPEATS];
    int    r;

    for (r = 0; r < REPEATS; r++) {
        hs_schedule *s = NULL;

        seconds[r] = now();
        if (hs_solve(alg, in, NULL, &s) != HS_OK)
            abort();
        seconds[r] = now() - seconds[r];
        hs_schedule_free(s);
    }
    return median(seconds);
}

static double time_bound(const hs_bound *bound, const hs_instance *in)
{
    double seconds[REPEATS], value;
    int    r;

    for (r = 0; r < REPEATS; r++) {
        seconds[r] = now();
        if (hs_bound_compute(bound, in, NULL, &value) != HS_OK)
            abort();
        seconds[r] = now() - seconds[r];
    }
    return median(seconds);
}

static void measure(size_t n)
{
    hs_gamma     spec = {n, CPUS, GPUS, 15, 1, 1, 1, 1};
    hs_instance *in = NULL;
    double       sort, heap;
    size_t       i;

    if (hs_generate_gamma(&spec, &in) != HS_OK)
        abort();
    sort = time_sort(in);
    heap = time_heap(in);
    print_row("radix-sort", n, sort, sort, heap);
    print_row("worker-heap", n, heap, sort, heap);
    for (i = 0; i < hs_algorithm_count(); i++)
        print_row(hs_algorithm_name(hs_algorithm_at(i)), n,
                  time_algorithm(hs_algorithm_at(i), in), sort, heap);
    for (i = 0; i < hs_bound_count(); i++)
        if (n <= 10000 || strcmp(hs_bound_name(hs_bound_at(i)), "area") != 0)
            print_row(hs_bound_name(hs_bound_at(i)), n, time_bound(hs_bound_at(i), in), sort,
                      heap);
    hs_instance_free(in);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    size_t              i;

    printf("what,tasks,cpus,gpus,seconds,ns_per_task,over_sort,over_sort_and_heap\n");
    if (argc > 1)
        for (i = 1; i < (size_t)argc; i++)
            measure((size_t)strtoull(argv[i], NULL, 10));
    else
        for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
            measure(sizes[i]);
    return 0;
}
