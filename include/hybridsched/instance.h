/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_INSTANCE_H
#define HYBRIDSCHED_INSTANCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

HS_BEGIN_DECLS

#define HS_MAX_WORKERS 1000000u /* limit for the number of workers of each type */
#define HS_MAX_TASKS   ((uint64_t)1 << 31)
#define HS_MAX_ID 4096u /* maximal number of bytes of a task id */
#define HS_MAX_NODES   4096u

/** A worker type. Worker numbers begin with the CPUs: 0 .. cpus-1, then the GPUs. */
typedef enum hs_type { HS_CPU = 0, HS_GPU = 1 } hs_type;

typedef enum hs_unit { HS_SECONDS, HS_MILLISECONDS, HS_MICROSECONDS, HS_NANOSECONDS } hs_unit;

/** Whether a running task may be aborted and restarted on another worker. */
typedef enum hs_restartable {
    HS_RESTART_DEFAULT = 0, /* a running task may be restarted, except a task with a command */
    HS_RESTART_YES,
    HS_RESTART_NO
} hs_restartable;

/** Which times of a row are guesses: times without a measurement behind them, to be replaced. */
typedef enum hs_guess {
    HS_GUESS_NONE = 0,
    HS_GUESS_CPU = 1, /* a bit for each type: 1 << HS_CPU, 1 << HS_GPU */
    HS_GUESS_GPU = 2,
    HS_GUESS_BOTH = 3
} hs_guess;

/**
 * An unknown time. hs_instance_fill() replaces it; every algorithm, bound, policy and plan refuses
 * it with HS_EUNKNOWN.
 */
#define HS_UNKNOWN ((double)NAN)

/**
 * One row of an instance: `count` identical tasks. Absent strings are NULL or empty. A time of
 * INFINITY means "no implementation on this type", HS_UNKNOWN a time to be predicted.
 */
typedef struct hs_task {
    size_t         struct_size;
    const char    *id;          /* id of the row; NULL: the row gets t0, t1, ... by row number */
    double         cpu, gpu;    /* times, strictly positive */
    int64_t        priority;
    uint32_t       count; /* number of identical tasks; 0 counts as 1; copies are named
                             ID#1, ID#2, ... */
    hs_restartable restartable;
    double         timeout; /* limit for the duration of one attempt, in the instance's unit;
                               INFINITY or 0: none */
    const char    *kernel;
    const char    *cpu_command;
    const char    *gpu_command;
    double         size;  /* problem size, for predictions of the time; 0: unknown */
    double         flops; /* floating-point operations; 0: unknown */
    hs_guess       guess; /* the types whose time is a guess of hs_instance_fill() */
} hs_task;

/** Set the defaults: no implementation on either type, every other field absent. */
HS_API void hs_task_init_sized(hs_task *task, size_t size);
#define hs_task_init(t) hs_task_init_sized((t), sizeof *(t))

typedef enum hs_column_type {
    HS_COLUMN_TIME,    /* double */
    HS_COLUMN_NUMBER,  /* double, finite and >= 0 */
    HS_COLUMN_INTEGER, /* int64_t */
    HS_COLUMN_COUNT,   /* uint32_t */
    HS_COLUMN_WORD,    /* column type: an enum in memory, one of `words` in files */
    HS_COLUMN_TEXT,    /* const char * */
    HS_COLUMN_LIST     /* column type: the lists `after` and `data`, not a field of hs_task; see
                          hs_instance_predecessor() and hs_instance_access() */
} hs_column_type;

/** A field of hs_task and its column in files. */
typedef struct hs_column {
    const char        *name;
    hs_column_type     type;
    size_t             offset; /* offset of the column's field in hs_task */
    const char *const *words;  /* columns of words: the words for 0, 1, ...; NULL-terminated */
} hs_column;

/** Iterate over every column; NULL past the last. */
HS_API const hs_column *hs_column_at(size_t index);

/** Tasks and workers. Immutable, so threads may share an instance freely. */
typedef struct hs_instance hs_instance;

/**
 * Create an instance over the caller's own arrays without a copy; the arrays must outlive the
 * instance. `priority` may be NULL (all 0). O(n). HS_ETIME: a time is not positive. HS_EWORKER:
 * none of the workers can run a task. HS_EOVERFLOW: the sum of the times exceeds the range of a
 * double.
 */
HS_API hs_status hs_instance_wrap(size_t n, const double *cpu, const double *gpu,
                                  const int64_t *priority, unsigned cpus, unsigned gpus,
                                  hs_instance **out);

