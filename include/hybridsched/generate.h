/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_GENERATE_H
#define HYBRIDSCHED_GENERATE_H

#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/* All generators give the same instance for the same arguments on every machine. */

/** Independent gamma times (Canon, Marchal, Vivien 2017, section 6). cv = 0: constant. */
typedef struct hs_gamma {
    size_t   tasks;
    unsigned cpus, gpus;
    double   cpu_mean, cpu_cv; /* mean > 0, coefficient of variation >= 0 */
    double   gpu_mean, gpu_cv;
    uint64_t seed;
} hs_gamma;

HS_API hs_status hs_generate_gamma(const hs_gamma *spec, hs_instance **out);

/** Times uniform in [low, high], independent; whole numbers if `integer`. */
typedef struct hs_uniform {
    size_t   tasks;
    unsigned cpus, gpus;
    double   cpu_low, cpu_high;
    double   gpu_low, gpu_high;
    int      integer;
    uint64_t seed;
} hs_uniform;

HS_API hs_status hs_generate_uniform(const hs_uniform *spec, hs_instance **out);

typedef enum hs_factorisation { HS_CHOLESKY, HS_LU, HS_QR } hs_factorisation;

/** One measured kernel: `operation` is what the factorisation asks for, e.g. "potrf". */
typedef struct hs_kernel {
    const char *factorisation; /* "cholesky", "lu", "qr", or "" for all of them */
    const char *operation;
    const char *kernel;        /* for the instance's kernel column, e.g. "dpotrf:960" */
    double      cpu, gpu;      /* INFINITY: not implemented there */
} hs_kernel;

typedef struct hs_kernel_table {
    const char      *name;
    const char      *source; /* where the numbers come from; written into the instance */
    unsigned         cpus, gpus;
    hs_unit          unit;
    size_t           count;
    const hs_kernel *kernels;
} hs_kernel_table;

/** The built-in tables, NULL past the last; and one by name, NULL if there is none. */
HS_API const hs_kernel_table *hs_kernel_table_at(size_t index);
HS_API const hs_kernel_table *hs_kernel_table_find(const char *name);

typedef struct hs_tiled {
    hs_factorisation       kind;
    unsigned               tiles;      /* N >= 1: an N x N matrix of tiles */
    unsigned               cpus, gpus;
    int                    compact;    /* one row with a count a kernel, not one a task */
    int                    graph;      /* tasks access the tiles, and depend on each other so */
    const hs_kernel_table *table;
} hs_tiled;

/** HS_EUNSUPPORTED and *missing (a static string) if the table lacks an operation. */
HS_API hs_status hs_generate_tiled(const hs_tiled *spec, hs_instance **out,
                                   const char **missing);

typedef struct hs_worst hs_worst; /* a family; static */

HS_API size_t          hs_worst_count(void);
HS_API const hs_worst *hs_worst_at(size_t index);
HS_API const hs_worst *hs_worst_find(const char *name);
HS_API const char     *hs_worst_name(const hs_worst *family);
HS_API const char     *hs_worst_summary(const hs_worst *family); /* one line, with the source */
HS_API unsigned        hs_worst_least(const hs_worst *family);   /* smallest argument */
HS_API unsigned        hs_worst_most(const hs_worst *family);    /* largest: stays exact */

/**
 * The instance and, if `witness` is not NULL, a good schedule of it; and, if `bad`
 * is not NULL, *bad = the bad schedule of a family that is about list orders, else
 * NULL. HS_EINVAL if the argument is not one of the family's. O(rows) without the
 * schedules, O(tasks) with them.
 */
HS_API hs_status hs_generate_worst(const hs_worst *family, unsigned argument,
                                   hs_instance **instance, hs_schedule **witness,
                                   hs_schedule **bad);

HS_END_DECLS

#endif
