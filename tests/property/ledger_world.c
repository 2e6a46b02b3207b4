/* SPDX-License-Identifier: BSD-3-Clause */
#include "property/ledger_world.h"

#include <stddef.h>
#include <string.h>

#include "suite.h"

/* Numbers of garbage have this bit; versions of a handle do not. */
enum { GARBAGE = 1 << 30, MOST_TRANSFERS = 16, MOST_WAITS = 4 * 2 * (WORLD_ALL_STREAMS + 1) };

static unsigned pick(world *w, unsigned count)
{
    return count > 1 ? w->pick(w->data, count) : 0;
}

static bool pick_one_in(world *w, unsigned count)
{
    return pick(w, count) == 0;
}

static uint32_t value_of(uint32_t version, uint32_t handle)
{
    return (version == HS_NONE ? 0 : version + 1) * WORLD_HANDLES + handle;
}

static void fill_cells(world_cells cells, uint32_t value)
{
    for (unsigned u = 0; u < cells.units; u++)
        cells.at[u] = value;
}

static void spoil(world *w, world_cells cells)
{
    fill_cells(cells, GARBAGE | (w->garbage++ & (GARBAGE - 1)));
}

static bool have_value(world_cells cells, uint32_t value)
{
    for (unsigned u = 0; u < cells.units; u++)
        if (cells.at[u] != value)
            return false;
    return true;
}

static uint32_t node_of_stream(uint32_t stream)
{
    return 1 + stream / WORLD_STREAMS;
}

static bool is_done(const world *w, hsi_moment step)
{
    return step.number <= w->stream[step.stream].done;
}

/* Streams and their steps. */

static world_step *next_step(world *w, uint32_t stream)
{
    const world_stream *s = &w->stream[stream];

    return s->done < s->last ? &w->queue[stream][(s->done + 1) % WORLD_QUEUE] : NULL;
}

static bool may_execute(world *w, uint32_t stream)
{
    const world_step *step = next_step(w, stream);

    for (size_t i = 0; step && i < step->waits; i++)
        if (!is_done(w, step->wait[i]))
            return false;
    return step != NULL;
}

static void run_kernel(world *w, world_task *task)
{
    for (unsigned i = 0; i < task->uses; i++)
        if (task->read[i].at && !have_value(task->read[i], task->expected[i]))
            task->read_garbage = true;
    for (unsigned i = 0; i < task->uses; i++) {
        if (!task->write[i].at)
            continue;
        if (task->read_garbage || task->fails)
            spoil(w, task->write[i]);
        else
            fill_cells(task->write[i], value_of(task->number, task->use[i].handle));
    }
}

static void execute(world *w, uint32_t stream)
{
    world_step *step = next_step(w, stream);

    if (step->is_kernel)
        run_kernel(w, &w->worker[step->worker].task[step->task]);
    else
        memcpy(step->to.at, step->from.at, step->to.units * sizeof *step->to.at);
    w->stream[stream].done++;
}

/* Execute all steps that a step waits for, and the step. */
static void complete(world *w, hsi_moment wanted)
{
    while (!is_done(w, wanted)) {
        const world_step *step = next_step(w, wanted.stream);
        size_t            i = 0;

        while (i < step->waits && is_done(w, step->wait[i]))
            i++;
        if (i < step->waits)
            complete(w, step->wait[i]);
        else
            execute(w, wanted.stream);
    }
}

static void complete_all(world *w)
{
    for (uint32_t s = 0; s < WORLD_ALL_STREAMS; s++)
        complete(w, (hsi_moment){.number = w->stream[s].last, .stream = (uint16_t)s});
}

static void tell_reached(world *w, uint32_t stream)
{
    world_stream *s = &w->stream[stream];

    s->told = s->done > s->told ? s->done : s->told;
    hsi_ledger_reach(w->ledger, stream, s->done);
}

/* Add a step to its stream. Each step that it waits for is of the same domain and of a locked
 * node. */
static void add_step(world *w, hsi_moment number, const world_step *step, uint64_t locked)
{
    world_stream *s = &w->stream[number.stream];
    uint32_t      node = node_of_stream(number.stream);

    if (s->last - s->done == WORLD_QUEUE)
        complete(w, (hsi_moment){.number = s->done + 1, .stream = number.stream});
    ck_assert(locked >> node & 1);
    for (size_t i = 0; i < step->waits; i++) {
        ck_assert(locked >> node_of_stream(step->wait[i].stream) & 1);
        ck_assert_uint_eq(w->domain[node_of_stream(step->wait[i].stream)], w->domain[node]);
        ck_assert_uint_ne(step->wait[i].stream, number.stream);
    }
    s->last++;
    ck_assert_uint_eq(s->last, number.number);
    w->queue[number.stream][s->last % WORLD_QUEUE] = *step;
}

