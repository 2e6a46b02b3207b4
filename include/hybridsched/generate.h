/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_GENERATE_H
#define HYBRIDSCHED_GENERATE_H

#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/*
 * Every generator returns the same instance for the same arguments on every machine. On HS_OK the
 * caller owns *out; on failure *out is untouched and *error (if not NULL) has the reason.
 */

/** Independent gamma times (Canon, Marchal, Vivien 2017, section 6). cv = 0: constant. */
typedef struct hs_gamma {
    size_t   struct_size; /* sizeof(hs_gamma) */
    size_t   tasks;
    unsigned cpus, gpus;
    double   cpu_mean, cpu_cv; /* mean > 0, coefficient of variation >= 0 */
    double   gpu_mean, gpu_cv;
    uint64_t seed;
} hs_gamma;

HS_API hs_status hs_generate_gamma(const hs_gamma *spec, hs_instance **out, hs_error *error);

/**
 * Independent tasks of a few kernels: `means` draws the mean times of the kernels, and the time of a
 * task is the mean of its kernel times a gamma variable of mean 1. Task i has kernel i modulo
 * `kernels`, and the names k1, k2, ... are in the kernel column. With `cv` 0 each task has the mean
 * times of its kernel. Instances that differ only in `cv` have the same mean times.
 */
typedef struct hs_similar {
    size_t   struct_size; /* sizeof(hs_similar) */
    hs_gamma means;       /* also tasks, workers and seed; its struct_size is not used */
    size_t   kernels;     /* at least 1 */
    double   cv;          /* coefficient of variation of the times of a kernel, >= 0 */
} hs_similar;

HS_API hs_status hs_generate_similar(const hs_similar *spec, hs_instance **out, hs_error *error);

/** Times uniform in [low, high], independent; whole numbers if `integer`. */
typedef struct hs_uniform {
    size_t   struct_size; /* sizeof(hs_uniform) */
    size_t   tasks;
    unsigned cpus, gpus;
    double   cpu_low, cpu_high;
    double   gpu_low, gpu_high;
    int      integer;
    uint64_t seed;
} hs_uniform;

HS_API hs_status hs_generate_uniform(const hs_uniform *spec, hs_instance **out, hs_error *error);

/**
 * Whole times on identical CPUs without GPUs: the classes of test instances in the literature on
 * P||Cmax.
 */
typedef struct hs_identical {
    size_t      struct_size; /* sizeof(hs_identical) */
    const char *family;    /* one of hs_identical_name() */
    size_t      tasks;
    unsigned    cpus;      /* at least 1 */
    double      low, high; /* range of the times, whole numbers; 0, 0: the family's default range */
    uint64_t    seed;
} hs_identical;

/**
 * The families, NULL past the last; hs_identical_has_range() returns 1 if low and high are free.
 */
HS_API const char *hs_identical_name(size_t index);
HS_API const char *hs_identical_summary(size_t index);
HS_API int         hs_identical_has_range(size_t index);

/**
 * Generate an instance of a family. For "planted" the optimum is `high` and is noted in the
 * instance. HS_EINVAL: unknown family or impossible range. O(tasks log tasks).
 */
HS_API hs_status hs_generate_identical(const hs_identical *spec, hs_instance **out,
                                       hs_error *error);

typedef enum hs_factorisation { HS_CHOLESKY, HS_LU, HS_QR } hs_factorisation;

/** A measured kernel. `operation` is the factorisation's name for the kernel, e.g. "potrf". */
typedef struct hs_kernel {
    const char *factorisation; /* "cholesky", "lu", "qr", or "" for all three */
    const char *operation;
    const char *kernel;        /* value for the instance's kernel column, e.g. "dpotrf:960" */
    double      cpu, gpu;      /* INFINITY: not implemented on this type */
} hs_kernel;

typedef struct hs_kernel_table {
    const char      *name;
    const char      *source; /* origin of the numbers; written into the instance */
    unsigned         cpus, gpus;
    hs_unit          unit;
    size_t           count;
    const hs_kernel *kernels;
} hs_kernel_table;

/** Built-in tables by index, NULL past the last; and by name, NULL if the name is unknown. */
HS_API const hs_kernel_table *hs_kernel_table_at(size_t index);
HS_API const hs_kernel_table *hs_kernel_table_find(const char *name);

typedef struct hs_tiled {
    size_t                 struct_size; /* sizeof(hs_tiled) */
    hs_factorisation       kind;
    unsigned               tiles;      /* N >= 1: an N x N matrix of tiles */
    unsigned               cpus, gpus;
    int                    compact; /* whether a row with a count stands for each kernel; else
                                       a row for each task */
    int graph;                      /* whether tasks access the tiles of the matrix, and
                                       depend on each other through these accesses */
    const hs_kernel_table *table;
    int                    single; /* whether kernels have single precision; they are assumed
                                      to take half the time of double precision */
} hs_tiled;

/**
 * Generate a tiled factorisation. HS_EUNSUPPORTED: the table lacks an operation of the
 * factorisation, which *error names.
 */
