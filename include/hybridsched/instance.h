/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_INSTANCE_H
#define HYBRIDSCHED_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

HS_BEGIN_DECLS

#define HS_MAX_WORKERS 1000000u           /* of one type */
#define HS_MAX_TASKS   ((uint64_t)1 << 31)
#define HS_MAX_ID      4096u              /* bytes of a task's id */

/** A worker type. Worker numbers run over the CPUs first: 0 .. cpus-1, then the GPUs. */
typedef enum hs_type { HS_CPU = 0, HS_GPU = 1 } hs_type;

typedef enum hs_unit { HS_SECONDS, HS_MILLISECONDS, HS_MICROSECONDS, HS_NANOSECONDS } hs_unit;

/** May a running task be aborted and started again elsewhere? */
typedef enum hs_restartable {
    HS_RESTART_DEFAULT = 0, /* yes, unless the task has a command */
    HS_RESTART_YES,
    HS_RESTART_NO
} hs_restartable;

/**
 * One row of an instance: `count` identical tasks. Strings are NULL or empty
 * where absent. A time of INFINITY means "has no implementation there".
 */
typedef struct hs_task {
    size_t         struct_size;
    const char    *id;          /* NULL: t0, t1, ... by row */
    double         cpu, gpu;    /* times, strictly positive */
    int64_t        priority;
    uint32_t       count;       /* 0 counts as 1; copies are named ID#1, ID#2, ... */
    hs_restartable restartable;
    double         timeout; /* of an attempt, in the unit of times; INFINITY, or 0: none */
    const char    *kernel;
    const char    *cpu_command;
    const char    *gpu_command;
} hs_task;

/** A task that has no implementation yet, and of which nothing else is said. */
HS_API void hs_task_init_sized(hs_task *task, size_t size);
#define hs_task_init(t) hs_task_init_sized((t), sizeof *(t))

typedef enum hs_column_type {
    HS_COLUMN_TIME,    /* double */
    HS_COLUMN_INTEGER, /* int64_t */
    HS_COLUMN_COUNT,   /* uint32_t */
    HS_COLUMN_WORD,    /* an enum: one of the words */
    HS_COLUMN_TEXT,    /* const char * */
    HS_COLUMN_LIST     /* `after`, `data`: no field; hs_instance_after() and hs_instance_access() */
} hs_column_type;

/** A field of hs_task, which is the column of that name in files. */
typedef struct hs_column {
    const char        *name;
    hs_column_type     type;
    size_t             offset; /* of the field */
    const char *const *words;  /* of a WORD: what files have for 0, 1, ...; NULL behind the last */
} hs_column;

/** Every column there is, for what has to do with them all; NULL past the last. */
HS_API const hs_column *hs_column_at(size_t index);

/** Tasks and the workers to run them on. Immutable, so free to share between threads. */
typedef struct hs_instance hs_instance;

/**
 * An instance over the caller's own arrays, which must outlive it; nothing is
 * copied. `priority` may be NULL (all 0). O(n).
 * HS_ETIME: a time is not positive. HS_EWORKER: a task that no worker there is
 * can run. HS_EOVERFLOW: a schedule could last longer than a double can tell.
 */
HS_API hs_status hs_instance_wrap(size_t n, const double *cpu, const double *gpu,
                                  const int64_t *priority, unsigned cpus, unsigned gpus,
                                  hs_instance **out);

/** The same tasks on other workers; the two share storage, and either may be freed first. */
HS_API hs_status hs_instance_on(const hs_instance *in, unsigned cpus, unsigned gpus,
                                hs_instance **out);

HS_API void hs_instance_free(hs_instance *in);

HS_API unsigned hs_instance_cpus(const hs_instance *in);
HS_API unsigned hs_instance_gpus(const hs_instance *in);
HS_API hs_unit  hs_instance_unit(const hs_instance *in);

/** Seconds in a unit of time; 0 if there is no such unit. */
HS_API double hs_unit_seconds(hs_unit unit);

/** Its name in files: s, ms, us or ns; NULL if there is no such unit. */
HS_API const char *hs_unit_name(hs_unit unit);

/** Tasks, copies included; and rows, where copies stand together. */
HS_API size_t hs_instance_tasks(const hs_instance *in);
HS_API size_t hs_instance_rows(const hs_instance *in);