/**
 * Create an instance with the tasks of `in` on other workers. The two instances share storage;
 * either may be freed first. The instance has the nodes of `in` only with the same workers.
 */
HS_API hs_status hs_instance_with_workers(const hs_instance *in, unsigned cpus, unsigned gpus,
                                          hs_instance **out);

HS_API void hs_instance_free(hs_instance *in);

HS_API unsigned hs_instance_cpus(const hs_instance *in);
HS_API unsigned hs_instance_gpus(const hs_instance *in);
HS_API hs_unit  hs_instance_unit(const hs_instance *in);

/** Seconds per unit of time; 0 for an invalid unit. */
HS_API double hs_unit_seconds(hs_unit unit);

/** Name of the unit in files: s, ms, us or ns; NULL for an invalid unit. */
HS_API const char *hs_unit_name(hs_unit unit);

/** Number of tasks, copies included. */
HS_API size_t hs_instance_tasks(const hs_instance *in);

/** Number of rows; a row with a count stands for several tasks. */
HS_API size_t hs_instance_rows(const hs_instance *in);

/**
 * Copy a row to *out, with strings owned by the instance; an absent id is NULL. *out may be
 * uninitialised: all `size` bytes are written, including struct_size.
 */
HS_API void hs_instance_row_sized(const hs_instance *in, size_t row, hs_task *out, size_t size);
#define hs_instance_row(in, row, out) hs_instance_row_sized((in), (row), (out), sizeof *(out))

/** Row of a task. O(1) without counts, O(log rows) with counts. */
HS_API size_t hs_instance_row_of(const hs_instance *in, size_t task);

/** Time of a task on a type, as given, even for a type without workers. */
HS_API double  hs_instance_time(const hs_instance *in, size_t task, hs_type type);
HS_API int64_t hs_instance_priority(const hs_instance *in, size_t task);

/** Number of rows with an unknown time. */
HS_API size_t hs_instance_unknown(const hs_instance *in);

/** Return 1 if the task may be restarted: by its own setting, or by the default for its kind. */
HS_API int hs_instance_is_restartable(const hs_instance *in, size_t task);

/**
 * Write the task's name (its id, ID#3 for a copy, t7 without id) and a NUL. Returns the full
 * length; a result >= size means that the name was truncated.
 */
HS_API size_t hs_instance_name(const hs_instance *in, size_t task, char *buffer, size_t size);

/**
 * Write the name of a row with its copies (`copy` is 0) or of one copy (from 1), and a NUL. Returns
 * the full length, as hs_instance_name() does.
 */
HS_API size_t hs_instance_row_name(const hs_instance *in, size_t row, uint32_t copy, char *buffer,
                                   size_t size);

/**
 * Header lines `# key value`, kept unchanged. Returns the key and sets *value; NULL past the last.
 */
HS_API const char *hs_instance_note(const hs_instance *in, size_t index, const char **value);

/**
 * 64-bit digest over workers, unit and tasks, independent of the order of tasks; hsched-formats(5)
 * has the definition. O(n).
 */
HS_API uint64_t hs_instance_digest(const hs_instance *in);

/** A task's access to a handle, a data item shared by tasks. */
typedef enum hs_access_mode { HS_READ = 1, HS_WRITE = 2, HS_READ_WRITE = 3 } hs_access_mode;

/**
 * Links: from the host's memory to a GPU's memory, back to the host, between GPUs of one node, and
 * between the hosts of two nodes.
 */
typedef enum hs_link { HS_H2D, HS_D2H, HS_D2D, HS_N2N, HS_LINKS } hs_link;

/** Return 1 if a row has a predecessor or accesses data, else 0: the tasks are independent. */
HS_API int hs_instance_has_graph(const hs_instance *in);

/**
 * Get the `index`-th predecessor of a row, in rising order of rows: returns 1, the row
 * *predecessor, and *copy: 0 for every copy of that row, or the number of one copy (from 1). Each
 * predecessor task produces *bytes for each task of `row`, not shared with other tasks. Returns 0
 * past the last. O(1).
 */
HS_API int hs_instance_predecessor(const hs_instance *in, size_t row, size_t index,
                                   size_t *predecessor, uint32_t *copy, double *bytes);

/**
 * Get the `index`-th access of a row to a handle, in the order of hs_builder_add_access() calls:
 * returns 1, or 0 past the last. O(1).
 */
HS_API int hs_instance_access(const hs_instance *in, size_t row, size_t index, size_t *handle,
                              hs_access_mode *mode);