static world_cells cells_at(world *w, uint32_t node, hsi_address address, uint32_t handle)
{
    uint32_t *at = address.at;

    if (node != HSI_LEDGER_HOST)
        at = &w->memory[node][address.chunk][address.offset / HSI_LEDGER_UNIT];
    return (world_cells){at, w->units[handle]};
}

static world_cells cells_of(world *w, uint32_t node, uint32_t r, uint32_t handle)
{
    const hsi_range *range = hsi_ledger_range(w->ledger, node, r);

    return cells_at(w, node, (hsi_address){range->at, range->offset, range->chunk}, handle);
}

static void make_transfers(world *w, const hsi_entered *entered)
{
    for (size_t i = 0; i < entered->count; i++) {
        const hsi_transfer_op *op = &entered->transfer[i];
        world_step             step = {.waits = op->waits};

        ck_assert_uint_ne(op->from, op->to);
        ck_assert(op->from == HSI_LEDGER_HOST || entered->locked >> op->from & 1);
        ck_assert(op->to == HSI_LEDGER_HOST || entered->locked >> op->to & 1);
        ck_assert_uint_le(op->first_wait + op->waits, entered->waits);
        step.from = cells_at(w, op->from, op->source, op->handle);
        step.to = cells_at(w, op->to, op->target, op->handle);
        memcpy(step.wait, entered->wait + op->first_wait, op->waits * sizeof *step.wait);
        add_step(w, op->step, &step, entered->locked);
    }
}

/* Wait for the steps that use a range of the host; return their number. */
static size_t wait_for_host_range(world *w, uint32_t range, bool write)
{
    hsi_moment step[WORLD_WAITS];
    size_t     count = hsi_ledger_order(w->ledger, HSI_LEDGER_HOST, range, write, HS_NONE, step);

    for (size_t i = 0; i < count; i++) {
        complete(w, step[i]);
        tell_reached(w, step[i].stream);
    }
    w->waits++;
    return count;
}

/* The lists of a call. */
typedef struct call {
    hsi_transfer_op transfer[MOST_TRANSFERS];
    hsi_moment      wait[MOST_WAITS];
} call;

static hsi_entered prepare(call *c, size_t room, uint64_t locked)
{
    return (hsi_entered){.transfer = c->transfer,
                         .room = room,
                         .wait = c->wait,
                         .wait_room = MOST_WAITS,
                         .locked = locked};
}

/* Evictions, compared with the last uses of the replicas. */

typedef enum rank { IN_USE, FARTHEST, LEAST_RECENT, INVALID } rank;

typedef struct snapshot {
    rank     rank[WORLD_HANDLES];
    uint32_t place[WORLD_HANDLES];
} snapshot;

static bool is_used_by(const hsi_use *use, unsigned uses, uint32_t handle)
{
    for (unsigned i = 0; i < uses; i++)
        if (use[i].handle == handle && (use[i].mode & HS_READ || !use[i].keep))
            return true;
    return false;
}

static snapshot take_snapshot(world *w, uint32_t node, const hsi_use *use, unsigned uses)
{
    snapshot s;

    for (uint32_t h = 0; h < w->size.handles; h++) {
        s.place[h] = hsi_ledger_range_of(w->ledger, h, node);
        if (s.place[h] == HS_NONE || hsi_ledger_range(w->ledger, node, s.place[h])->pins > 0 ||
            is_used_by(use, uses, h))
            s.rank[h] = IN_USE;
        else if (hsi_ledger_state(w->ledger, h, node) == HSI_REPLICA_INVALID)
            s.rank[h] = INVALID;
        else
            s.rank[h] = w->needed_by[node][h] < 0 ? LEAST_RECENT : FARTHEST;
    }
    return s;
}

/* Return true if replica `a` must be evicted before `b`. */
static bool goes_first(const world *w, uint32_t node, const snapshot *s, uint32_t a, uint32_t b)
{
    if (s->rank[a] != s->rank[b])
        return s->rank[a] > s->rank[b];
    if (s->rank[a] == FARTHEST && w->needed_by[node][a] != w->needed_by[node][b])
        return w->needed_by[node][a] > w->needed_by[node][b];
    return w->last_use[node][a] < w->last_use[node][b];
}

