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

/** Whole times on identical CPUs and no GPU: what the literature on P||Cmax is tested with. */
typedef struct hs_identical {
    const char *family;    /* one of hs_identical_name() */
    size_t      tasks;
    unsigned    cpus;      /* at least 1 */
    double      low, high; /* whole numbers; 0, 0: the family's own */
    uint64_t    seed;
} hs_identical;

/** The families, NULL past the last; can low and high be given? */
HS_API const char *hs_identical_name(size_t index);
HS_API const char *hs_identical_summary(size_t index);
HS_API int         hs_identical_has_range(size_t index);

/**
 * Of planted the optimum is `high`, and the instance says so. HS_EINVAL: there is no such family,
 * or no such times. O(tasks log tasks).
 */
HS_API hs_status hs_generate_identical(const hs_identical *spec, hs_instance **out);

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

/** Graphs of tasks with random times: five shapes, and Topcuoglu's random graphs (2002). */
typedef enum hs_shape {
    HS_CHAIN,     /* each after the one before */
    HS_FORK_JOIN, /* one, `width` after it, one after these, and so on */
    HS_LAYERED,   /* layers of `width`, each task after `degree` of the layer before */
    HS_RANDOM,    /* any task after any before it, `degree` successors on average */
    HS_REDUCTION, /* a tree: each after up to `degree` others, down to one */
    HS_TOPCUOGLU  /* levels whose number and widths are drawn, by `alpha`; out-degrees, too */
} hs_shape;

/** What the times of such tasks are drawn from. */
typedef enum hs_law {
    HS_LAW_GAMMA,
    HS_LAW_UNIFORM,
    HS_LAW_SPREAD, /* Topcuoglu's: w uniform in (0, 2 mean), both times in w (1 +- beta / 2) */
    HS_LAW_KERNELS /* a row of a table, each as likely as the others */
} hs_law;

typedef struct hs_shaped {
    size_t     struct_size;
    hs_shape   shape;
    size_t     tasks;
    unsigned   cpus, gpus;
    uint64_t   seed;
    size_t     width;  /* 0: the square root of `tasks`, rounded up */
    unsigned   degree; /* at least 1 */
    double     alpha;  /* > 0: sqrt(tasks) / alpha levels of alpha sqrt(tasks) tasks, on average */
    double     ccr; /* mean time to move what an edge carries / mean time of a task; 0: no links */
    double     bandwidth; /* bytes a second, of the links that there are unless ccr is 0 */
    hs_law     law;
    hs_gamma   gamma;      /* means and variations alone */
    hs_uniform uniform;    /* ranges and `integer` alone */
    double     mean, beta; /* > 0; 0 to 2 */
    const hs_kernel_table *table;
} hs_shaped;

/** 300 gamma tasks, 20 CPUs, 4 GPUs, degree 2, alpha 1, no bytes; mean 1 and beta 0.5. */
HS_API void hs_shaped_init_sized(hs_shaped *spec, size_t size);
#define hs_shaped_init(s) hs_shaped_init_sized((s), sizeof *(s))

/**
 * The structure, the times on each type and the bytes are drawn from streams of their own: none
 * changes the others. Rows are in topological order. O(tasks + edges).
 */
HS_API hs_status hs_generate_shaped(const hs_shaped *spec, hs_instance **out);

/**
 * An application whose kernels depend on each other: the seven benchmarks and the case study of
 * "mapping kernel graphs of applications in embedded systems"; static.
 */
typedef struct hs_application hs_application;

HS_API size_t                hs_application_count(void);
HS_API const hs_application *hs_application_at(size_t index); /* NULL past the last */
HS_API const hs_application *hs_application_find(const char *name);
HS_API const char           *hs_application_name(const hs_application *application);
HS_API const char           *hs_application_summary(const hs_application *application);

typedef enum hs_problem { HS_SMALL, HS_MEDIUM, HS_LARGE } hs_problem;

typedef struct hs_copies {
    const hs_application *application;
    unsigned              copies;
} hs_copies;

/** Applications side by side. HS_ETOOBIG: too many tasks. O(tasks). */
HS_API hs_status hs_generate_applications(const hs_copies *parts, size_t count, hs_problem problem,
                                          unsigned cpus, unsigned gpus, hs_instance **out);

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
