/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CALIBRATE_CALIBRATE_H
#define TOOLS_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include <hybridsched/exec.h>
#include <hybridsched/io.h>

/* The parts of hsched-calibrate. */

typedef struct calibrate_request {
    unsigned               cores;            /* number of cores that work at the same time */
    /* runs per core in the first round, and runs before the measurement */
    unsigned               repeats, warm_up;
    /* largest number of rounds until the times have settled */
    unsigned               rounds;
    bool                   verify;
    hs_unit                unit;       /* unit of the written times */
    unsigned               cpus, gpus; /* workers of the written instance */
    uint32_t               count;      /* tasks per row of the written instance; 0: not given */
    const hs_kernel_table *gpu;        /* kernel table with GPU times; NULL: none */
    /* whether GPU times are measured CPU times over the table's acceleration, not its GPU times */
    int                    by_ratio;
    int                    on_gpu;     /* whether to measure GPU times on the first GPU */
    int                    resident;   /* whether GPU times exclude copies to and from the GPU */
} calibrate_request;

/** A kernel and its measured times, in seconds. */
typedef struct calibrate_kernel {
    char   name[256];
    double median, low, high; /* quartiles of the CPU time */
    size_t runs;
    double gpu;       /* GPU time; INFINITY: none */
    bool   unsettled; /* whether the times still drifted in the last round */
} calibrate_kernel;

typedef struct calibrate_list {
    size_t            count;
    calibrate_kernel *kernels;
} calibrate_list;

/** Run a kernel and store its CPU times. Return 0, or an exit code after a message. */
int calibrate_measure(const calibrate_request *request, calibrate_kernel *kernel);

/** Measure the GPU time of a kernel, if it has one. Return 0, or an exit code after a message. */
int calibrate_measure_gpu(const calibrate_request *request, calibrate_kernel *kernel);

/** Return the GPU time of a kernel by the request's table, after its CPU time is known. */
double calibrate_gpu(const calibrate_request *request, const calibrate_kernel *kernel);

/** Write the measured times as an instance, or as a kernel table. HS_EIO: errno says why. */
hs_status calibrate_write_instance(int fd, const calibrate_request *request,
                                   const calibrate_list *list);
void      calibrate_write_table(FILE *out, const calibrate_request *request,
                                const calibrate_list *list);

/**
 * Check that hsched-gen accepts a table of these kernels. Return 0, or an exit code after a
 * message.
 */
int calibrate_check_table(const calibrate_request *request, const calibrate_list *list);

/** Print a line per kernel. */
void calibrate_print(FILE *out, const calibrate_request *request, const calibrate_list *list);

#endif
