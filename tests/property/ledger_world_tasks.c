/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of the workers, from their begin to their end. */
#include "property/ledger_world_private.h"

#include "suite.h"

static uint32_t largest_chunk(const world *w, uint32_t node)
{
    size_t most = 0;

    for (unsigned c = 0; c < w->chunks[node]; c++)
        most = w->chunk_bytes[node][c] > most ? w->chunk_bytes[node][c] : most;
    return (uint32_t)(most / HSI_LEDGER_UNIT);
}

/* Return the units that a task needs on a device. */
static uint32_t room_of(const world *w, const world_task *task)
{
    uint32_t units = 0;

    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];
        bool           second = use->mode & HS_WRITE && use->keep;

        units += w->units[use->handle] * (unsigned)((use->mode & HS_READ || !use->keep) + second);
    }
    return units;
}

static uint32_t node_of_worker(const world *w, unsigned worker)
{
    return worker < w->size.cpus ? HSI_LEDGER_HOST : worker - w->size.cpus + 1;
}

static bool conflict(const hsi_use *a, const hsi_use *b)
{
    return a->handle == b->handle && (a->mode | b->mode) & HS_WRITE;
}

/* Return true if a task in flight on another worker, or one that has not committed what the new use
 * reads, must end before the new task may begin on the worker. */
static bool must_wait(world *w, unsigned worker, const hsi_use *use)
{
    for (unsigned other = 0; other < w->size.cpus + w->size.devices; other++)
        for (unsigned i = 0; i < w->worker[other].count; i++) {
            const world_task *task = world_task_at(&w->worker[other], i);

            for (unsigned k = 0; k < task->uses; k++)
                if (conflict(&task->use[k], use) &&
                    (other != worker || worker < w->size.cpus ||
                     (task->use[k].mode & HS_WRITE && task->use[k].keep)))
                    return true;
        }
    return false;
}

/* Choose the uses of a new task of a worker. */
static void choose_uses(world *w, unsigned worker, world_task *task)
{
    unsigned wanted = 1 + world_pick(w, w->size.uses);
    bool     keep = world_pick(w, 2);

    for (unsigned tries = 0; task->uses < wanted && tries < w->size.uses; tries++) {
        hsi_use use = {.handle = world_pick(w, w->size.handles),
                       .mode = (uint8_t)(HS_READ + world_pick(w, 3)),
                       .range = HS_NONE,
                       .second = HS_NONE};

        use.keep = keep && use.mode & HS_WRITE;
        use.version = w->newest[use.handle];
        if (worker < w->size.cpus && use.keep)
            use.second = w->spare[worker * WORLD_USES + task->uses];
        for (unsigned i = 0; i < task->uses; i++)
            if (task->use[i].handle == use.handle)
                return;
        if (must_wait(w, worker, &use))
            return;
        task->use[task->uses++] = use;
    }
}

static bool writes_in_place(const world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++)
        if (task->use[i].mode & HS_WRITE && !task->use[i].keep)
            return true;
    return false;
}

static void find_cells(world *w, world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];

        task->expected[i] = world_value_of(use->version, use->handle);
        if (use->mode & HS_READ)
            task->read[i] = world_cells_of(w, task->node, use->range, use->handle);
        if (use->mode & HS_WRITE)
            task->write[i] =
                world_cells_of(w, task->node, use->keep ? use->second : use->range, use->handle);
    }
}

/* Make what the task wrote the newest version, in the ledger and here. */
static void commit(world *w, const world_task *task)
{
    ck_assert(hsi_ledger_commit(w->ledger, task->node, task->use, task->uses, task->number));
    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];

        if (!(use->mode & HS_WRITE))
            continue;
        w->newest[use->handle] = task->number;
        if (use->keep && task->node != HSI_LEDGER_HOST) {
            w->last_use[task->node][use->handle] = task->second_tick[i];
            w->needed_by[task->node][use->handle] = -1;
        }
    }
}

/* Launch the kernel of a task in a stream of its device. */
static void launch(world *w, unsigned worker, unsigned index)
{
    world_task *task = &w->worker[worker].task[index];
    world_step  step = {.is_kernel = true, .worker = worker, .task = index};
    uint32_t    stream = (task->node - 1) * WORLD_STREAMS +
                      (w->size.is_small ? 0 : world_pick(w, WORLD_KERNEL_STREAMS));

    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];
        bool           in_place = use->mode & HS_WRITE && !use->keep;

        if (use->range != HS_NONE)
            step.waits += hsi_ledger_order(w->ledger, task->node, use->range, in_place, stream,
                                           step.wait + step.waits);
        if (use->second != HS_NONE)
            step.waits += hsi_ledger_order(w->ledger, task->node, use->second, true, stream,
                                           step.wait + step.waits);
    }
    task->step = hsi_ledger_next_step(w->ledger, stream);
    world_add_step(w, task->step, &step, task->locked);
    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];

        if (use->range != HS_NONE)
            hsi_ledger_note(w->ledger, task->node, use->range, use->mode & HS_WRITE && !use->keep,
                            task->step);
        if (use->second != HS_NONE)
            hsi_ledger_note(w->ledger, task->node, use->second, true, task->step);
    }
}

/* Begin again from empty memory: the task begins if it fits one chunk, since none is in flight. */
static hsi_ledger_answer begin_from_empty(world *w, world_task *task)
{
    hsi_ledger_answer answer;

    world_evict_all(w, task->node);
    answer = world_begin_on(w, task);
    if (room_of(w, task) <= largest_chunk(w, task->node))
        ck_assert_int_eq(answer, HSI_LEDGER_OK);
    return answer;
}

static bool reads_lost(const world *w, const world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++)
        if (w->newest[task->use[i].handle] == HSI_VERSION_LOST && task->use[i].mode & HS_READ)
            return true;
    return false;
}

