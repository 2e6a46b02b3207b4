/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_kernels: runs each GPU kernel at sizes of one piece, of several pieces and of odd numbers, in
 * both modes, copied and resident. The host verifies the first task of each size and mode.
 *
 *   gpu_kernels [-M MODULE] [-s SMALLEST] [LARGEST [KERNEL...]]
 *   gpu_kernels -c
 *   gpu_kernels -l
 *
 * -s: leave out sizes below SMALLEST. KERNEL: run these kernels only.
 * -c: only print the number of cores that the library counts (fewer than hardware threads).
 * -l: only print the names of the kernels.
 *
 * Exit status 0: every result is right; 1: a result is wrong; 2: wrong usage; 3: no GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"

enum { COUNT = 3 };

static const char *const kernels[] = {"dgemm",  "sgemm",  "dsyrk",  "dtrsm",  "dpotrf",
                                      "dgetrf", "dgeqrf", "dormqr", "dtpqrt", "dtpmqrt", "ssyrk",
                                      "strsm", "spotrf", "sgetrf", "sgeqrf", "sormqr", "stpqrt", "stpmqrt"};
static const int         sizes[] = {1, 2, 31, 200, 513, 960, 2048, 2111, 4096, 8191};

enum { KERNELS = sizeof kernels / sizeof *kernels, SIZES = sizeof sizes / sizeof *sizes };

static int           smallest = 1, largest = 4096;
static const char   *module;
static unsigned long wrong;

/* Numbers of tasks done, of tasks verified, of tasks to be verified, and of tasks. */
typedef struct tally {
    uint64_t right, checked, to_check, all;
    char     why[HS_WHY];
} tally;

static void run(const char *kernel, hs_gpu_mode mode, int resident, tally *t)
{
    char            names[SIZES][32];
    const char     *rows[SIZES];
    gpu_list        list = {.kernels = rows,
                            .count = COUNT,
                            .mode = mode,
                            .resident = resident,
                            .verify = 1,
                            .module = module};
    gpu_list_result result;
    int             i;

    for (i = 0; i < SIZES; i++) {
        if (sizes[i] < smallest || sizes[i] > largest)
            continue;
        snprintf(names[i], sizeof names[i], "%s:%d", kernel, sizes[i]);
        rows[list.rows++] = names[i];
    }
    gpu_list_run(&list, &result);
    if (result.status == HS_ERESOURCE) {
        fprintf(stderr, "gpu_kernels: %s\n", result.error.why);
        exit(3);
    }
    t->all += list.rows * COUNT;
    t->right += result.done;
    t->to_check += list.rows;
    t->checked += result.checked;
    if (result.status != HS_OK && !t->why[0])
        snprintf(t->why, sizeof t->why, "%s", result.error.why);
}

static void test(const char *kernel)
{
    tally t = {.why = ""};
    int   mode, resident;

    for (mode = HS_GPU_STREAMS; mode <= HS_GPU_GRAPH; mode++)
        for (resident = 0; resident <= 1; resident++)
            run(kernel, (hs_gpu_mode)mode, resident, &t);
    if (t.checked < t.to_check && !t.why[0])
        snprintf(t.why, sizeof t.why, "fewer results were verified than there are sizes and ways");
    wrong += t.all - t.right + (t.checked < t.to_check);
    printf("%s,%llu,%llu,%llu,%s\n", kernel, (unsigned long long)t.all, (unsigned long long)t.right,
           (unsigned long long)t.checked, t.why);
    fflush(stdout);
}

static bool print_cores(void)
{
    return printf("%u\n", hs_exec_core_count()) < 0;
}

static bool print_kernels(void)
{
    int i;

    for (i = 0; i < KERNELS; i++)
        printf("%s\n", kernels[i]);
    return false;
}

static int is_wanted(const char *kernel, char **names, int count)
{
    int i, found = count == 0;

    for (i = 0; i < count; i++)
        found |= strcmp(names[i], kernel) == 0;
    return found;
}

int main(int argc, char **argv)
{
    int c, i;

    while ((c = getopt(argc, argv, "M:cls:")) != -1) {
        if (c == 'c')
            return print_cores();
        if (c == 'l')
            return print_kernels();
        if (c == 'M')
            module = optarg;
        else if (c == 's')
            smallest = atoi(optarg);
        else
            return 2;
    }
    if (optind < argc)
        largest = atoi(argv[optind++]);
    printf("kernel,tasks,right,verified,first_failure\n");
    for (i = 0; i < KERNELS; i++)
        if (is_wanted(kernels[i], argv + optind, argc - optind))
            test(kernels[i]);
    return wrong ? 1 : 0;
}
