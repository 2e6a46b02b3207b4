/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_ARRIVALS_H
#define HYBRIDSCHED_ARRIVALS_H

#include <hybridsched/policy.h>

HS_BEGIN_DECLS

/*
 * Policies for tasks that arrive while they run, as in a runtime system. The caller adds tasks to
 * the policy at any time, and drives it with the calls of policy.h: hs_policy_collect_ready() after
 * additions and endings, hs_policy_next() for an idle worker, hs_policy_ended() for a task that has
 * ended. A task is live from its addition to its end. Its number is below `tasks` of hs_room, and
 * is reused after its end, so the caller can keep its own data by task in an array.
 *
 * Only hs_policy_create_arriving() allocates memory. The other calls cannot run out of memory and
 * make no system call. No two threads may use one policy at once without a lock.
 */

/** Room of a policy for live tasks. Initialise with hs_room_init(). */
typedef struct hs_room {
    size_t   struct_size;
    uint32_t tasks;    /* most live tasks; default: 4096 */
    uint32_t accesses; /* most accesses of one task to handles; default: 8 */
    uint32_t edges;    /* most edges `after` whose two tasks are live; 0: four for each task */
    uint32_t handles;  /* most handles; default: 4096 */
} hs_room;

HS_API void hs_room_init_sized(hs_room *room, size_t size);
#define hs_room_init(r) hs_room_init_sized((r), sizeof *(r))

/** Return 1 if hs_policy_create_arriving() accepts the kind. */
HS_API int hs_policy_accepts_arrivals(const hs_policy_kind *kind);

/**
 * Create a policy without tasks for the workers, nodes, links and unit of `machine`, whose tasks
 * and handles do not count and which must outlive the policy. `room` NULL: the defaults. On HS_OK
 * the caller owns *out, and frees it with hs_policy_free(). Tasks have the rank HS_RANK_GIVEN,
 * their priority, or HS_RANK_FIFO. The kind must not depend on tasks that have not arrived: dmda,
 * dmdas, dynamic, h-ratio, dualhp, heteroprio, heteroprio-ns, hp-sp and hp-corrected. HS_EINVAL:
 * another kind, another rank, bad settings, or `transfers` of the settings is set; HS_ETOOBIG:
 * `room` is too large; HS_ENOMEM.
 *
 * Memory in bytes: at most 170 (hp-corrected: 230) + 21 accesses + 8 edges / tasks for each of the
 * room's tasks, and at most 60 + 16 memory nodes for each handle. The part of the room that was
 * never used is mostly not touched.
 */
HS_API hs_status hs_policy_create_arriving(const hs_policy_kind *kind, const hs_instance *machine,
                                           const hs_room *room, const hs_policy_settings *settings,
                                           hs_policy **out);

/** A task for good: its number is never that of another task. {0} is no task. */
typedef struct hs_task_id {
    uint64_t number; /* number of the addition, from 1 */
    uint32_t task;   /* number of the task in the calls of policy.h while the task is live */
} hs_task_id;

/** A task to be added. Initialise with hs_arrival_init(). */
typedef struct hs_arrival {
    size_t  struct_size;
    double  cpu, gpu;           /* times, strictly positive; INFINITY: no implementation */
    int64_t priority;           /* higher first; default: 0 */
    int     restartable;        /* 1: the policy may request to abort the running task; default:
                                   0 */
    unsigned         kernel;    /* 1 to 63: tasks of one number share a history; default: 0, none */
    const hs_access *access;    /* accesses to handles, at most one for each handle; `writer` is
                                   ignored */
    size_t            accesses; /* number of accesses */
    const hs_task_id *after;    /* predecessors; ended tasks have no effect */
    size_t            predecessors; /* number of entries of `after` */
} hs_arrival;

HS_API void hs_arrival_init_sized(hs_arrival *task, size_t size);
#define hs_arrival_init(t) hs_arrival_init_sized((t), sizeof *(t))

/**
 * Add a task. Tasks that access one handle depend on each other as in a sequential execution in the
 * order of additions. On HS_OK *id is the task (`id` may be NULL); then call
 * hs_policy_collect_ready(), once for several additions. A failure changes nothing. HS_EFULL: there
 * is no room until another task ends; HS_ETOOBIG: more accesses or predecessors than there is room
 * for; HS_ETIME: a time is not positive; HS_EWORKER: no worker can run the task; HS_EINVAL: the
 * policy was created by hs_policy_create(), or an access, a predecessor or the kernel does not
 * exist. O(accesses^2 + predecessors).
 */
HS_API hs_status hs_policy_add_task(hs_policy *policy, const hs_arrival *task, hs_task_id *id);

/**
 * Add a handle of `bytes` >= 0 whose content is in the memory node, see hs_instance_memory_node();
 * 0: the memory of the first host. HS_EFULL: there is no room until a handle is removed. HS_EINVAL:
 * bad bytes or memory node, or a policy by hs_policy_create(). O(memory nodes).
 */
HS_API hs_status hs_policy_add_handle(hs_policy *policy, double bytes, uint32_t memory_node,
                                      uint32_t *handle);

/**
 * Remove a handle: no later task may access it. Its number is reused after the last live task that
 * accesses it. HS_EINVAL: there is no such handle. O(1).
 */
HS_API hs_status hs_policy_remove_handle(hs_policy *policy, uint32_t handle);

/** Return the number of live tasks; 0 for a policy by hs_policy_create(). */
HS_API size_t hs_policy_live_tasks(const hs_policy *policy);

/*
 * Differences of a policy with arriving tasks in the calls of policy.h:
 *
 * - hs_policy_ended() ignores a task that hs_policy_next() or hs_policy_prefetch() did not give.
 *   HS_ENDING_DONE and HS_ENDING_DROPPED end the life of the task.
 * - If a task is dropped, so are its live successors, direct and indirect: each is returned once by
 *   hs_policy_take_stranded(). It takes room, and counts as live, until all of its predecessors
 *   have ended.
 * - hs_policy_mark_done(), hs_policy_mark_elsewhere() and hs_policy_ended_elsewhere() have no effect,
 *   and hs_policy_released_by() returns HS_NONE.
 */

HS_END_DECLS

#endif
