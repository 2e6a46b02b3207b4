/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_COST_H
#define HYBRIDSCHED_COST_H

#include <hybridsched/instance.h>

HS_BEGIN_DECLS

/**
 * Cost models: predictions of execution times from measured executions. An hs_cost holds the
 * measurements of one type of CPU and one type of GPU. Times are in seconds, sizes in bytes, work
 * in floating-point operations. No call is safe while another thread uses the same hs_cost.
 */
typedef struct hs_cost hs_cost;

/** Where a time comes from; a later source is less accurate. */
typedef enum hs_cost_source {
    HS_COST_GIVEN,    /* the instance had the time */
    HS_COST_TASK,     /* mean of executions of the same command or kernel at the same size */
    HS_COST_HISTORY,  /* mean of executions with the same key and the same features */
    HS_COST_POWER,    /* law a D^b + c of the size D, fitted to the key's executions */
    HS_COST_LEARNED,  /* log-linear regression on work and bytes, fitted to the key's executions */
    HS_COST_ROOFLINE, /* work over compute rate, or bytes over memory rate, of the machine */
    HS_COST_KEY,      /* guess: geometric mean of the key's executions */
    HS_COST_LEAST,    /* guess: least mean of any key */
    HS_COST_NONE      /* guess: 1 s, without any measurement */
} hs_cost_source;

/** Name of a source, e.g. "history"; NULL: not a source. */
HS_API const char *hs_cost_source_name(hs_cost_source source);

/** Return true if the source is a guess: no measurement or law describes the task. */
HS_API bool hs_cost_is_guess(hs_cost_source source);

#define HS_MAX_KEY 256 /* size of a key in bytes; longer keys are truncated */

/** What a prediction is based on: the features of a task on one worker type. */
typedef struct hs_features {
    size_t   struct_size;
    /* kernel name, or base name of the command's program, with command: before a kernel's name */
    char     key[HS_MAX_KEY];
    uint64_t what;                /* digest of the command or kernel with all arguments; 0: none */
    double   size;                /* problem size; 0: unknown */
    double   flops;               /* floating-point operations; 0: unknown */
    double   bytes_in, bytes_out; /* bytes read and written */
} hs_features;

HS_API void hs_features_init_sized(hs_features *features, size_t size);
#define hs_features_init(f) hs_features_init_sized((f), sizeof *(f))

/** Index of the features of an instance's rows. */
typedef struct hs_feature_index hs_feature_index;

/** Create an index over `in`, which must outlive the index. HS_ENOMEM. O(rows + edges). */
HS_API hs_status hs_feature_index_create(const hs_instance *in, hs_feature_index **out);
HS_API void      hs_feature_index_free(hs_feature_index *index);

/**
 * Get the features of a row on a worker type: the key from its kernel, else from its command, whose
 * arguments it never contains, except the base name of an interpreter's script; size
 * and work from its columns, else from a built-in kernel's name; bytes from its data and edges,
 * else from a built-in kernel's matrices. Threads may share an index. O(1).
 */
HS_API void hs_feature_index_get(const hs_feature_index *index, size_t row, hs_type type,
                                 hs_features *features);

/**
 * Find the program that a shell command starts with, after assignments: return the start of the
 * word and set *length. NULL: a shell built-in, or only a shell can tell.
 */
HS_API const char *hs_command_program(const char *command, size_t *length);

typedef struct hs_prediction {
    size_t         struct_size;
    double         time;   /* seconds, > 0 */
    double         spread; /* standard deviation over mean; NaN: unknown */
    hs_cost_source source;
    uint64_t       runs; /* executions behind the prediction */
} hs_prediction;

HS_API void hs_prediction_init_sized(hs_prediction *prediction, size_t size);
#define hs_prediction_init(p) hs_prediction_init_sized((p), sizeof *(p))

HS_API hs_status hs_cost_create(hs_cost **out);
HS_API void      hs_cost_free(hs_cost *cost);

/**
 * Add a measured execution of `seconds` > 0 that ended at `date` (seconds since 1970; 0: unknown).
 * After four executions, a time beyond three times the mean, or below a third, is counted as
 * strange and not added; the fifth strange time in a row replaces the entry. Before that, a time
 * below a third of all earlier ones replaces them: the first executions are often cold. HS_EINVAL:
 * a feature or time is out of range. HS_ENOMEM: nothing was added. O(1) amortised, without the fits.
 */
HS_API hs_status hs_cost_observe(hs_cost *cost, hs_type type, const hs_features *features,
                                 double seconds, int64_t date);

/**
 * Predict the time of a task on a worker type, from the first source of hs_cost_source that can;
 * HS_COST_LEARNED goes before HS_COST_POWER if it fits the key's executions better.
 * O(1); fits the laws of a key again when its executions have doubled: O(entries of the key).
 */
HS_API void hs_cost_predict(hs_cost *cost, hs_type type, const hs_features *features,
                            hs_prediction *prediction);

/**
 * Predict as hs_cost_predict() does, from the first source that can from `first` on. From
 * HS_COST_POWER on, the order is that of hs_cost_source.
 */
HS_API void hs_cost_predict_from(hs_cost *cost, hs_cost_source first, hs_type type,
                                 const hs_features *features, hs_prediction *prediction);

