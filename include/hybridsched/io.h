/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_IO_H
#define HYBRIDSCHED_IO_H

#include <limits.h>

#include <hybridsched/bound.h>
#include <hybridsched/generate.h>

HS_BEGIN_DECLS

/** Settings of hs_instance_read() and hs_plan_read(). */
typedef struct hs_read_settings {
    size_t   struct_size;
    int      ignore_unknown;     /* 1: skip unknown columns; 0: refuse them */
    int      has_cpus, has_gpus; /* 1: the numbers below override the file */
    unsigned cpus, gpus;

    /* Callback for a type without a worker count in the file and without an override above:
       returns at most HS_MAX_WORKERS; called once per type. NULL: refuse the file. */
    unsigned (*missing_workers)(void *missing_data, hs_type type);
    void *missing_data;
} hs_read_settings;

/** Set the defaults: refuse unknown columns, take the numbers of workers from the file. */
HS_API void hs_read_settings_init_sized(hs_read_settings *settings, size_t size);
#define hs_read_settings_init(o) hs_read_settings_init_sized((o), sizeof *(o))

/**
 * Read an instance (hsched-formats(5)) from the descriptor `fd` to its end. On failure *out is
 * untouched and *error (if not NULL) has position and reason. HS_ESYNTAX: bad content; HS_EIO:
 * errno has the reason; HS_ENOMEM. NULL settings mean defaults. Takes at most 8 times the size of
 * the text plus 16 MiB of memory; 16 times if rows have little more than one task in `after`.
 */
HS_API hs_status hs_instance_read(int fd, const hs_read_settings *settings, hs_instance **out,
                                  hs_error *error);

/**
 * Read a list of shell commands, a command a line (hsched-formats(5)), from `fd` to its end. Each
 * command becomes a task for CPUs, with an unknown time and the number of its line as its id. The
 * number of CPUs is that of `settings`, which must have one or a callback; that of GPUs is 0 unless
 * `settings` has one. Statuses and *error as of hs_instance_read(), plus HS_ETOOBIG (more than a
 * gigabyte).
 */
HS_API hs_status hs_commands_read(int fd, const hs_read_settings *settings, hs_instance **out,
                                  hs_error *error);

/**
 * Write `in` to `fd`, such that hs_instance_read() returns an equal instance. HS_EIO: errno has the
 * reason. HS_EINVAL, with nothing written: a string is not UTF-8, or a note would be read as a
 * different line.
 */
HS_API hs_status hs_instance_write(int fd, const hs_instance *in, hs_error *error);

/** A lower bound on the makespan, with the name of the method, e.g. "area". */
typedef struct hs_named_bound {
    char   name[32];
    double value;
} hs_named_bound;

/** Header lines of a plan beyond the lines of its instance. */
typedef struct hs_plan_info {
    size_t         struct_size;
    char           algorithm[64]; /* empty: absent */
    uint64_t       seed;
    int            has_seed;
    double         makespan; /* NaN: absent */
    uint64_t       digest;   /* digest of the instance */
    int            has_digest;
    unsigned       bound_count;
    hs_named_bound bounds[16];
    uint64_t       plan_digest; /* digest of the whole plan */
    int            has_plan_digest;
} hs_plan_info;

/** Initialise `info` without any line. */
HS_API void hs_plan_info_init_sized(hs_plan_info *info, size_t size);
#define hs_plan_info_init(i) hs_plan_info_init_sized((i), sizeof *(i))

/**
 * Compute the digest in a plan's header (hsched-formats(5)): of `in`, its notes, `s`, and
 * algorithm, seed and bounds of `info`. The instance's digest is computed if `info` has none.
 * Returns 0 if `info` is not writable.
 */
HS_API uint64_t hs_plan_digest(const hs_instance *in, const hs_schedule *s,
                               const hs_plan_info *info);

/**
 * Write the plan of `s` for `in`; this call fills in makespan and digests. `info` may be NULL.
 * Fails as hs_instance_write() does, and with HS_EINVAL if the schedule has other workers or tasks.
 */
HS_API hs_status hs_plan_write(int fd, const hs_instance *in, const hs_schedule *s,
                               const hs_plan_info *info, hs_error *error);

/**
 * Read a plan: its instance (tasks in order of their first row), its schedule and its header. A
 * task with only aborted rows is still a task. The schedule is not checked: use
 * hs_schedule_check().
 */
HS_API hs_status hs_plan_read(int fd, const hs_read_settings *settings, hs_instance **instance,
                              hs_schedule **schedule, hs_plan_info *info, hs_error *error);

/**
 * Read the preferred workers of tasks (columns task, worker, score; at most one row per task), for
 * hs_settings. The caller calls free() for *out.
 */
