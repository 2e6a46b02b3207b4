/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_IO_H
#define HYBRIDSCHED_IO_H

#include <limits.h>

#include <hybridsched/bound.h>
#include <hybridsched/generate.h>

HS_BEGIN_DECLS

/** What is wrong with a file, and where. `line` 0: the file as a whole. */
typedef struct hs_diagnostic {
    uint64_t line, column; /* from 1; column in bytes */
    char     text[512];    /* what is wrong and what was expected */
} hs_diagnostic;

typedef struct hs_read_options {
    size_t   struct_size;
    int      ignore_unknown;     /* skip columns that are not known, rather than refuse them */
    int      has_cpus, has_gpus; /* the numbers below stand, whatever the file says or lacks */
    unsigned cpus, gpus;

    /* The workers of a type of which neither the file nor the numbers above say how many there are:
       at most HS_MAX_WORKERS, called once a type. NULL: such a file is refused. */
    unsigned (*missing_workers)(void *missing_data, hs_type type);
    void *missing_data;
} hs_read_options;

HS_API void hs_read_options_init_sized(hs_read_options *options, size_t size);
#define hs_read_options_init(o) hs_read_options_init_sized((o), sizeof *(o))

/**
 * Read an instance (hsched-formats(5)) from the descriptor `fd` to its end. On
 * failure *out is untouched and *why (if not NULL) says where and what. HS_ESYNTAX:
 * the content is bad; HS_EIO: errno says why; HS_ENOMEM. NULL options mean
 * defaults. Takes at most 8 times the size of the text and 16 MiB; 16 times where rows have little
 * else than a task in `after`.
 */
HS_API hs_status hs_instance_read(int fd, const hs_read_options *options, hs_instance **out,
                                  hs_diagnostic *why);

/**
 * Write `in` to `fd`; hs_instance_read() gives the same instance back. HS_EIO:
 * errno says why. HS_EINVAL, and nothing is written: a string is not UTF-8, or a
 * note would be read as something else.
 */
HS_API hs_status hs_instance_write(int fd, const hs_instance *in);

typedef struct hs_named_bound {
    char   name[32];
    double value;
} hs_named_bound;

/** What a plan's header says beside its instance's own lines. */
typedef struct hs_plan_info {
    size_t         struct_size;
    char           algorithm[64]; /* empty: not said */
    uint64_t       seed;
    int            has_seed;
    double         makespan;      /* NaN: not said */
    uint64_t       digest;        /* of the instance */
    int            has_digest;
    unsigned       bound_count;
    hs_named_bound bounds[16];
    uint64_t       plan_digest;   /* of all that the plan says */
    int            has_plan_digest;
} hs_plan_info;

HS_API void hs_plan_info_init_sized(hs_plan_info *info, size_t size);
#define hs_plan_info_init(i) hs_plan_info_init_sized((i), sizeof *(i))

/**
 * What a plan's header has as its digest (hsched-formats(5)): of `in`, its notes, `s` and what
 * `info` says of algorithm, seed and bounds. The instance's own digest is computed if `info` has
 * none. 0 if `info` could not be written.
 */
HS_API uint64_t hs_plan_digest(const hs_instance *in, const hs_schedule *s,
                               const hs_plan_info *info);

/**
 * Write the plan of `s` for `in`; makespan and digests are filled in by this call,
 * and NULL info says no more. Fails as hs_instance_write() does, and with
 * HS_EINVAL if the schedule is not one for those workers and tasks.
 */
HS_API hs_status hs_plan_write(int fd, const hs_instance *in, const hs_schedule *s,
                               const hs_plan_info *info);

/**
 * Read a plan: its instance (tasks in order of their first row), its schedule
 * and its header. A task that stands only in aborted rows is still a task. The
 * schedule is as the file has it: hs_schedule_check() says whether it is valid.
 */
HS_API hs_status hs_plan_read(int fd, const hs_read_options *options, hs_instance **instance,
                              hs_schedule **schedule, hs_plan_info *info, hs_diagnostic *why);