/** Name of a handle, owned by the instance; NULL: `handle` is past the last. */
HS_API const char *hs_instance_handle_name(const hs_instance *in, size_t handle);

/** Size of a handle in bytes. */
HS_API double hs_instance_handle_bytes(const hs_instance *in, size_t handle);

/** Memory node in which a handle lies at the start, see hs_instance_memory_node(). */
HS_API uint32_t hs_instance_handle_memory_node(const hs_instance *in, size_t handle);

/**
 * Get a link's latency, in the instance's unit, and bandwidth, in bytes per second: returns 1, or 0
 * if the instance has no such link.
 */
HS_API int hs_instance_link(const hs_instance *in, hs_link link, double *latency,
                            double *bandwidth);

/** Number of nodes that the workers belong to; 1 if the instance lists no nodes. */
HS_API size_t hs_instance_nodes(const hs_instance *in);

/**
 * Name of a node, owned by the instance, and the numbers of its CPUs and GPUs. NULL: `node` is past
 * the last, or the instance lists no nodes. The first node has the first CPUs and the first GPUs.
 */
HS_API const char *hs_instance_node(const hs_instance *in, size_t node, unsigned *cpus,
                                    unsigned *gpus);

/** Type of a worker; numbers past the last worker count as GPUs. */
HS_API hs_type hs_instance_worker_type(const hs_instance *in, unsigned worker);

/** Node of a worker. O(log nodes). */
HS_API size_t hs_instance_node_of(const hs_instance *in, unsigned worker);

/**
 * Memory node of a worker. With N = hs_instance_nodes(), memory node v < N is the memory of host v,
 * for the CPUs of node v; memory node N + g is GPU g.
 */
HS_API uint32_t hs_instance_memory_node(const hs_instance *in, unsigned worker);

/**
 * Time of a transfer between two memory nodes; 0 without links, within a memory node, or for 0
 * bytes. A transfer between two nodes passes through both hosts.
 */
HS_API double hs_instance_transfer_time(const hs_instance *in, uint32_t from, uint32_t to,
                                        double bytes);

/**
 * The task graph of an instance. Its vertices are the tasks and then barriers. A barrier takes no
 * time and replaces many edges of rows with a count: it stands between the copies of a row and
 * their successors, or between predecessors and the copies of a row. Orders implied by accesses to
 * data are edges, too. The graph belongs to the instance; *out is NULL for independent tasks. The
 * first call takes O(tasks + edges) if the instance has counts or only `data`, other calls O(1).
 * HS_ENOMEM.
 */
typedef struct hs_graph hs_graph;

HS_API hs_status hs_instance_graph(const hs_instance *in, const hs_graph **out);

/** Number of vertices: tasks and barriers. */
HS_API size_t hs_graph_vertex_count(const hs_graph *g);

/**
 * Predecessors of a vertex in ascending order; owned by the graph. *bytes has the bytes of each
 * edge; NULL: 0 for every edge. `bytes` may be NULL. O(1).
 */
HS_API const uint32_t *hs_graph_predecessors(const hs_graph *g, size_t vertex, size_t *count,
                                             const double **bytes);

/** Successors of a vertex in ascending order; owned by the graph. O(1). */
HS_API const uint32_t *hs_graph_successors(const hs_graph *g, size_t vertex, size_t *count);

/** Position of a task in topological order; ties go to the smaller number. */
HS_API size_t hs_graph_position(const hs_graph *g, size_t task);

/** No task, worker, row, handle or node: for fields and arguments of 32 bits. */
#define HS_NONE UINT32_MAX

/**
 * A task's access to a handle, and the last writer before this task; HS_NONE: the initial
 * value.
 */
typedef struct hs_access {
    uint32_t data;
    uint32_t writer;
    uint32_t mode; /* an hs_access_mode */
} hs_access;

/** Accesses of a task to handles; owned by the graph. O(1). */
HS_API const hs_access *hs_graph_accesses(const hs_graph *g, size_t task, size_t *count);

/** An instance that is built row by row. */
typedef struct hs_builder hs_builder;

HS_API hs_status hs_builder_create(hs_builder **out);
HS_API void      hs_builder_free(hs_builder *b);
HS_API hs_status hs_builder_set_workers(hs_builder *b, unsigned cpus, unsigned gpus);
HS_API hs_status hs_builder_set_unit(hs_builder *b, hs_unit unit);

/**
 * Append a node with the next CPUs and GPUs. The nodes of an instance together have its workers.
 * `name`: unique, without blanks, at most HS_MAX_ID bytes. HS_ETOOBIG: too many nodes.
 */