/* A begin for a version that is not the newest one is refused. */
static void begin_stale(world *w, const world_task *task)
{
    world_task stale = *task;

    stale.use[0].version = w->tasks + 1;
    if (w->newest[task->use[0].handle] != HSI_VERSION_LOST && !reads_lost(w, task))
        ck_assert_int_eq(world_begin_on(w, &stale), HSI_LEDGER_STALE);
}

void world_begin_task(world *w, unsigned number)
{
    world_worker *worker = &w->worker[number];
    unsigned      index = (worker->first + worker->count) % WORLD_FLIGHT;
    bool          again = w->failed != HS_NONE;
    world_task task = {.number = again ? w->failed : w->tasks, .node = node_of_worker(w, number)};
    hsi_ledger_answer answer;

    choose_uses(w, number, &task);
    if (task.uses == 0)
        return;
    if (!w->size.is_small && world_pick_one_in(w, 50))
        begin_stale(w, &task);
    answer = world_begin_on(w, &task);
    if (answer == HSI_LEDGER_NO_ROOM && worker->count == 0)
        answer = begin_from_empty(w, &task);
    ck_assert_int_eq(answer == HSI_LEDGER_LOST, reads_lost(w, &task));
    if (answer == HSI_LEDGER_LOST || answer == HSI_LEDGER_NO_ROOM)
        return;
    ck_assert_int_eq(answer, HSI_LEDGER_OK);
    w->begins++;
    w->tasks += !again;
    w->failed = HS_NONE;
    task.fails = writes_in_place(&task) && w->size.has_losses &&
                 world_pick_one_in(w, w->size.is_small ? 2 : 8);
    find_cells(w, &task);
    worker->task[index] = task;
    worker->count++;
    if (task.node == HSI_LEDGER_HOST)
        return;
    launch(w, number, index);
    if (writes_in_place(&task))
        commit(w, &task);
}

void world_forget_first(world_worker *worker)
{
    worker->first = (worker->first + 1) % WORLD_FLIGHT;
    worker->count--;
}

/* Fail a task. What it has committed is lost, and what it wrote in place, unless another node has
 * that version. */
void world_fail_task(world *w, const world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];
        bool           survives = use->keep || !(use->mode & HS_WRITE);

        for (uint32_t v = 0; w->newest[use->handle] != task->number && v <= w->size.devices; v++)
            survives |= v != task->node &&
                        hsi_ledger_state(w->ledger, use->handle, v) != HSI_REPLICA_INVALID;
        if (!survives)
            w->newest[use->handle] = HSI_VERSION_LOST;
    }
    hsi_ledger_fail(w->ledger, task->node, task->use, task->uses, task->number);
    w->failed = task->number;
}

/* End the first task of a device, whose kernel is complete. */
static void retire(world *w, unsigned number)
{
    world_worker     *worker = &w->worker[number];
    const world_task *task = world_task_at(worker, 0);
    bool lost = hsi_ledger_input_was_lost(w->ledger, task->node, task->use, task->uses);

    ck_assert_msg(!task->read_garbage || lost, "a task read what is not the newest version");
    if (lost || task->fails)
        world_fail_task(w, task);
    else if (!writes_in_place(task) && world_pick(w, 4) > 0)
        commit(w, task);
    hsi_ledger_end(w->ledger, task->node, task->use, task->uses);
    world_forget_first(worker);
}

static bool may_retire(world *w, unsigned worker)
{
    return w->worker[worker].count > 0 &&
           world_is_done(w, world_task_at(&w->worker[worker], 0)->step);
}

/* Start a task on the host: wait for its ranges, then compute. It ends at once if its inputs are
 * lost. */
static void start_on_host(world *w, unsigned number)
{
    world_worker *worker = &w->worker[number];
    world_task   *task = world_task_at(worker, 0);

    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];
        bool           in_place = use->mode & HS_WRITE && !use->keep;

        (void)world_wait_for_host_range(w, use->range, in_place);
        if (use->second != HS_NONE)
            (void)world_wait_for_host_range(w, use->second, true);
    }
    if (hsi_ledger_input_was_lost(w->ledger, HSI_LEDGER_HOST, task->use, task->uses)) {
        hsi_ledger_end(w->ledger, HSI_LEDGER_HOST, task->use, task->uses);
        world_forget_first(worker);
        return;
    }
    task->has_started = true;
    world_run_kernel(w, task);
    ck_assert_msg(!task->read_garbage, "the host read what is not the newest version");
}

static void keep_spare(world *w, unsigned cpu, const world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++)
        if (task->use[i].second != HS_NONE)
            w->spare[cpu * WORLD_USES + i] = task->use[i].range;
}

static void end_on_host(world *w, unsigned number)
{
    world_worker     *worker = &w->worker[number];
    const world_task *task = world_task_at(worker, 0);
    bool              may_abort = !task->has_started || !writes_in_place(task);

    if (task->has_started && task->fails) {
        world_fail_task(w, task);
    } else if (task->has_started && !(may_abort && world_pick_one_in(w, 4))) {
        commit(w, task);
        keep_spare(w, number, task);
    }
    hsi_ledger_end(w->ledger, HSI_LEDGER_HOST, task->use, task->uses);
    world_forget_first(worker);
}

/* Go on with the first task of a worker. */
void world_advance(world *w, unsigned number)
{
    world_worker *worker = &w->worker[number];

    if (number >= w->size.cpus) {
        if (may_retire(w, number))
            retire(w, number);
        return;
    }
    if (worker->count == 0)
        return;
    if (!world_task_at(worker, 0)->has_started && !world_pick_one_in(w, 4))
        start_on_host(w, number);
    else
        end_on_host(w, number);
}
