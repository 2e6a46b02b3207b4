/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CALIBRATE_CALIBRATE_H
#define TOOLS_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include <hybridsched/exec.h>
#include <hybridsched/io.h>

/* The parts of hsched-calibrate. */

typedef struct calibrate_request {
    unsigned               cores;            /* that work at once */
    unsigned               repeats, warm_up; /* by each of them */
    unsigned               rounds;           /* at most, until a kernel has settled */
    int                    verify;
    hs_unit                unit;       /* of what is written */
    unsigned               cpus, gpus; /* likewise */
    uint32_t               count;      /* of tasks in a row; 0: not said */
    const hs_kernel_table *gpu;        /* where GPU times come from; NULL: there are none */
    int                    by_ratio;   /* by its acceleration, rather than its time */
    int                    on_gpu;     /* GPU times are measured, on the first */
    int                    resident;   /* without copies there and back */
} calibrate_request;

/** A kernel and what came of it; times in seconds. */
typedef struct calibrate_kernel {
    char   name[256];
    double median, low, high; /* quartiles */
    size_t runs;
    double gpu;       /* INFINITY: none */
    int    unsettled; /* its times went up and down to the end */
} calibrate_kernel;

typedef struct calibrate_list {
    size_t            count;
    calibrate_kernel *kernels;
} calibrate_list;

/** Run a kernel and note its times. 0, or an exit code after a message. */
int calibrate_measure(const calibrate_request *request, calibrate_kernel *kernel);

/** Its GPU time, in `gpu`, if it has one. 0, or an exit code after a message. */
int calibrate_measure_gpu(const calibrate_request *request, calibrate_kernel *kernel);

/** Its GPU time: by the request's table, once the CPU time is known. */
double calibrate_gpu(const calibrate_request *request, const calibrate_kernel *kernel);

/** Write what was measured. HS_EIO: errno says why. */
hs_status calibrate_write_instance(int fd, const calibrate_request *request,
                                   const calibrate_list *list);
void      calibrate_write_table(FILE *out, const calibrate_request *request,
                                const calibrate_list *list);

/** Would hsched-gen take a table of these kernels? 0, or an exit code after a message. */
int calibrate_check_table(const calibrate_request *request, const calibrate_list *list);

/** For people: a line for each kernel. */
void calibrate_print(FILE *out, const calibrate_request *request, const calibrate_list *list);

#endif