HS_API hs_status hs_builder_add_node(hs_builder *b, const char *name, unsigned cpus,
                                     unsigned gpus);

/** Append a header line `# key value`; both strings are copied. A key may occur repeatedly. */
HS_API hs_status hs_builder_add_note(hs_builder *b, const char *key, const char *value);

/**
 * Add a row; strings are copied. HS_ETIME: a time is neither positive nor HS_UNKNOWN. HS_EINVAL:
 * `task` was not initialised, or size or flops is not a finite number >= 0. O(1) amortised.
 */
HS_API hs_status hs_builder_add_row(hs_builder *b, const hs_task *task);

/**
 * Make the tasks of row `predecessor`, or only copy `copy` (from 1; 0: every copy), predecessors of
 * every task of `row`. Each predecessor task produces `bytes` for each task of `row`, not shared
 * with other tasks. The rows may be added later. HS_EINVAL: `bytes` is not a finite number >= 0.
 */
HS_API hs_status hs_builder_add_predecessor(hs_builder *b, size_t row, size_t predecessor,
                                            uint32_t copy, double bytes);

/**
 * Set *handle to the number of the handle named `name`, and create the handle if there is none.
 * HS_ETOOBIG: the name is too long, or there are too many handles.
 */
HS_API hs_status hs_builder_add_handle(hs_builder *b, const char *name, size_t *handle);

/** Set the size of a handle. */
HS_API hs_status hs_builder_set_handle_bytes(hs_builder *b, size_t handle, double bytes);

/**
 * Set the memory in which a handle lies at the start: that of GPU `number`, or for HS_CPU that of
 * the host of node `number`. Without this call, or if the instance lacks this memory, the first
 * host has the handle.
 */
HS_API hs_status hs_builder_set_handle_memory(hs_builder *b, size_t handle, hs_type type,
                                              unsigned number);

/** Set the size, initially 0, of all handles without a size of their own. */
HS_API hs_status hs_builder_set_default_bytes(hs_builder *b, double bytes);

/**
 * Add an access of the tasks of `row` to a handle, at most one per row and handle. Tasks that
 * access one handle depend on each other as in a sequential execution in the order of rows.
 */
HS_API hs_status hs_builder_add_access(hs_builder *b, size_t row, size_t handle,
                                       hs_access_mode mode);

/**
 * Set a link: latency >= 0 in the instance's unit, bandwidth > 0 in bytes per second. HS_H2D and
 * HS_D2H require each other; without HS_D2D transfers between GPUs pass through the host. HS_D2D
 * and HS_N2N require both. An instance with links and several nodes requires HS_N2N.
 */
HS_API hs_status hs_builder_set_link(hs_builder *b, hs_link link, double latency,
                                     double bandwidth);

/**
 * Copy from `in` its links, handles, and the predecessors and accesses of its rows to the rows of
 * equal numbers here, and its nodes to a builder with the same workers and no nodes. O(edges +
 * accesses).
 */
HS_API hs_status hs_builder_copy_graph(hs_builder *b, const hs_instance *in);

/**
 * Turn the builder's content into an instance; the builder is then empty, ready for reuse or
 * hs_builder_free(). On failure the builder keeps its content, and *error (if not NULL) names the
 * fault; error->line is the number of the faulty row, from 1, after HS_EDUPLICATE, HS_EWORKER,
 * HS_EGRAPH and HS_EOVERFLOW. Expected O(rows + edges).
 */
HS_API hs_status hs_builder_finish(hs_builder *b, hs_instance **out, hs_error *error);

/**
 * Return the rows of the cycle for which hs_builder_finish() returned HS_EGRAPH: each row is a
 * predecessor of the next, the last row of the first. NULL: another fault. Valid until the next
 * call with this builder.
 */
HS_API const size_t *hs_builder_cycle(const hs_builder *b, size_t *count);

/** Index of the tasks of an instance by name. */
typedef struct hs_name_index hs_name_index;

/** Create an index of the tasks of `in`, which must outlive the index. Expected O(rows). */
HS_API hs_status hs_name_index_create(const hs_instance *in, hs_name_index **out);
HS_API void      hs_name_index_free(hs_name_index *index);

/** Find a task by name (`length` bytes): returns 1 and sets *task, or returns 0. */
HS_API int hs_name_index_find(const hs_name_index *index, const char *name, size_t length,
                              size_t *task);

HS_END_DECLS

#endif