/* Check the replicas that a call has evicted; those needed by entries up to `entry` must stay. */
static void check_evictions(world *w, uint32_t node, const snapshot *s, int entry)
{
    for (uint32_t h = 0; h < w->size.handles; h++) {
        if (s->place[h] == HS_NONE || hsi_ledger_range_of(w->ledger, h, node) == s->place[h])
            continue;
        ck_assert_msg(s->rank[h] != IN_USE, "a range in use was evicted");
        ck_assert(s->rank[h] != FARTHEST || w->needed_by[node][h] > entry);
        w->evictions++;
        for (uint32_t other = 0; other < w->size.handles; other++)
            ck_assert_msg(s->rank[other] == IN_USE ||
                              hsi_ledger_range_of(w->ledger, other, node) != s->place[other] ||
                              !goes_first(w, node, s, other, h),
                          "a replica was evicted before an older one");
    }
    for (uint32_t h = 0; h < w->size.handles; h++)
        if (hsi_ledger_range_of(w->ledger, h, node) == HS_NONE)
            w->needed_by[node][h] = -1;
}

/* Record the last uses after a begin: replicas that were there first. */
static void record_uses(world *w, uint32_t node, const snapshot *s, const hsi_use *use,
                        unsigned uses, uint32_t *second_tick)
{
    for (unsigned i = 0; i < uses; i++)
        if (s->place[use[i].handle] != HS_NONE && is_used_by(&use[i], 1, use[i].handle))
            w->last_use[node][use[i].handle] = ++w->tick;
    for (unsigned i = 0; i < uses; i++) {
        if (s->place[use[i].handle] == HS_NONE &&
            hsi_ledger_range_of(w->ledger, use[i].handle, node) != HS_NONE) {
            w->last_use[node][use[i].handle] = ++w->tick;
            w->needed_by[node][use[i].handle] = -1;
        }
        second_tick[i] = ++w->tick;
    }
}

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

/* Call hsi_ledger_begin() until all locks that it asks for are held. */
static hsi_ledger_answer begin_on(world *w, world_task *task)
{
    uint64_t locked = UINT64_C(1) << task->node;

    for (;;) {
        call              c;
        size_t            room = w->size.is_small ? MOST_TRANSFERS : 1 + pick(w, MOST_TRANSFERS);
        hsi_entered       entered = prepare(&c, room, locked);
        snapshot          before = take_snapshot(w, task->node, task->use, task->uses);
        hsi_ledger_answer answer;

        task->locked = locked;
        answer = hsi_ledger_begin(w->ledger, task->node, task->use, task->uses, &entered);
        if (task->node != HSI_LEDGER_HOST) {
            check_evictions(w, task->node, &before, -1);
            if (answer != HSI_LEDGER_LOST) /* a lost input is refused before any use */
                record_uses(w, task->node, &before, task->use, task->uses, task->second_tick);
        }
        make_transfers(w, &entered);
        if (answer == HSI_LEDGER_NEED) {
            ck_assert(entered.needed & ~locked);
            locked |= entered.needed;
        } else if (answer == HSI_LEDGER_FULL) {
            ck_assert_uint_gt(entered.count, 0);
        } else if (answer == HSI_LEDGER_WAIT) {
            ck_assert_uint_gt(wait_for_host_range(w, entered.range, entered.write), 0);
        } else {
            return answer;
        }
    }
}

/* Call hsi_ledger_evict_all() until all locks that it asks for are held. */
static void evict_all(world *w, uint32_t node)
{
    uint64_t          locked = UINT64_C(1) << node;
    hsi_ledger_answer answer;

    do {
        call        c;
        hsi_entered entered = prepare(&c, 2, locked);

        answer = hsi_ledger_evict_all(w->ledger, node, &entered);
        make_transfers(w, &entered);
        locked |= entered.needed;
        if (answer == HSI_LEDGER_WAIT)
            ck_assert_uint_gt(wait_for_host_range(w, entered.range, entered.write), 0);
    } while (answer != HSI_LEDGER_OK);
    for (uint32_t h = 0; h < w->size.handles; h++) {
        uint32_t place = hsi_ledger_range_of(w->ledger, h, node);

        ck_assert(place == HS_NONE || hsi_ledger_range(w->ledger, node, place)->pins > 0);
    }
}