/** Read affinities (task,worker,score; one a task) for hs_settings; free() the array. */
HS_API hs_status hs_affinities_read(int fd, const hs_instance *in, hs_affinity **out,
                                    size_t *count, hs_diagnostic *why);

/**
 * Read a kernel table (hsched-formats(5)); free with hs_kernel_table_free(). Its
 * cpus and gpus are 0 and its name and source empty where the file does not say.
 */
HS_API hs_status hs_kernel_table_read(int fd, hs_kernel_table **out, hs_diagnostic *why);
HS_API void      hs_kernel_table_free(hs_kernel_table *table);

/** How an instance is made of a file of another format. */
typedef struct hs_import_options {
    size_t   struct_size;
    int      has_cpus, has_gpus; /* the numbers below stand, whatever the file says */
    unsigned cpus, gpus;         /* or else only where it does not say: 20 and 4 */

    /*
     * Times on GPUs where the file has none: rules [NAME=]FACTOR by commas, of which the first
     * whose NAME is the task's (`*`: any text) holds; the time on CPUs is divided by FACTOR, or
     * `none`: it does not run there. NULL: no rules.
     */
    const char *speedup;
    double      least_time; /* shorter times become this; 0: a time of 0 is an error */
    hs_unit     unit;       /* where the format has none: STG, and DOT that does not say */
    const char *time, *bytes; /* DOT: the attributes that are times on CPUs and an edge's bytes, if
                                 not `cpu` and `bytes` */
} hs_import_options;

HS_API void hs_import_options_init_sized(hs_import_options *options, size_t size);
#define hs_import_options_init(o) hs_import_options_init_sized((o), sizeof *(o))

/**
 * An instance from a standard task graph, hsched-gen(1) says how. Statuses and *why as of
 * hs_instance_read(), HS_ETOOBIG besides (more than a gigabyte). NULL options mean defaults.
 * Expected O(length log length).
 */
HS_API hs_status hs_import_stg(int fd, const hs_import_options *options, hs_instance **out,
                               hs_diagnostic *why);

/** From a directed graph in the language of Graphviz, such as hs_dot_write() writes. */
HS_API hs_status hs_import_dot(int fd, const hs_import_options *options, hs_instance **out,
                               hs_diagnostic *why);

/** From a workflow of WfCommons with the times that it took: WfFormat 1.5 (JSON). */
HS_API hs_status hs_import_wfcommons(int fd, const hs_import_options *options, hs_instance **out,
                                     hs_diagnostic *why);

/** Times, workers and transfers that StarPU measured, as starpu_perfmodel_recdump writes them. */
typedef struct hs_starpu_models hs_starpu_models;

HS_API hs_status hs_starpu_models_read(int fd, hs_starpu_models **out, hs_diagnostic *why);
HS_API void      hs_starpu_models_free(hs_starpu_models *models);

/** From a program that StarPU ran, its tasks.rec, with the times of `models`. */
HS_API hs_status hs_import_starpu(int fd, const hs_starpu_models *models,
                                  const hs_import_options *options, hs_instance **out,
                                  hs_diagnostic *why);

/** An attempt at a task that failed: an entry that the schedule has as aborted. */
typedef struct hs_picture_failure {
    unsigned    worker;
    uint32_t    task;
    double      end;
    const char *why; /* NULL: it is not said */
} hs_picture_failure;

typedef struct hs_picture {
    size_t      struct_size;
    const char *title;  /* NULL: none */
    const hs_named_bound *bound; /* drawn as a line; NULL: none */

    /*
     * What was predicted, by a policy simulated with the instance's times, for a schedule that has
     * happened: drawn beside it on the same scale of time. Those times then are estimates. NULL:
     * nothing.
     */
    const hs_schedule        *predicted;
    const hs_named_bound     *predicted_bound;
    const hs_picture_failure *failures; /* sorted by worker, then end */
    size_t                    failure_count;
    const char *policy; /* that was simulated; NULL: it is not said */
    double      width;  /* in the units of a chart, at least 360; 0: 1120; charts narrower than 900
                           are for telephones: their heads have more lines, and no arrows come up */

    /* Copies of data that were made: in rows of their own, one for each memory, as those that a
       schedule has by itself. */
    const hs_transfer *transfers; /* sorted by where to, then start; NULL: the schedule's */
    size_t             transfer_count;

    const hs_wait *waits; /* of workers for others, in their lanes; sorted by worker, then start */
    size_t         wait_count;
} hs_picture;