HS_API hs_status hs_affinities_read(int fd, const hs_instance *in, hs_affinity **out, size_t *count,
                                    hs_error *error);

/**
 * Read a kernel table (hsched-formats(5)); free with hs_kernel_table_free(). Absent lines leave
 * cpus and gpus 0, name and source empty.
 */
HS_API hs_status hs_kernel_table_read(int fd, hs_kernel_table **out, hs_error *error);
HS_API void      hs_kernel_table_free(hs_kernel_table *table);

/** Options of an import from a foreign format. */
typedef struct hs_import_settings {
    size_t   struct_size;
    int      has_cpus, has_gpus; /* 1: the numbers below override the file */
    unsigned cpus, gpus;         /* otherwise they are only defaults: 20 and 4 */

    /*
     * GPU times for a file without GPU times: comma-separated rules [NAME=]FACTOR, of which the
     * first with a matching NAME (`*` matches any text) applies. The GPU time is the CPU time
     * divided by FACTOR; FACTOR `none` means no GPU implementation. NULL: no rules.
     */
    const char *speedup;
    double      least_time; /* shorter times are raised to this time; 0: a time of 0 is an error */
    hs_unit     unit;       /* unit of a format without units: STG, and DOT without a unit line */
    const char *time, *bytes; /* DOT: names of the attributes for CPU times and edge bytes; NULL:
                                 `cpu`, `bytes` */
} hs_import_settings;

/** Set the defaults of all members. */
HS_API void hs_import_settings_init_sized(hs_import_settings *settings, size_t size);
#define hs_import_settings_init(o) hs_import_settings_init_sized((o), sizeof *(o))

/**
 * Import a standard task graph; hsched-gen(1) has the details. Statuses and *error as of
 * hs_instance_read(), plus HS_ETOOBIG (more than a gigabyte). NULL settings mean defaults. Expected
 * O(length log length).
 */
HS_API hs_status hs_import_stg(int fd, const hs_import_settings *settings, hs_instance **out,
                               hs_error *error);

/** Import a directed graph in Graphviz's DOT language, e.g. from hs_dot_write(). */
HS_API hs_status hs_import_dot(int fd, const hs_import_settings *settings, hs_instance **out,
                               hs_error *error);

/** Import a workflow of WfCommons with its measured times: WfFormat 1.5 (JSON). */
HS_API hs_status hs_import_wfcommons(int fd, const hs_import_settings *settings, hs_instance **out,
                                     hs_error *error);

/** Times, workers and transfers measured by StarPU, in the format of starpu_perfmodel_recdump. */
typedef struct hs_starpu_models hs_starpu_models;

/** Read performance models; free *out with hs_starpu_models_free(). Fails as hs_import_stg(). */
HS_API hs_status hs_starpu_models_read(int fd, hs_starpu_models **out, hs_error *error);
HS_API void      hs_starpu_models_free(hs_starpu_models *models);

/** A measured time of a StarPU codelet, on the first device of its type. */
typedef struct hs_starpu_timing {
    size_t  struct_size;
    hs_type type;
    char    model[256];      /* name of the performance model, usually of the codelet; truncated */
    double  bytes;           /* bytes of all data of the task; 0: unknown */
    double  flops;           /* floating-point operations; 0: unknown */
    double  mean, deviation; /* seconds */
    double  samples;         /* number of executions */
} hs_starpu_timing;

HS_API void hs_starpu_timing_init_sized(hs_starpu_timing *timing, size_t size);
#define hs_starpu_timing_init(t) hs_starpu_timing_init_sized((t), sizeof *(t))

/** Iterate over the measured times, from *cursor 0 on: return true, or false past the last. */
HS_API bool hs_starpu_models_next(const hs_starpu_models *models, size_t *cursor,
                                  hs_starpu_timing *timing);

/** Import the tasks.rec file of a program run by StarPU, with the times of `models`. */
HS_API hs_status hs_import_starpu(int fd, const hs_starpu_models *models,
                                  const hs_import_settings *settings, hs_instance **out,
                                  hs_error *error);

/** A failed attempt of a task; the schedule has it as an aborted entry. */
typedef struct hs_picture_failure {
    unsigned    worker;
    uint32_t    task;
    double      end;
    const char *why; /* NULL: unknown reason */
} hs_picture_failure;