/* Tasks. */

static uint32_t node_of_worker(const world *w, unsigned worker)
{
    return worker < w->size.cpus ? HSI_LEDGER_HOST : worker - w->size.cpus + 1;
}

static world_task *task_at(world_worker *worker, unsigned i)
{
    return &worker->task[(worker->first + i) % WORLD_FLIGHT];
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
            const world_task *task = task_at(&w->worker[other], i);

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
    unsigned wanted = 1 + pick(w, w->size.uses);
    bool     keep = pick(w, 2);

    for (unsigned tries = 0; task->uses < wanted && tries < w->size.uses; tries++) {
        hsi_use use = {.handle = pick(w, w->size.handles),
                       .mode = (uint8_t)(HS_READ + pick(w, 3)),
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

        task->expected[i] = value_of(use->version, use->handle);
        if (use->mode & HS_READ)
            task->read[i] = cells_of(w, task->node, use->range, use->handle);
        if (use->mode & HS_WRITE)
            task->write[i] =
                cells_of(w, task->node, use->keep ? use->second : use->range, use->handle);
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
    uint32_t    stream =
        (task->node - 1) * WORLD_STREAMS + (w->size.is_small ? 0 : pick(w, WORLD_KERNEL_STREAMS));

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
    add_step(w, task->step, &step, task->locked);
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

    evict_all(w, task->node);
    answer = begin_on(w, task);
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
        ck_assert_int_eq(begin_on(w, &stale), HSI_LEDGER_STALE);
}

static void begin_task(world *w, unsigned number)
{
    world_worker     *worker = &w->worker[number];
    unsigned          index = (worker->first + worker->count) % WORLD_FLIGHT;
    bool              again = w->failed != HS_NONE;
    world_task task = {.number = again ? w->failed : w->tasks, .node = node_of_worker(w, number)};
    hsi_ledger_answer answer;

    choose_uses(w, number, &task);
    if (task.uses == 0)
        return;
    if (!w->size.is_small && pick_one_in(w, 50))
        begin_stale(w, &task);
    answer = begin_on(w, &task);
    if (answer == HSI_LEDGER_NO_ROOM && worker->count == 0)
        answer = begin_from_empty(w, &task);
    ck_assert_int_eq(answer == HSI_LEDGER_LOST, reads_lost(w, &task));
    if (answer == HSI_LEDGER_LOST || answer == HSI_LEDGER_NO_ROOM)
        return;
    ck_assert_int_eq(answer, HSI_LEDGER_OK);
    w->begins++;
    w->tasks += !again;
    w->failed = HS_NONE;
    task.fails =
        writes_in_place(&task) && w->size.has_losses && pick_one_in(w, w->size.is_small ? 2 : 8);
    find_cells(w, &task);
    worker->task[index] = task;
    worker->count++;
    if (task.node == HSI_LEDGER_HOST)
        return;
    launch(w, number, index);
    if (writes_in_place(&task))
        commit(w, &task);
}

static void forget_first(world_worker *worker)
{
    worker->first = (worker->first + 1) % WORLD_FLIGHT;
    worker->count--;
}

/* Fail a task. What it has committed is lost, and what it wrote in place, unless another node has
 * that version. */
static void fail_task(world *w, const world_task *task)
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
    const world_task *task = task_at(worker, 0);
    bool lost = hsi_ledger_input_was_lost(w->ledger, task->node, task->use, task->uses);

    ck_assert_msg(!task->read_garbage || lost, "a task read what is not the newest version");
    if (lost || task->fails)
        fail_task(w, task);
    else if (!writes_in_place(task) && pick(w, 4) > 0)
        commit(w, task);
    hsi_ledger_end(w->ledger, task->node, task->use, task->uses);
    forget_first(worker);
}

static bool may_retire(world *w, unsigned worker)
{
    return w->worker[worker].count > 0 && is_done(w, task_at(&w->worker[worker], 0)->step);
}

/* Start a task on the host: wait for its ranges, then compute. It ends at once if its inputs are
 * lost. */
static void start_on_host(world *w, unsigned number)
{
    world_worker *worker = &w->worker[number];
    world_task   *task = task_at(worker, 0);

    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];
        bool           in_place = use->mode & HS_WRITE && !use->keep;

        (void)wait_for_host_range(w, use->range, in_place);
        if (use->second != HS_NONE)
            (void)wait_for_host_range(w, use->second, true);
    }
    if (hsi_ledger_input_was_lost(w->ledger, HSI_LEDGER_HOST, task->use, task->uses)) {
        hsi_ledger_end(w->ledger, HSI_LEDGER_HOST, task->use, task->uses);
        forget_first(worker);
        return;
    }
    task->has_started = true;
    run_kernel(w, task);
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
    const world_task *task = task_at(worker, 0);
    bool              may_abort = !task->has_started || !writes_in_place(task);

    if (task->has_started && task->fails) {
        fail_task(w, task);
    } else if (task->has_started && !(may_abort && pick_one_in(w, 4))) {
        commit(w, task);
        keep_spare(w, number, task);
    }
    hsi_ledger_end(w->ledger, HSI_LEDGER_HOST, task->use, task->uses);
    forget_first(worker);
}