/** Level of an entry: executions of one command or kernel, or executions with equal features. */
typedef enum hs_cost_level { HS_COST_LEVEL_TASK, HS_COST_LEVEL_HISTORY } hs_cost_level;

/** Statistics of equal executions. */
typedef struct hs_cost_entry {
    size_t        struct_size;
    hs_type       type;
    hs_cost_level level;
    double        runs;      /* weight of the executions, at most 64: old ones fade */
    double        mean;      /* seconds */
    double        m2;        /* sum of squared differences from the mean */
    double        least;     /* shortest execution in seconds */
    int64_t       last;      /* date of the latest execution, seconds since 1970 */
    uint64_t      strange;   /* executions left out as strange since the latest one added */
    bool          restarted; /* true: the entry replaces older statistics of equal features */
    hs_features   features;  /* level TASK: members key, what, size; level HISTORY: every member
                                but what */
} hs_cost_entry;

HS_API void hs_cost_entry_init_sized(hs_cost_entry *entry, size_t size);
#define hs_cost_entry_init(e) hs_cost_entry_init_sized((e), sizeof *(e))

/** Iterate over all entries: return true and set *entry, or return false past the last. */
HS_API bool hs_cost_entry_at(const hs_cost *cost, size_t index, hs_cost_entry *entry);

/**
 * Iterate over all entries in the same order, with the statistics of only the executions observed
 * since the last hs_cost_clear_fresh(): return true and set *entry, or return false past the last.
 * Without such executions, runs and strange are 0.
 */
HS_API bool hs_cost_fresh_at(const hs_cost *cost, size_t index, hs_cost_entry *entry);
HS_API void hs_cost_clear_fresh(hs_cost *cost);

/** Merge statistics into the entry of equal features; not counted as fresh. */
HS_API hs_status hs_cost_merge(hs_cost *cost, const hs_cost_entry *entry);

/**
 * Merge the statistics of `from`, the later ones, into `into`, of equal features. If the mean of
 * `from` is strange in `into`, its executions are counted as in hs_cost_observe(). Up to 64
 * executions and without strange ones the order of merges does not matter, except for rounding.
 */
HS_API void hs_cost_entry_merge(hs_cost_entry *into, const hs_cost_entry *from);

/** A law T = a D^b + c of a key, in seconds, for sizes D from `low` to `high`. */
typedef struct hs_power_law {
    size_t struct_size;
    double a, b, c;
    double low, high;
    double spread; /* root mean square of the relative residuals */
} hs_power_law;

HS_API void hs_power_law_init_sized(hs_power_law *law, size_t size);
#define hs_power_law_init(l) hs_power_law_init_sized((l), sizeof *(l))

/** Get the law of a key: return true and set *law, or return false if there is none. */
HS_API bool hs_cost_power_law(hs_cost *cost, hs_type type, const char *key, hs_power_law *law);

/** A measured copy over a link. */
typedef struct hs_copy_sample {
    double bytes, seconds;
} hs_copy_sample;

/**
 * Fit latency (seconds, >= 0) and bandwidth (bytes per second) of a link by weighted least squares.
 * Return false if the samples have fewer than two sizes or do not take longer with more bytes.
 */
HS_API bool hs_fit_link(const hs_copy_sample *samples, size_t count, double *latency,
                        double *bandwidth);

/**
 * Create an instance in which every unknown time of `in` is a prediction; `cost` may be NULL, for
 * guesses of 1 s. hs_instance_source() gives the source of each time. HS_ENOMEM. O(n).
 */
HS_API hs_status hs_instance_fill(const hs_instance *in, hs_cost *cost, hs_instance **out);

/**
 * Create an instance in which long matrix products are divided. A row of the kernel dgemm:N or
 * sgemm:N whose least time exceeds `limit` seconds becomes B tasks of the kernel dgemm:N/B: task
 * ROW#K computes block K of the columns of the result. B is the least power of two whose tasks take
 * at most `limit`, of those up to `most` and N / 64; if no B is enough, the largest.
 * `most` 0: the first power of two that is at least the number of workers, at most 64.
 *
 * The time of a part is the mean of its measured executions in `cost`, which may be NULL, else the
 * time of the row over B, on GPUs plus the transfer of the first matrix to each part. Rows with a
 * count, a command, data or bytes on edges stay as they are. Successors of a divided row wait for
 * all its tasks. HS_EUNKNOWN: a time is unknown; HS_EINVAL: `limit` is not above 0;
 * HS_EDUPLICATE: another row has the name ROW#K of a new task; HS_ETOOBIG: too many tasks;
 * HS_ENOMEM. O(n).
 */
HS_API hs_status hs_instance_partition(const hs_instance *in, hs_cost *cost, double limit,
                                       unsigned most, hs_instance **out);

/**
 * Create an instance as hs_instance_fill() does, in which given finite times are predictions, too,
 * if their source is HS_COST_TASK to HS_COST_LEARNED. HS_ENOMEM. O(n).
 */
HS_API hs_status hs_instance_retime(const hs_instance *in, hs_cost *cost, hs_instance **out);

/** Source of a task's time on a type; HS_COST_GIVEN for instances without predictions. */
HS_API hs_cost_source hs_instance_source(const hs_instance *in, size_t task, hs_type type);

HS_END_DECLS

#endif