/** Additions to the picture of a schedule; all zero except struct_size: none. */
typedef struct hs_picture {
    size_t                struct_size;
    const char           *title; /* NULL: none */
    const hs_named_bound *bound; /* drawn as a line; NULL: none */

    /*
     * The predicted schedule, drawn beside the executed schedule on one time scale: the simulation
     * of a policy with the instance's times, which are then labelled estimates. NULL: none.
     */
    const hs_schedule        *predicted;
    const hs_named_bound     *predicted_bound; /* drawn as a line in the prediction; NULL: none */
    const hs_picture_failure *failures;        /* sorted by worker, then end */
    size_t                    failure_count;
    const char               *policy; /* name of the simulated policy; NULL: not shown */
    double width; /* chart width in SVG units, at least 360; 0: 1120. Charts narrower than
                     900, meant for telephones, have more header lines and no arrows at the
                     pointer */

    /* Transfers of the execution, drawn in one row per memory like the schedule's own transfers. */
    const hs_transfer *transfers; /* sorted by destination, then start; NULL: transfers of the
                                     schedule */
    size_t transfer_count;

    const hs_wait *waits; /* waits of workers, drawn in their rows; sorted by worker, then start */
    size_t         wait_count;
} hs_picture;

/** Initialise `picture` without additions. */
HS_API void hs_picture_init_sized(hs_picture *picture, size_t size);
#define hs_picture_init(p) hs_picture_init_sized((p), sizeof *(p))

/**
 * Write a Gantt chart as one self-contained SVG, scaled to its window and dark in dark mode. Above
 * 100 workers some workers share rows, above 5000 tasks short tasks share bars. The prediction is
 * drawn above the execution. For a graph the critical path is drawn over the bars, from each entry
 * back to the entry or transfer that delayed it, and up to 10000 arrows appear at the pointer.
 * HS_EINVAL: a width less than 360.
 */
HS_API hs_status hs_gantt_write(int fd, const hs_instance *in, const hs_schedule *s,
                                const hs_picture *picture, hs_error *error);

/**
 * Write trace-event JSON for Perfetto and chrome://tracing; the prediction has separate processes.
 * Up to 100000 dependencies of a graph become arrows.
 */
HS_API hs_status hs_trace_write(int fd, const hs_instance *in, const hs_schedule *s,
                                const hs_picture *picture, hs_error *error);

/** An entry of a critical path. */
typedef struct hs_critical_step {
    unsigned worker;
    int      by_task; /* 1: the previous step is a task that this task comes after or reads from;
                         0: the previous step is the worker's previous entry, or none */
    size_t entry;     /* index in the array from hs_schedule_entries() of the worker */
} hs_critical_step;

/**
 * Find the critical path of an executed schedule, from its start to its end. The last step ends
 * last; before each step comes the cause of its start: either a predecessor task with the transfer
 * of its result, or the worker's previous entry, whichever ended later. For independent tasks the
 * path is the whole row of the worker with the last end. free() the array. HS_ENOMEM; HS_ESCHEDULE:
 * the schedule has other workers or tasks. O(tasks + edges + entries).
 */
HS_API hs_status hs_critical_path(const hs_instance *in, const hs_schedule *s,
                                  hs_critical_step **out, size_t *count);

/**
 * Write the graph of an instance in Graphviz's DOT language: a box per task with its CPU and GPU
 * times, and an edge per dependency with its data and bytes. Further attributes, ignored by
 * Graphviz, let hs_import_dot() rebuild the tasks.
 */
HS_API hs_status hs_dot_write(int fd, const hs_instance *in);

/**
 * Write the shortest decimal that reads back to `value` ("inf" for infinity), NUL terminated;
 * returns its length. Independent of the locale.
 */
HS_API size_t hs_format_double(double value, char buffer[32]);

/**
 * Write `value` >= 0 rounded to 1 to 17 significant digits for a reader; below 10^12 every digit
 * before the point is kept. NUL terminated; returns the length.
 */
HS_API size_t hs_format_rounded(double value, int significant_digits, char buffer[32]);

/**
 * Write a duration of two minutes or more in its two largest units, e.g. "8 h 38 min", NUL
 * terminated; returns the length. For a shorter duration returns 0 and writes an empty text.
 */
HS_API size_t hs_format_long_duration(double seconds, char buffer[32]);

/**
 * Make foreign text safe for a terminal: control characters (C0, C1, DEL), line separators,
 * direction marks and bytes outside UTF-8 become \xHH per byte. Writes to `buffer` the whole
 * characters that fit in `size` with a NUL; returns the untruncated length.
 */
HS_API size_t hs_printable(const char *text, char *buffer, size_t size);

#define HS_NOT_NEAR UINT_MAX

/**
 * Edit distance between the word `given` (`length` bytes) and `name`: the number of wrong, missing,
 * extra or swapped letters. 0: equal up to case and surrounding blanks. A prefix of `name` of three
 * letters or more has distance 1. HS_NOT_NEAR: more than a third of the letters are wrong.
 */
HS_API unsigned hs_name_distance(const char *given, size_t length, const char *name);

HS_END_DECLS

#endif