/* Go on with the first task of a worker. */
static void advance(world *w, unsigned number)
{
    world_worker *worker = &w->worker[number];

    if (number >= w->size.cpus) {
        if (may_retire(w, number))
            retire(w, number);
        return;
    }
    if (worker->count == 0)
        return;
    if (!task_at(worker, 0)->has_started && !pick_one_in(w, 4))
        start_on_host(w, number);
    else
        end_on_host(w, number);
}

/* Return true if a task on the host writes the handle in place. */
static bool is_overwritten(const world *w, uint32_t handle)
{
    uint32_t home = hsi_ledger_range_of(w->ledger, handle, HSI_LEDGER_HOST);

    return hsi_ledger_range(w->ledger, HSI_LEDGER_HOST, home)->overwriters > 0;
}

/* Prefetch a window of handles to a node. */
static void prefetch(world *w, uint32_t node)
{
    unsigned entries = w->size.is_small ? 1 : 1 + pick(w, 3);

    hsi_ledger_renew_window(w->ledger, node);
    for (uint32_t h = 0; h < w->size.handles; h++)
        w->needed_by[node][h] = -1;
    for (unsigned entry = 0; entry < entries; entry++) {
        hsi_use     use = {.handle = pick(w, w->size.handles), .mode = HS_READ};
        uint64_t    locked = w->size.is_small || pick(w, 2) ? UINT64_MAX : UINT64_C(1) << node;
        call        c;
        hsi_entered entered = prepare(&c, MOST_TRANSFERS, locked);
        snapshot    before = take_snapshot(w, node, &use, 1);
        hsi_ledger_answer answer;

        use.version = w->newest[use.handle];
        answer = hsi_ledger_prefetch(w->ledger, node, &use, 1, entry, &entered);
        ck_assert(answer != HSI_LEDGER_OK || use.version == HSI_VERSION_LOST ||
                  hsi_ledger_range_of(w->ledger, use.handle, node) != HS_NONE ||
                  is_overwritten(w, use.handle));
        if (node != HSI_LEDGER_HOST)
            check_evictions(w, node, &before, (int)entry);
        make_transfers(w, &entered);
        if (node == HSI_LEDGER_HOST || use.version == HSI_VERSION_LOST ||
            hsi_ledger_range_of(w->ledger, use.handle, node) == HS_NONE ||
            is_overwritten(w, use.handle))
            continue;
        if (before.place[use.handle] == HS_NONE)
            w->needed_by[node][use.handle] = -1;
        w->last_use[node][use.handle] = ++w->tick;
        if (w->needed_by[node][use.handle] < 0)
            w->needed_by[node][use.handle] = (int)entry;
    }
}

static void flush(world *w)
{
    call        c;
    hsi_entered entered = prepare(&c, 1, UINT64_MAX);
    uint32_t    handle = pick(w, w->size.handles);

    if (hsi_ledger_flush(w->ledger, handle, &entered) == HSI_LEDGER_WAIT)
        ck_assert_uint_gt(wait_for_host_range(w, entered.range, entered.write), 0);
    make_transfers(w, &entered);
}

/* The loss of a device. */

static void open_device(world *w, uint32_t node)
{
    w->chunks[node] = 1 + pick(w, w->size.chunks);
    for (unsigned c = 0; c < w->chunks[node]; c++)
        w->chunk_bytes[node][c] =
            HSI_LEDGER_UNIT *
            (size_t)(w->size.most_units + 1 + pick(w, w->size.chunk_units - w->size.most_units));
    for (uint32_t h = 0; h < w->size.handles; h++)
        w->needed_by[node][h] = -1;
    ck_assert_int_eq(hsi_ledger_open_node(w->ledger, node, w->domain[node], w->chunk_bytes[node],
                                          w->chunks[node]),
                     HS_OK);
    w->is_open[node] = true;
}

