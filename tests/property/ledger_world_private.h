/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROPERTY_LEDGER_WORLD_PRIVATE_H
#define TESTS_PROPERTY_LEDGER_WORLD_PRIVATE_H

#include "property/ledger_world.h"

/* What the files of a world share. */

/* Numbers of garbage have this bit; versions of a handle do not. */
enum { WORLD_GARBAGE = 1 << 30 };

/* Return a number below `count`, as the test decides. */
static inline unsigned world_pick(world *w, unsigned count)
{
    return count > 1 ? w->pick(w->data, count) : 0;
}

static inline bool world_pick_one_in(world *w, unsigned count)
{
    return world_pick(w, count) == 0;
}

static inline bool world_is_done(const world *w, hsi_moment step)
{
    return step.number <= w->stream[step.stream].done;
}

/* Return a task of a worker by its position in the order of begins. */
static inline world_task *world_task_at(world_worker *worker, unsigned i)
{
    return &worker->task[(worker->first + i) % WORLD_FLIGHT];
}

/* Steps: ledger_world_steps.c. */

/* Return the value that all cells of a handle have in a version. */
uint32_t world_value_of(uint32_t version, uint32_t handle);

void world_fill(world_cells cells, uint32_t value);
bool world_have(world_cells cells, uint32_t value);

/* Fill the cells with a new number that is no version. */
void world_spoil(world *w, world_cells cells);

/* Return the cells of a range of a node, which has room for the handle. */
world_cells world_cells_of(world *w, uint32_t node, uint32_t r, uint32_t handle);

/* Return the next step of a stream; NULL: all are executed. */
world_step *world_next_step(world *w, uint32_t stream);

/* Return true if the stream has a next step and this step waits for nothing. */
bool world_may_execute(world *w, uint32_t stream);

/* Execute the next step of a stream. */
void world_execute(world *w, uint32_t stream);

/* Execute the kernel of a task: compute the values of its written handles from those of its read
 * handles. */
void world_run_kernel(world *w, world_task *task);

/* Execute a step after every step that it waits for; execute every step of every stream. */
void world_complete(world *w, hsi_moment wanted);
void world_complete_all(world *w);

/* Give the ledger the last executed step of a stream. */
void world_tell_reached(world *w, uint32_t stream);

/* Add a step to its stream. Each step that it waits for is of the same domain and of a locked
 * node. */
void world_add_step(world *w, hsi_moment number, const world_step *step, uint64_t locked);

/* Add the transfers that a call of the ledger has entered. */
void world_make_transfers(world *w, const hsi_entered *entered);

/* Wait for the steps that use a range of the host; return their number. */
size_t world_wait_for_host_range(world *w, uint32_t range, bool write);

/* Calls of the ledger: ledger_world_calls.c. */

/* Begin the task. The answer is neither NEED nor FULL nor WAIT. */
hsi_ledger_answer world_begin_on(world *w, world_task *task);

/* Evict all replicas of a device that are not pinned. */
void world_evict_all(world *w, uint32_t node);

/* Prefetch a window of handles to a node. */
void world_prefetch(world *w, uint32_t node);

/* Copy a handle home. */
void world_flush(world *w);

/* Tasks: ledger_world_tasks.c. */

/* Begin a task of a worker, unless it has to wait for other tasks. */
void world_begin_task(world *w, unsigned number);

/* Go on with the first task of a worker. */
void world_advance(world *w, unsigned number);

/* Fail a task. What it has committed is lost, and what it wrote in place, unless another node has
 * that version. */
void world_fail_task(world *w, const world_task *task);

/* Remove the first task of a worker. */
void world_forget_first(world_worker *worker);

#endif