/**
 * A row as it was given, strings owned by the instance; an id that was not given is NULL.
 * *out need not be initialised: all `size` bytes are written, struct_size among them.
 */
HS_API void hs_instance_row_sized(const hs_instance *in, size_t row, hs_task *out, size_t size);
#define hs_instance_row(in, row, out) hs_instance_row_sized((in), (row), (out), sizeof *(out))

/** Row of a task: O(1) without counts, O(log rows) with them. */
HS_API size_t hs_instance_row_of(const hs_instance *in, size_t task);

/** Time of a task on a type as given (an absent type has its times too). */
HS_API double  hs_instance_time(const hs_instance *in, size_t task, hs_type type);
HS_API int64_t hs_instance_priority(const hs_instance *in, size_t task);

/** May the task be aborted and restarted (its own word, or the default for its kind)? */
HS_API int hs_instance_restartable(const hs_instance *in, size_t task);

/**
 * Writes the task's name (its id, ID#3 for a copy, t7 where none was given) and
 * a NUL. Returns its length; if that is >= size the name was cut short.
 */
HS_API size_t hs_instance_name(const hs_instance *in, size_t task, char *buffer, size_t size);

/** The same for a row with all its copies (`copy` is 0) or one of them (from 1). */
HS_API size_t hs_instance_row_name(const hs_instance *in, size_t row, uint32_t copy, char *buffer,
                                   size_t size);

/** Header lines that are kept as they came: `# key value`. NULL past the last. */
HS_API const char *hs_instance_note(const hs_instance *in, size_t index, const char **value);

/**
 * 64 bits over workers, unit and tasks, whatever the order of the tasks; the
 * definition is in hsched-formats(5). O(n).
 */
HS_API uint64_t hs_instance_digest(const hs_instance *in);

/** What a task does with a piece of data. */
typedef enum hs_access_mode { HS_READ = 1, HS_WRITE = 2, HS_READ_WRITE = 3 } hs_access_mode;

/** Ways from the host's memory to a GPU's, back, and from a GPU's to another's. */
typedef enum hs_link { HS_H2D, HS_D2H, HS_D2D, HS_LINKS } hs_link;

/** Does any row come after another, or access data? If not, tasks are independent. */
HS_API int hs_instance_has_graph(const hs_instance *in);

/**
 * What a row comes after, as it was told, by rising rows: 1 and the `index`-th: row *earlier, all
 * of its copies (*copy is 0) or one of them (from 1), each of which makes *bytes that only this
 * task reads; 0 past the last. O(1).
 */
HS_API int hs_instance_after(const hs_instance *in, size_t row, size_t index, size_t *earlier,
                             uint32_t *copy, double *bytes);

/** The `index`-th access of a row to data, as it was told: 1, or 0 past the last. O(1). */
HS_API int hs_instance_access(const hs_instance *in, size_t row, size_t index, size_t *data,
                              hs_access_mode *mode);

/** Pieces of data, numbered from 0: name (NULL past the last) and size. */
HS_API const char *hs_instance_data_name(const hs_instance *in, size_t data);
HS_API double      hs_instance_data_bytes(const hs_instance *in, size_t data);

/** 1, the latency in the instance's unit and the bytes a second; 0 if there is no such link. */
HS_API int hs_instance_link(const hs_instance *in, hs_link link, double *latency,
                            double *bandwidth);

/** Memory node of a worker: 0 for CPUs, which share the host's, 1 + g for GPU g. */
HS_API uint32_t hs_instance_node(const hs_instance *in, unsigned worker);

/** Time to move so many bytes from node to node; 0 without links, within a node, for 0 bytes. */
HS_API double hs_instance_transfer(const hs_instance *in, uint32_t from, uint32_t to,
                                   double bytes);

/**
 * The graph of the tasks. Its vertices are the tasks and then barriers, which take no time and
 * stand for the many edges of rows with a count: all copies of a row before what comes after the
 * row, or what a row comes after before all its copies. What follows from the order in which tasks
 * access data is edges, too. It belongs to the instance; NULL where that has none.
 * O(tasks + edges) the first time where there are counts or `data` alone, else O(1). HS_ENOMEM.
 */
typedef struct hs_graph hs_graph;

HS_API hs_status hs_instance_graph(const hs_instance *in, const hs_graph **out);

HS_API size_t hs_graph_vertices(const hs_graph *g);