/* Spoil the memory of a lost device, and the targets of its transfers that were not complete. */
static void spoil_device(world *w, uint32_t node)
{
    for (unsigned s = 0; s < WORLD_STREAMS; s++) {
        uint32_t    stream = (node - 1) * WORLD_STREAMS + s;
        world_step *step;

        while ((step = next_step(w, stream))) {
            if (!step->is_kernel)
                spoil(w, step->to);
            w->stream[stream].done++;
        }
        w->stream[stream].told = w->stream[stream].done;
    }
    for (unsigned c = 0; c < WORLD_CHUNKS; c++)
        spoil(w, (world_cells){w->memory[node][c], WORLD_CHUNK_UNITS});
}

/* Return the number of a worker's tasks, from the first, that are complete and faultless. */
static unsigned count_good(world *w, const world_worker *worker)
{
    unsigned good = 0;

    for (; good < worker->count; good++) {
        const world_task *task = &worker->task[(worker->first + good) % WORLD_FLIGHT];

        if (!is_done(w, task->step) || task->fails ||
            hsi_ledger_input_was_lost(w->ledger, task->node, task->use, task->uses))
            break;
        ck_assert(!task->read_garbage);
    }
    return good;
}

/* End the tasks of a lost device. The first `good` ones are complete, but only what they committed
 * before remains. */
static void end_tasks_of_lost(world *w, world_worker *worker, unsigned good)
{
    for (; worker->count > 0; forget_first(worker)) {
        const world_task *task = task_at(worker, 0);

        ck_assert(hsi_ledger_input_was_lost(w->ledger, task->node, task->use, task->uses));
        ck_assert(!hsi_ledger_commit(w->ledger, task->node, task->use, task->uses, task->number));
        if (good > 0)
            good--;
        else
            fail_task(w, task);
        hsi_ledger_end(w->ledger, task->node, task->use, task->uses);
    }
}

/* Return true if a replica must survive the loss of a device: it is complete as far as the ledger
 * knows, or its own device's kernel writes it. */
static bool must_survive(world *w, uint32_t handle, uint32_t node)
{
    const hsi_range *range;

    if (!w->is_open[node] || hsi_ledger_state(w->ledger, handle, node) == HSI_REPLICA_INVALID)
        return false;
    range = hsi_ledger_range(w->ledger, node, hsi_ledger_range_of(w->ledger, handle, node));
    return range->written.number == 0 || is_done(w, range->written) ||
           range->written.number != range->copied.number ||
           range->written.stream != range->copied.stream;
}

static void lose_device(world *w, uint32_t node)
{
    bool          survives[WORLD_HANDLES] = {false};
    world_worker *worker = &w->worker[w->size.cpus + node - 1];
    unsigned      good = count_good(w, worker);

    for (uint32_t s = 0; s < w->size.devices * WORLD_STREAMS; s++)
        tell_reached(w, s);
    for (uint32_t h = 0; h < w->size.handles; h++)
        for (uint32_t v = 0; v <= w->size.devices; v++)
            survives[h] |= v != node && must_survive(w, h, v);
    hsi_ledger_lose(w->ledger, node);
    spoil_device(w, node);
    for (uint32_t h = 0; h < w->size.handles; h++) {
        bool lost = hsi_ledger_newest(w->ledger, h) == HSI_VERSION_LOST;

        ck_assert_msg(!survives[h] || !lost, "a handle was lost without need");
        w->lost_handles += lost && w->newest[h] != HSI_VERSION_LOST;
        if (lost)
            w->newest[h] = HSI_VERSION_LOST;
    }
    end_tasks_of_lost(w, worker, good);
    w->is_open[node] = false;
    w->losses++;
}

/* Actions. */

static void check_versions(const world *w)
{
    const char *why = hsi_ledger_check(w->ledger);

    ck_assert_msg(!why, "%s", why);
    for (uint32_t h = 0; h < w->size.handles; h++)
        ck_assert_uint_eq(hsi_ledger_newest(w->ledger, h), w->newest[h]);
}

static uint32_t pick_device(world *w)
{
    return 1 + pick(w, w->size.devices);
}

