/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_QUEUE_H
#define HYBRIDSCHED_QUEUE_H

#include <hybridsched/instance.h>

HS_BEGIN_DECLS

/**
 * HeteroPrio's ready queue, for a runtime system to embed: tasks are pushed as
 * they become ready, idle GPUs take the most accelerated one, idle CPUs the
 * least, and a worker that finds nothing may be told whose task to spoliate.
 * A handle is not to be shared between threads without a lock.
 */
typedef struct hs_queue hs_queue;

typedef struct hs_ready {
    uint64_t tag;      /* the caller's own */
    double   cpu, gpu; /* times; INFINITY: no implementation there */
    int64_t  priority; /* among equal cpu/gpu: nearer to the end that likes it */
} hs_ready;

/** Room for `capacity` tasks at once is made now; more are allowed. */
HS_API hs_status hs_queue_create(unsigned cpus, unsigned gpus, size_t capacity, hs_queue **out);
HS_API void      hs_queue_free(hs_queue *q);

/** Always start from hs_queue_settings_init(). */
typedef struct hs_queue_settings {
    size_t struct_size;
    /* Ratios cpu/gpu are the same, and priorities decide, if they lie in one cell of a grid: 1 is
       where cells begin, and each is between half this part of its ratios wide and all of it. So the
       order is one, whatever comes to wait; but two ratios on either side of where a cell begins are
       different, however near: take it many times as wide as times of one kernel differ. 0: ratios
       are compared exactly; else 1e-12 to 1. */
    double tolerance;
} hs_queue_settings;

HS_API void hs_queue_settings_init_sized(hs_queue_settings *settings, size_t size);
#define hs_queue_settings_init(s) hs_queue_settings_init_sized((s), sizeof *(s))

/** As hs_queue_create(); NULL settings mean defaults. HS_EINVAL: bad settings. */
HS_API hs_status hs_queue_create_with(unsigned cpus, unsigned gpus, size_t capacity,
                                      const hs_queue_settings *settings, hs_queue **out);
HS_API size_t    hs_queue_size(const hs_queue *q);

/** Names a task for as long as it waits, and never another. */
typedef struct hs_queue_handle {
    uint64_t number;
    uint32_t slot;
} hs_queue_handle;

/**
 * HS_ETIME, HS_EWORKER or HS_ETOOBIG as for instances. Among equal cpu/gpu and priorities who
 * came first is nearer to the GPUs' end: so GPUs take the oldest first, and CPUs the newest.
 * `handle` NULL: none is wanted. O(log n).
 */
HS_API hs_status hs_queue_push(hs_queue *q, const hs_ready *task, hs_queue_handle *handle);

/** 1 and the task, as it was pushed, at that type's end if there is one it can run, else 0. O(1). */
HS_API int hs_queue_take(hs_queue *q, hs_type type, hs_ready *task);

/** The same, but it stays. */
HS_API int hs_queue_peek(const hs_queue *q, hs_type type, hs_ready *task);

/**
 * The first, from that type's end, that it can run and `accept` returns not 0 for; it may not use
 * the queue. A runtime that cannot abort leaves to a GPU what that would end sooner. O(1) for the
 * end, and for others O(log n) and O(1) for each that is refused.
 */
HS_API int hs_queue_take_if(hs_queue *q, hs_type type,
                            int (*accept)(void *data, const hs_ready *task), void *data,
                            hs_ready *task);

/** 1 and the task (NULL: not wanted), which is no longer there; 0: it was not. O(log n). */
HS_API int hs_queue_remove(hs_queue *q, const hs_queue_handle *handle, hs_ready *task);

/**
 * The task is now that, with other times or another priority, and as old as it was. HS_EINVAL: it
 * is not there; else as for a push, and nothing has changed. O(log n).
 */
HS_API hs_status hs_queue_update(hs_queue *q, const hs_queue_handle *handle,
                                 const hs_ready *task);

/**
 * Tell that `worker`, now idle, runs `task` until `end` as expected. What must
 * not be aborted is not told: then it is nobody's victim. Told again, of one that turns
 * out to need longer, it is looked at again by those who found it not worth taking. O(log w).
 */
HS_API hs_status hs_queue_start(hs_queue *q, unsigned worker, const hs_ready *task, double end);

/** Tell that what `worker` ran has ended or was aborted. O(log w). */
HS_API void hs_queue_stop(hs_queue *q, unsigned worker);

/**
 * An idle `type` worker found nothing to take: which worker's task would it end
 * strictly earlier, starting at `now`? By decreasing expected end, then higher
 * priority, then the smaller tag. 1, *worker and *task, or 0. A task that
 * could not be improved is not looked at again for that type until the next hs_queue_start()
 * of its worker: O(log w) amortised.
 * The caller then aborts: hs_queue_stop() the victim, hs_queue_start() the thief.
 */
HS_API int hs_queue_victim(hs_queue *q, hs_type type, double now, unsigned *worker,
                           hs_ready *task);

HS_END_DECLS

#endif
