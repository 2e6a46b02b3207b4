/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CALIBRATE_CALIBRATE_H
#define TOOLS_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include <hybridsched/exec.h>
#include <hybridsched/io.h>

#include "common/profile.h"

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
    hs_cost               *fresh;      /* gets the measured runs, for a profile; NULL: none */
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

/** What to do with a profile without measuring. */
typedef struct calibrate_actions {
    const char       **models;      /* paths of StarPU's performance models to be imported */
    size_t             model_count;
    const char        *forget; /* key whose entries are deleted, or "all"; NULL: none */
    const char        *plot;   /* path of the picture; NULL: none */
    int                list;   /* whether to print the entries */
} calibrate_actions;

bool calibrate_has_action(const calibrate_actions *actions);

/** Do the actions in the order above. Return 0, or an exit code after a message. */
int calibrate_profile(const char *path, const calibrate_actions *actions);

/**
 * Read files that starpu_perfmodel_recdump wrote, at least one, into cost models, which the caller
 * frees. Return 0, or an exit code after a message.
 */
int calibrate_read_models(const char *const *paths, size_t count, hs_cost **out);

/** Put the entries of cost models into a profile, in place of those of equal features. */
int calibrate_import(times_profile *p, hs_cost *models);

/** Write the model of the first GPU; leave `model` unchanged if there is no GPU. */
void calibrate_name_gpu(char model[HS_MAX_PROCESSOR_MODEL]);

/** Print the entries of a profile, a line for each key and its features. Return an exit code. */
int calibrate_list_profile(times_profile *p);

/**
 * Draw the means of each key over the size, and the law fitted to them. Return 0, or an exit code
 * after a message.
 */
int calibrate_plot_profile(times_profile *p, const char *path);

/** The entries of level HISTORY of one processor, ordered by key, then features. */
typedef struct calibrate_entries {
    hs_processor   processor;
    hs_cost       *cost;
    hs_cost_entry *entries;
    size_t         count;
} calibrate_entries;

/**
 * Read the entries of the index-th processor of a profile; HS_EINVAL: past the last. Free the result
 * in any case.
 */
hs_status calibrate_entries_at(times_profile *p, size_t index, calibrate_entries *out,
                               hs_error *error);
void      calibrate_entries_free(calibrate_entries *e);

/**
 * Measure copies between the host and `gpus` GPUs, at least 1, and between neighbouring GPUs, and
 * write a line for each link to `path`. Return 0, or an exit code after a message.
 */
int calibrate_links(const char *path, unsigned gpus, hs_unit unit);

/** Print a line per kernel. */
void calibrate_print(FILE *out, const calibrate_request *request, const calibrate_list *list);

#endif