static void execute_some_step(world *w)
{
    uint32_t may[WORLD_ALL_STREAMS];
    unsigned count = 0;

    for (uint32_t s = 0; s < w->size.devices * WORLD_STREAMS; s++)
        if (may_execute(w, s))
            may[count++] = s;
    if (count == 0)
        return;
    execute(w, may[pick(w, count)]);
    if (w->size.is_small || pick(w, 2))
        tell_reached(w, pick(w, w->size.devices * WORLD_STREAMS));
}

/* Act on one device: prefetch, evict all, lose it or open it again. */
static void act_on_device(world *w)
{
    uint32_t node = pick_device(w);

    if (!w->is_open[node]) {
        open_device(w, node);
        return;
    }
    if (pick_one_in(w, 2))
        prefetch(w, node);
    else if (!w->size.has_losses || pick(w, w->size.is_small ? 2 : 8) > 0)
        evict_all(w, node);
    else
        lose_device(w, node);
}

void world_act(world *w)
{
    unsigned workers = w->size.cpus + w->size.devices, worker = pick(w, workers);

    switch (pick(w, w->size.devices == 0 ? 2 : w->size.is_small ? 6 : 8)) {
    case 0:
        if ((worker < w->size.cpus ? w->worker[worker].count == 0
                                   : w->is_open[worker - w->size.cpus + 1] &&
                                         w->worker[worker].count < w->size.flight))
            begin_task(w, worker);
        break;
    case 1:
        advance(w, worker);
        break;
    case 2:
        act_on_device(w);
        break;
    case 3:
        flush(w);
        break;
    case 4:
        prefetch(w, HSI_LEDGER_HOST);
        break;
    default:
        execute_some_step(w);
    }
    check_versions(w);
}

void world_settle(world *w)
{
    bool is_busy;

    do {
        complete_all(w);
        is_busy = false;
        for (unsigned i = 0; i < w->size.cpus + w->size.devices; i++) {
            advance(w, i);
            is_busy |= w->worker[i].count > 0;
        }
        check_versions(w);
    } while (is_busy);
    complete_all(w);
    for (uint32_t h = 0; h < w->size.handles; h++)
        for (uint32_t v = 0; v <= w->size.devices; v++) {
            uint32_t place = hsi_ledger_range_of(w->ledger, h, v);

            if (hsi_ledger_state(w->ledger, h, v) != HSI_REPLICA_INVALID)
                ck_assert_msg(have_value(cells_of(w, v, place, h), value_of(w->newest[h], h)),
                              "a valid replica is not the newest version");
            if (v > 0 && place != HS_NONE)
                ck_assert_uint_eq(hsi_ledger_range(w->ledger, v, place)->pins, 0);
        }
}

static void place_handles(world *w)
{
    const size_t room = (size_t)WORLD_UNITS * HSI_LEDGER_UNIT;

    for (uint32_t h = 0; h < w->size.handles; h++) {
        w->units[h] = 1 + pick(w, w->size.most_units);
        w->newest[h] = HS_NONE;
        hsi_ledger_place(w->ledger, h, (double)w->units[h] * HSI_LEDGER_UNIT, w->host[h], room);
        fill_cells((world_cells){w->host[h], w->units[h]}, value_of(HS_NONE, h));
    }
    for (unsigned i = 0; i < WORLD_SPARES; i++)
        w->spare[i] = hsi_ledger_place_spare(w->ledger, i, w->host[WORLD_HANDLES + i], room);
}

void world_open(world *w, const world_size *size, unsigned (*choose)(void *, unsigned), void *data)
{
    hsi_ledger_size ledger = {.handles = size->handles,
                              .nodes = size->devices + 1,
                              .streams = WORLD_STREAMS,
                              .in = WORLD_IN,
                              .out = WORLD_OUT,
                              .spares = WORLD_SPARES};

    memset(w, 0, offsetof(world, queue));
    w->size = *size;
    w->pick = choose;
    w->data = data;
    w->failed = HS_NONE;
    ck_assert_int_eq(hsi_ledger_create(&ledger, &w->ledger), HS_OK);
    place_handles(w);
    w->is_open[HSI_LEDGER_HOST] = true;
    for (uint32_t node = 1; node <= size->devices; node++) {
        w->domain[node] = pick(w, node); /* the first device's domain is 0 */
        open_device(w, node);
    }
    for (uint32_t node = 2; node <= size->devices; node++)
        for (uint32_t other = 1; other < node; other++)
            if (w->domain[node] == w->domain[other] && pick(w, 2)) {
                hsi_ledger_link_peers(w->ledger, node, other);
                w->peers[node] |= UINT64_C(1) << other;
            }
    check_versions(w);
}