HS_API void hs_picture_init_sized(hs_picture *picture, size_t size);
#define hs_picture_init(p) hs_picture_init_sized((p), sizeof *(p))

/**
 * A Gantt chart as one self-contained SVG, as wide as its window and dark on a screen that is.
 * Above 100 workers some share rows, above 5000 tasks short ones share bars. What was predicted
 * stands above what happened. Of a graph the critical path is drawn over the bars, from each entry
 * back to what it had news of last, and arrows that come up where one points at, up to 10000 of
 * them. HS_EINVAL: a width less than 360.
 */
HS_API hs_status hs_gantt_write(int fd, const hs_instance *in, const hs_schedule *s,
                                const hs_picture *picture);

/**
 * Trace-event JSON for Perfetto and chrome://tracing; what was predicted has its own processes. Up
 * to 100000 dependencies of a graph are arrows.
 */
HS_API hs_status hs_trace_write(int fd, const hs_instance *in, const hs_schedule *s,
                                const hs_picture *picture);

/** One entry on a critical path. */
typedef struct hs_critical_step {
    unsigned worker;
    int      by_task; /* 1: the step before is a task that this task comes after or reads from;
                         0: the step before is the worker's previous entry, or none */
    size_t   entry;   /* index in the array from hs_schedule_entries() of the worker */
} hs_critical_step;

/**
 * The critical path of a schedule that has happened, from its start to its end: the last step ends
 * last, and before each step is the cause of its start, the end of a task before its own with the
 * transfer of its result, or the end of its worker's entry before, whichever came last. Of
 * independent tasks it is all that the worker did that ends last. free() the array. HS_ENOMEM;
 * HS_ESCHEDULE if the schedule is not one for those workers and tasks. O(tasks + edges + entries).
 */
HS_API hs_status hs_critical_path(const hs_instance *in, const hs_schedule *s,
                                  hs_critical_step **out, size_t *count);

/**
 * The graph of an instance in the language of Graphviz: a box a task with its times on CPU and GPU,
 * an edge for each there is, with the data and the bytes that move along it. Attributes that
 * Graphviz has no use for say the rest: hs_import_dot() gives the same tasks back.
 */
HS_API hs_status hs_dot_write(int fd, const hs_instance *in);

/**
 * Shortest decimal that reads back to `value` ("inf" for infinity), NUL
 * terminated; returns its length. Independent of the locale.
 */
HS_API size_t hs_format_double(double value, char buffer[32]);

/**
 * `value` >= 0 as people read it, rounded to `digits` (1 to 17) digits: of less than 10^12 no digit
 * before the point is lost. NUL terminated; returns the length.
 */
HS_API size_t hs_format_rounded(double value, int digits, char buffer[32]);

/**
 * "8 h 38 min": the two largest units of a time that lasts two minutes or more, NUL terminated;
 * returns the length. 0, and an empty text, for what seconds say best.
 */
HS_API size_t hs_format_duration(double seconds, char buffer[32]);

/**
 * Foreign text, fit to be shown on a terminal: control characters (C0, C1, DEL), those that end
 * lines or turn the direction of writing, and bytes that are not UTF-8 become \xHH, a byte at
 * a time. `buffer` gets as many whole characters as its `size` holds with a NUL; returns the
 * length of all of them.
 */
HS_API size_t hs_printable(const char *text, char *buffer, size_t size);

#define HS_NOT_NEAR UINT_MAX

/**
 * How near the word `given` (`length` bytes) is to `name`: the number of letters that are wrong,
 * missing, too many or swapped with the next. 0: they differ at most in case and in blanks around
 * them; 1 also for three or more of the first letters of `name`; HS_NOT_NEAR: more than a third of
 * the letters are wrong.
 */
HS_API unsigned hs_name_distance(const char *given, size_t length, const char *name);

HS_END_DECLS

#endif