HS_API hs_status hs_generate_tiled(const hs_tiled *spec, hs_instance **out, hs_error *error);

/** Graphs of tasks with random times: five shapes, and Topcuoglu's random graphs (2002). */
typedef enum hs_shape {
    HS_CHAIN,     /* each task after the previous task */
    HS_FORK_JOIN, /* alternately one task and `width` parallel tasks */
    HS_LAYERED,   /* layers of `width` tasks, each task after `degree` tasks of the previous
                     layer */
    HS_RANDOM,    /* random edges from earlier to later tasks, `degree` successors on average */
    HS_REDUCTION, /* a tree: each task after up to `degree` others, down to a single task */
    HS_TOPCUOGLU  /* levels of random number and width, governed by `alpha`; random out-degrees */
} hs_shape;

/** Distribution of the task times of a shaped graph. */
typedef enum hs_law {
    HS_LAW_GAMMA,
    HS_LAW_UNIFORM,
    HS_LAW_SPREAD, /* Topcuoglu's: w uniform in (0, 2 mean), both times in w (1 +- beta / 2) */
    HS_LAW_KERNELS /* a random row of a kernel table, every row equally likely */
} hs_law;

typedef struct hs_shaped {
    size_t     struct_size;
    hs_shape   shape;
    size_t     tasks;
    unsigned   cpus, gpus;
    uint64_t   seed;
    size_t     width;  /* number of parallel tasks; 0: the square root of `tasks`, rounded up */
    unsigned   degree; /* at least 1 */
    double     alpha;  /* > 0: sqrt(tasks) / alpha levels of alpha sqrt(tasks) tasks, on average */
    double     ccr; /* mean transfer time of an edge / mean time of a task; 0: no links */
    double     bandwidth; /* bytes per second of the links; unused when ccr is 0 */
    hs_law     law;
    hs_gamma   gamma;   /* gamma distribution: means and coefficients of variation; other
                           members are unused */
    hs_uniform uniform; /* uniform distribution: ranges and `integer`; other members are
                           unused */
    double                 mean, beta; /* Topcuoglu's distribution: mean > 0; beta in 0 to 2 */
    const hs_kernel_table *table;
} hs_shaped;

/**
 * Set the defaults: 300 gamma tasks, 20 CPUs, 4 GPUs, degree 2, alpha 1, no bytes; mean 1 and beta
 * 0.5.
 */
HS_API void hs_shaped_init_sized(hs_shaped *spec, size_t size);
#define hs_shaped_init(s) hs_shaped_init_sized((s), sizeof *(s))

/**
 * Generate a graph. Structure, times per type and bytes come from separate random streams, so
 * changing one leaves the rest as is. Rows are in topological order. O(tasks + edges).
 */
HS_API hs_status hs_generate_shaped(const hs_shaped *spec, hs_instance **out, hs_error *error);

/**
 * An application of dependent kernels: the seven benchmarks and the case study of "mapping kernel
 * graphs of applications in embedded systems"; static.
 */
typedef struct hs_application hs_application;

HS_API size_t                hs_application_count(void);
HS_API const hs_application *hs_application_at(size_t index); /* the application at an index;
                                                                 NULL past the last */
HS_API const hs_application *hs_application_find(const char *name);
HS_API const char           *hs_application_name(const hs_application *application);
HS_API const char           *hs_application_summary(const hs_application *application);

typedef enum hs_problem { HS_SMALL, HS_MEDIUM, HS_LARGE } hs_problem;

typedef struct hs_copies {
    const hs_application *application;
    unsigned              copies;
} hs_copies;

/** Generate several applications side by side. HS_ETOOBIG: too many tasks. O(tasks). */
HS_API hs_status hs_generate_applications(const hs_copies *parts, size_t count, hs_problem problem,
                                          unsigned cpus, unsigned gpus, hs_instance **out,
                                          hs_error *error);

typedef struct hs_worst hs_worst; /* A family of worst cases of an algorithm; static. */

HS_API size_t          hs_worst_count(void);
HS_API const hs_worst *hs_worst_at(size_t index);
HS_API const hs_worst *hs_worst_find(const char *name);
HS_API const char     *hs_worst_name(const hs_worst *family);
HS_API const char     *hs_worst_summary(const hs_worst *family); /* Source and description of the
                                                                    family in one line. */
HS_API unsigned hs_worst_least_argument(const hs_worst *family); /* smallest valid argument */
HS_API unsigned hs_worst_most_argument(const hs_worst *family);  /* largest valid argument; times
                                                           stay exact up to it */

/**
 * Generate the worst case of a family: the instance; a good schedule in *witness (may be NULL); and
 * in *bad (may be NULL) the bad schedule of a family about list orders, NULL for other families.
 * HS_EINVAL: invalid argument for this family. O(rows) without schedules, O(tasks) with them.
 */
HS_API hs_status hs_generate_worst(const hs_worst *family, unsigned argument,
                                   hs_instance **instance, hs_schedule **witness, hs_schedule **bad,
                                   hs_error *error);

HS_END_DECLS

#endif
