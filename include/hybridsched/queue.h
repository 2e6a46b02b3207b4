/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_QUEUE_H
#define HYBRIDSCHED_QUEUE_H

#include <hybridsched/instance.h>

HS_BEGIN_DECLS

/**
 * HeteroPrio's ready queue, to embed in a runtime system. The runtime pushes tasks as they become
 * ready; idle GPUs take the most accelerated task, idle CPUs the least accelerated task. For a
 * worker without a task in the queue, hs_queue_find_victim() finds a task to spoliate. Threads must
 * not use one queue at once without a lock.
 */
typedef struct hs_queue hs_queue;

/** A ready task. */
typedef struct hs_queue_task {
    uint64_t tag;      /* free for the caller's use */
    double   cpu, gpu; /* times on a CPU and on a GPU; INFINITY: no implementation on this type */
    int64_t  priority; /* among equal cpu/gpu, a higher priority is nearer to the end of the type
                          that runs the task faster */
} hs_queue_task;

/**
 * Create a queue for so many workers, with room for `capacity` tasks; more tasks make the queue
 * grow. On HS_OK the caller owns *out, and frees the queue with hs_queue_free().
 */
HS_API hs_status hs_queue_create(unsigned cpus, unsigned gpus, size_t capacity, hs_queue **out);
HS_API void      hs_queue_free(hs_queue *queue);

/** Settings of a queue. Initialise with hs_queue_settings_init(). */
typedef struct hs_queue_settings {
    size_t struct_size;
    /* Relative tolerance of acceleration ratios. Ratios cpu/gpu count as equal, and priorities
       decide, if they lie in one cell of a fixed grid. A cell begins at 1, and each cell is
       between half this fraction and the full fraction of its ratios wide. The order is
       therefore independent of the queue's content, but two close ratios on either side of a
       cell's border differ: choose many times the variation of measured times of one kernel. 0:
       exact comparison; else 1e-12 to 1. */
    double tolerance;
} hs_queue_settings;

HS_API void hs_queue_settings_init_sized(hs_queue_settings *settings, size_t size);
#define hs_queue_settings_init(s) hs_queue_settings_init_sized((s), sizeof *(s))

/**
 * Create a queue as hs_queue_create() does, with settings; NULL means defaults. HS_EINVAL: bad
 * settings.
 */
HS_API hs_status hs_queue_create_with(unsigned cpus, unsigned gpus, size_t capacity,
                                      const hs_queue_settings *settings, hs_queue **out);

/** Return the number of waiting tasks. */
HS_API size_t hs_queue_size(const hs_queue *queue);

/** Handle of a waiting task; never reused for another task. */
typedef struct hs_queue_handle {
    uint64_t number; /* number of the push */
    uint32_t slot;   /* index of the task's slot in the queue's memory */
} hs_queue_handle;

/**
 * Push a task, and set *handle, if not NULL, to its handle. HS_ETIME, HS_EWORKER or HS_ETOOBIG as
 * for instances. Among equal cpu/gpu and priorities an earlier task is nearer to the GPUs' end:
 * GPUs take the oldest first, CPUs the newest. O(log n).
 */
HS_API hs_status hs_queue_push(hs_queue *queue, const hs_queue_task *task, hs_queue_handle *handle);

/**
 * Take the first runnable task from the end of `type`. Return 1 and the task as pushed, or 0 if no
 * task can run on this type. O(1).
 */
HS_API int hs_queue_take(hs_queue *queue, hs_type type, hs_queue_task *task);

/** Get the task that hs_queue_take() would take, and leave it in the queue. Return 1, or 0 for
 * none.
 */
HS_API int hs_queue_peek(const hs_queue *queue, hs_type type, hs_queue_task *task);

/**
 * Take the first runnable task, from the end of `type`, for which `accept` returns a positive
 * number; 0 leaves the task in the queue, a negative number ends the search without a task. `accept`
 * must not use the queue. Return 1 and the task, or 0. A runtime that cannot abort tasks can so leave
 * tasks to a GPU that would end them sooner. O(1) for the first task, then O(log n) plus O(1) per
 * refused task.
 */
typedef int hs_queue_accept(void *data, const hs_queue_handle *handle, const hs_queue_task *task);
HS_API int  hs_queue_take_if(hs_queue *queue, hs_type type, hs_queue_accept *accept, void *data,
                             hs_queue_task *task);

/**
 * Take the task of least cost, for example of the fewest bytes to copy, among the first tasks from
 * the end of `type` whose ratios cpu/gpu count as equal. `cost` returns a task's cost, INFINITY to
 * refuse the task, or NaN to end the search without a task; it must not use the queue. The first task
 * that `cost` does not refuse determines the ratio; the search ends after `most` tasks of this
 * ratio, or at a cost of at most 0. Among equal costs the first task is taken, so a higher priority
 * decides. Return 1 and the task, or 0. O(log n) plus O(1) per examined task; allocates nothing.
 */
typedef double hs_queue_cost(void *data, const hs_queue_handle *handle, const hs_queue_task *task);
HS_API int     hs_queue_take_best(hs_queue *queue, hs_type type, size_t most, hs_queue_cost *cost,
                                  void *data, hs_queue_task *task);

/**
 * Remove a waiting task. Return 1 and, unless `task` is NULL, the task; 0: the task no longer
 * waits. O(log n).
 */
HS_API int hs_queue_remove(hs_queue *queue, const hs_queue_handle *handle, hs_queue_task *task);

/**
 * Change times or priority of a waiting task, which keeps its age. HS_EINVAL: the task no longer
 * waits; other failures as of hs_queue_push(). A failure changes nothing. O(log n).
 */
HS_API hs_status hs_queue_update(hs_queue *queue, const hs_queue_handle *handle,
                                 const hs_queue_task *task);

/**
 * Report that `worker`, idle before, runs `task` with expected end `end`. Omit the call for a task
 * that must not be aborted, to protect it from spoliation. A repeated call with a later end makes
 * the task a candidate again for types that rejected it. O(log w).
 */
HS_API hs_status hs_queue_record_start(hs_queue *queue, unsigned worker, const hs_queue_task *task,
                                       double end);

/** Report that the task of `worker` has ended or was aborted. O(log w). */
HS_API void hs_queue_record_end(hs_queue *queue, unsigned worker);

/**
 * Find a victim for an idle worker of `type` without a task in the queue: a running task that the
 * idle worker would end strictly earlier, starting at `now`. Candidates are tried by decreasing
 * expected end, then higher priority, then smaller tag. Return 1, the victim's number in *worker
 * and its task in *task; or 0. A task without gain is not examined again for this type until the
 * next hs_queue_record_start() of its worker: O(log w) amortised. The caller then aborts the task:
 * hs_queue_record_end() for the victim, hs_queue_record_start() for the thief.
 */
HS_API int hs_queue_find_victim(hs_queue *queue, hs_type type, double now, unsigned *worker,
                                hs_queue_task *task);

HS_END_DECLS

#endif