void world_close(world *w)
{
    hsi_ledger_free(w->ledger);
}

/* State hashes. */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Return a value, or one number for all garbage. */
static uint32_t without_number(uint32_t value)
{
    return value & GARBAGE ? GARBAGE : value;
}

static uint64_t hash_cells(uint64_t hash, const uint32_t *at, unsigned units)
{
    for (unsigned u = 0; u < units; u++)
        hash = mix(hash, without_number(at[u]));
    return hash;
}

static uint64_t hash_task(uint64_t hash, const world_task *task)
{
    hash = mix(hash, task->number << 3 | (uint32_t)task->fails << 2 |
                         (uint32_t)task->has_started << 1 | task->read_garbage);
    for (unsigned i = 0; i < task->uses; i++) {
        const hsi_use *use = &task->use[i];

        hash = mix(hash, use->handle << 4 | (uint32_t)use->mode << 1 | use->keep);
        hash = mix(hash, (uint64_t)use->range << 32 | use->second);
    }
    return mix(hash, task->step.number << 8 | task->step.stream);
}

static uint64_t hash_ledger(uint64_t hash, const world *w)
{
    const hsi_range *range;

    for (uint32_t h = 0; h < w->size.handles; h++) {
        hash = mix(hash, hsi_ledger_newest(w->ledger, h));
        for (uint32_t v = 0; v <= w->size.devices; v++) {
            hash = mix(hash, (uint64_t)hsi_ledger_state(w->ledger, h, v) << 32 |
                                 hsi_ledger_range_of(w->ledger, h, v));
            hash = mix(hash, (uint64_t)w->is_open[v] << 32 | (uint32_t)w->needed_by[v][h]);
        }
    }
    for (uint32_t v = 0; v <= w->size.devices; v++)
        for (uint32_t r = 0; (range = hsi_ledger_range(w->ledger, v, r)); r++) {
            hash = mix(hash, range->offset << 20 | range->bytes << 4 | range->pins);
            hash = mix(hash, range->written.number << 8 | range->written.stream);
            hash = mix(hash, (uint64_t)range->losses << 32 | range->handle);
            hash = mix(hash, (uint64_t)range->older << 32 | range->newer);
            hash = mix(hash, range->origins << 8 | range->copied.stream);
            hash = mix(hash, range->copied.number);
            for (uint32_t s = 0; s < w->size.devices * WORLD_STREAMS; s++)
                hash = mix(hash, range->used[s]);
        }
    return hash;
}

/* What a stream has to execute, and what the ledger knows of it. */
static uint64_t hash_stream(uint64_t hash, const world *w, uint32_t stream)
{
    const world_stream *s = &w->stream[stream];

    hash = mix(mix(mix(hash, s->last), s->done), s->told);
    for (uint64_t number = s->done + 1; number <= s->last; number++) {
        const world_step *step = &w->queue[stream][number % WORLD_QUEUE];

        hash = mix(hash, (uint64_t)step->is_kernel << 32 | step->worker << 8 | step->task);
        for (size_t i = 0; i < step->waits; i++)
            hash = mix(hash, step->wait[i].number << 8 | step->wait[i].stream);
    }
    return hash;
}

uint64_t world_hash(const world *w)
{
    uint64_t hash = hash_ledger(mix(w->tasks, w->failed), w);

    for (uint32_t v = 1; v <= w->size.devices; v++)
        hash = mix(mix(hash, w->domain[v]), w->peers[v]);

    for (unsigned i = 0; i < w->size.cpus + w->size.devices; i++)
        for (unsigned k = 0; k < w->worker[i].count; k++)
            hash = hash_task(mix(hash, i),
                             &w->worker[i].task[(w->worker[i].first + k) % WORLD_FLIGHT]);
    for (uint32_t s = 0; s < WORLD_ALL_STREAMS; s++)
        hash = hash_stream(hash, w, s);
    for (unsigned i = 0; i < WORLD_HANDLES + WORLD_SPARES; i++)
        hash = hash_cells(hash, w->host[i], w->size.most_units);
    for (uint32_t v = 1; v <= w->size.devices; v++)
        for (unsigned c = 0; c < w->size.chunks; c++)
            hash = hash_cells(hash, w->memory[v][c], w->size.chunk_units);
    return hash;
}