/** Of a vertex, ascending. `bytes` (may be NULL) is of the edges; NULL there: all are 0. O(1). */
HS_API const uint32_t *hs_graph_predecessors(const hs_graph *g, size_t vertex, size_t *count,
                                             const double **bytes);
HS_API const uint32_t *hs_graph_successors(const hs_graph *g, size_t vertex, size_t *count);

/** Where a task stands in topological order, the smaller first of those that are free. */
HS_API size_t hs_graph_position(const hs_graph *g, size_t task);

#define HS_NOBODY UINT32_MAX

/** A task's access to data, and who wrote that last before it; HS_NOBODY: it is the host's. */
typedef struct hs_access {
    uint32_t data;
    uint32_t writer;
    uint32_t mode; /* an hs_access_mode */
} hs_access;

HS_API const hs_access *hs_graph_accesses(const hs_graph *g, size_t task, size_t *count);

typedef struct hs_builder hs_builder;

HS_API hs_status hs_builder_create(hs_builder **out);
HS_API void      hs_builder_free(hs_builder *b);
HS_API hs_status hs_builder_workers(hs_builder *b, unsigned cpus, unsigned gpus);
HS_API hs_status hs_builder_unit(hs_builder *b, hs_unit unit);

/** Keep a header line; both strings are copied. The same key may come again. */
HS_API hs_status hs_builder_note(hs_builder *b, const char *key, const char *value);

/**
 * Add a row; strings are copied. HS_ETIME: a time is not positive. HS_EINVAL: the task
 * was not initialised. O(1) amortised.
 */
HS_API hs_status hs_builder_add(hs_builder *b, const hs_task *task);

/**
 * All tasks of `row` come after those of row `earlier`, or only after its copy `copy` (from 1;
 * 0: all), each of which makes `bytes` that only this row's tasks read, each its own. Rows may be
 * added later. HS_EINVAL: bytes are no finite number >= 0.
 */
HS_API hs_status hs_builder_after(hs_builder *b, size_t row, size_t earlier, uint32_t copy,
                                  double bytes);

/** The number of the data of that name; it is new if there was none. HS_ETOOBIG. */
HS_API hs_status hs_builder_data(hs_builder *b, const char *name, size_t *data);

/** The size of a piece of data; and of all whose size is not given, which is 0 by itself. */
HS_API hs_status hs_builder_data_bytes(hs_builder *b, size_t data, double bytes);
HS_API hs_status hs_builder_usual_bytes(hs_builder *b, double bytes);

/**
 * The tasks of `row` access data; each piece once. Tasks that access the same data depend on each
 * other as if they were run one after the other in the order of the rows.
 */
HS_API hs_status hs_builder_access(hs_builder *b, size_t row, size_t data, hs_access_mode mode);

/**
 * A link: latency >= 0 in the instance's unit, bytes a second > 0. HS_H2D and HS_D2H need each
 * other; without HS_D2D what goes there passes through the host.
 */
HS_API hs_status hs_builder_link(hs_builder *b, hs_link link, double latency, double bandwidth);

/**
 * All of the above once more, as `in` has it: its links and data, and what its rows come after and
 * access, of the rows of the same numbers here. O(edges + accesses).
 */
HS_API hs_status hs_builder_graph(hs_builder *b, const hs_instance *in);

/**
 * Turn what was added into an instance; the builder is then empty and may be
 * freed or used again. On HS_EDUPLICATE, HS_EWORKER, HS_EGRAPH or HS_EOVERFLOW the builder
 * keeps its content and *row (if not NULL) is the row to blame. Expected O(rows + edges).
 */
HS_API hs_status hs_builder_finish(hs_builder *b, hs_instance **out, size_t *row);

/**
 * After HS_EGRAPH: the rows of a cycle, each before the next and the last before the first; NULL
 * if something else is wrong (a row that comes after itself, or twice after another, or after one
 * that is not there). The builder's until its next call.
 */
HS_API const size_t *hs_builder_cycle(const hs_builder *b, size_t *count);

typedef struct hs_index hs_index;

/** An index of the names in `in`, which must outlive it. Expected O(rows). */
HS_API hs_status hs_index_create(const hs_instance *in, hs_index **out);
HS_API void      hs_index_free(hs_index *index);

/** 1 and *task if there is a task of that name (`length` bytes), else 0. */
HS_API int hs_index_find(const hs_index *index, const char *name, size_t length, size_t *task);

HS_END_DECLS

#endif
