/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrival_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dice.h"

enum { CPUS = 2, GPUS = 2, WORKERS = CPUS + GPUS, TASKS = 150, ROOM = 12, ACCESSES = 2, HANDLES = 2 };

typedef enum task_state { TO_COME, LIVE, RUNNING, HELD, DONE, DROPPED } task_state;

typedef struct world_task {
    task_state state;
    hs_task_id id;
    double     cpu, gpu;
    int        handle[ACCESSES]; /* handles by their age in the whole run; -1: none */
    unsigned   mode[ACCESSES];
    unsigned   runs;
    bool       before[TASKS]; /* tasks that were live and precede this one */
} world_task;

typedef struct world_worker {
    int      task, prefetched; /* -1: none */
    double   start, end, until;
    bool     retired;
} world_worker;

typedef struct world {
    const hs_policy_kind *kind;
    uint64_t              seed;
    dice                  d;
    hs_policy            *policy;
    world_task            task[TASKS];
    world_worker          worker[WORKERS];
    int                   added, of_row[ROOM]; /* task by row; -1 */
    uint32_t              handle[HANDLES];
    int                   handle_age[HANDLES], handles;
    double                now, next_arrival;
    bool                  is_full;
} world;

#define REQUIRE(w, condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s, seed %llu: ", hs_policy_name((w)->kind),                          \
                    (unsigned long long)(w)->seed);                                                \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static hs_instance *make_machine(bool has_links)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_status    st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hs_builder_set_workers(b, CPUS, GPUS);
    if (st == HS_OK && has_links)
        st = hs_builder_set_link(b, HS_H2D, 0.1, 100);
    if (st == HS_OK && has_links)
        st = hs_builder_set_link(b, HS_D2H, 0.2, 50);
    if (st == HS_OK)
        st = hs_builder_finish(b, &in, NULL);
    hs_builder_free(b);
    if (st != HS_OK)
        abort();
    return in;
}

static bool precedes(const world_task *a, const world_task *b)
{
    for (int i = 0; i < ACCESSES; i++)
        for (int j = 0; j < ACCESSES; j++)
            if (a->handle[i] >= 0 && a->handle[i] == b->handle[j] &&
                (a->mode[i] | b->mode[j]) & HS_WRITE)
                return true;
    return false;
}

static bool is_live(const world_task *t)
{
    return t->state == LIVE || t->state == RUNNING || t->state == HELD;
}

static void renew_handle(world *w, int i)
{
    if (w->handles >= HANDLES)
        REQUIRE(w, hs_policy_remove_handle(w->policy, w->handle[i]) == HS_OK, "no such handle");
    w->handle_age[i] = w->handles++;
    if (hs_policy_add_handle(w->policy, 1 + dice_below(&w->d, 200), dice_below(&w->d, 1 + GPUS),
                             &w->handle[i]) != HS_OK)
        REQUIRE(w, false, "no room for a handle");
}

static void draw_task(world *w, world_task *t, hs_arrival *arrival, hs_access *access)
{
    unsigned only = dice_below(&w->d, 8);

    hs_arrival_init(arrival);
    arrival->cpu = t->cpu = only == 0 ? INFINITY : 1 + dice_below(&w->d, 6);
    arrival->gpu = t->gpu = only == 1 ? INFINITY : 0.5 * (1 + dice_below(&w->d, 6));
    arrival->priority = dice_below(&w->d, 3);
    arrival->restartable = dice_below(&w->d, 2) != 0;
    arrival->kernel = dice_below(&w->d, 4);
    arrival->access = access;
    for (int i = 0; i < ACCESSES; i++) {
        t->handle[i] = -1;
        if (dice_below(&w->d, 2) || (i > 0 && t->handle[0] < 0))
            continue;
        if (dice_below(&w->d, 20) == 0 && i == 0)
            renew_handle(w, 0);
        access[i].data = w->handle[i];
        access[i].mode = t->mode[i] = dice_between(&w->d, HS_READ, HS_READ_WRITE);
        t->handle[i] = w->handle_age[i];
        arrival->accesses++;
    }
}

/* Add the next task, after some earlier tasks, ended or not. */
static void add_task(world *w)
{
    world_task *t = &w->task[w->added];
    hs_task_id  after[3];
    hs_access   access[ACCESSES] = {{0}};
    hs_arrival  arrival;
    hs_status   st;
    bool        listed[TASKS] = {false};

    draw_task(w, t, &arrival, access);
    arrival.after = after;
    for (unsigned i = dice_below(&w->d, 4); i > 0 && w->added > 0; i--) {
        int p = w->added - 1 - (int)dice_below(&w->d, w->added > 20 ? 20 : (unsigned)w->added);

        after[arrival.predecessors++] = w->task[p].id;
        listed[p] = true;
    }
    st = hs_policy_add_task(w->policy, &arrival, &t->id);
    w->is_full = st == HS_EFULL;
    if (w->is_full)
        return;
    REQUIRE(w, st == HS_OK, "%s", hs_status_text(st));
    REQUIRE(w, t->id.task < ROOM && w->of_row[t->id.task] < 0, "row %u is in use", t->id.task);
    for (int p = 0; p < w->added; p++)
        t->before[p] = is_live(&w->task[p]) && (listed[p] || precedes(&w->task[p], t));
    t->state = LIVE;
    w->of_row[t->id.task] = w->added++;
    w->next_arrival = w->now + dice_below(&w->d, 3) * 0.5;
}

static int task_of(const world *w, uint32_t row)
{
    REQUIRE(w, row < ROOM && w->of_row[row] >= 0, "no task in row %u", row);
    return w->of_row[row];
}

/* A worker gets a task: its predecessors must be done. */
static int give(world *w, int worker, uint32_t row)
{
    int         index = task_of(w, row);
    world_task *t = &w->task[index];

    if (w->worker[worker].prefetched == index) {
        w->worker[worker].prefetched = -1;
        return index;
    }
    REQUIRE(w, t->state == LIVE, "task %d is started twice", index);
    REQUIRE(w, !isinf(worker < CPUS ? t->cpu : t->gpu), "task %d is on a wrong type", index);
    for (int p = 0; p < index; p++)
        REQUIRE(w, !t->before[p] || w->task[p].state == DONE, "task %d starts before %d", index, p);
    t->state = RUNNING;
    return index;
}

static void set_ended(world *w, int index, task_state state)
{
    w->task[index].state = state;
    w->task[index].runs += state == DONE;
    w->of_row[w->task[index].id.task] = -1;
}

static void end_task(world *w, int worker, int index, hs_ending how)
{
    uint32_t row = w->task[index].id.task;

    w->task[index].state = how == HS_ENDING_HELD ? HELD : LIVE;
    if (how == HS_ENDING_DONE || how == HS_ENDING_DROPPED)
        set_ended(w, index, how == HS_ENDING_DONE ? DONE : DROPPED);
    hs_policy_ended(w->policy, (unsigned)worker, row, how, w->now, NULL);
    if (dice_below(&w->d, 10) == 0) /* a second report must not count */
        hs_policy_ended(w->policy, (unsigned)worker, row,
                        how == HS_ENDING_HELD ? HS_ENDING_HELD : HS_ENDING_DONE, w->now, NULL);
}

static hs_ending draw_ending(world *w)
{
    switch (dice_below(&w->d, 30)) {
    case 0:
        return HS_ENDING_RETURNED;
    case 1:
        return HS_ENDING_DROPPED;
    case 2:
        return HS_ENDING_HELD;
    default:
        return HS_ENDING_DONE;
    }
}

static void end_tasks(world *w)
{
    for (int i = 0; i < TASKS; i++)
        if (w->task[i].state == HELD)
            end_task(w, 0, i, dice_below(&w->d, 4) ? HS_ENDING_DONE : HS_ENDING_DROPPED);
    for (int i = 0; i < WORKERS; i++) {
        world_worker *a = &w->worker[i];
        int           task = a->task;

        if (task < 0 || a->end > w->now)
            continue;
        a->task = -1;
        a->until = w->now;
        end_task(w, i, task, draw_ending(w));
    }
}

static void abort_victim(world *w, const hs_decision *d)
{
    world_worker *victim = &w->worker[d->victim];
    int           task = task_of(w, d->task);

    REQUIRE(w, victim->task == task || victim->prefetched == task, "worker %u lacks task %d",
            d->victim, task);
    if (victim->task == task)
        victim->task = -1;
    else
        victim->prefetched = -1;
    victim->until = w->now;
    end_task(w, (int)d->victim, task, HS_ENDING_ABORTED);
}

/* Ask an idle worker. Return true if it changed something. */
static bool ask(world *w, int worker)
{
    world_worker *a = &w->worker[worker];
    hs_decision   d;

    if (a->task >= 0 || a->retired)
        return false;
    hs_policy_next(w->policy, (unsigned)worker, w->now, &d, NULL);
    a->until = INFINITY;
    if (d.kind == HS_DECIDE_SPOLIATE) {
        abort_victim(w, &d);
        return true;
    }
    if (d.kind == HS_DECIDE_WAIT) {
        REQUIRE(w, d.until > w->now, "a wait without end");
        a->until = d.until;
        return false;
    }
    REQUIRE(w, d.start >= w->now, "no start");
    a->task = give(w, worker, d.task);
    a->start = d.start;
    a->end = d.start + (worker < CPUS ? w->task[a->task].cpu : w->task[a->task].gpu) *
                           (dice_below(&w->d, 4) ? 1 : 2.5);
    return true;
}

static void ask_all(world *w)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int i = WORKERS - 1; i >= 0; i--)
            changed |= ask(w, i);
    }
}

static void prefetch(world *w)
{
    for (int i = CPUS; i < WORKERS; i++) {
        hs_decision d;

        if (w->worker[i].task < 0 || w->worker[i].prefetched >= 0 || dice_below(&w->d, 2))
            continue;
        hs_policy_prefetch(w->policy, (unsigned)i, w->now, &d, NULL);
        if (d.kind == HS_DECIDE_START)
            w->worker[i].prefetched = give(w, i, d.task);
    }
}

static bool can_run(const world *w, const world_task *t)
{
    bool cpu = !w->worker[0].retired || !w->worker[1].retired;
    bool gpu = !w->worker[2].retired || !w->worker[3].retired;

    return (cpu && !isinf(t->cpu)) || (gpu && !isinf(t->gpu));
}

/* Take the tasks that will not run: each has a dropped predecessor, or no worker can run it. */
static void take_stranded(world *w)
{
    uint32_t row;

    while (hs_policy_take_stranded(w->policy, &row)) {
        int  index = task_of(w, row);
        bool is_dropped = !can_run(w, &w->task[index]);

        REQUIRE(w, w->task[index].state == LIVE, "task %d runs and is stranded", index);
        for (int p = 0; p < index; p++)
            is_dropped |= w->task[index].before[p] && w->task[p].state == DROPPED;
        /* a direct predecessor may be returned later than its successors */
        for (int p = 0; p < index && !is_dropped; p++)
            is_dropped = w->task[index].before[p] && w->task[p].state == LIVE;
        REQUIRE(w, is_dropped, "task %d is stranded without reason", index);
        set_ended(w, index, DROPPED);
        w->is_full = false;
    }
    for (int i = 0; i < w->added; i++)
        for (int p = 0; p < i && is_live(&w->task[i]); p++)
            REQUIRE(w, !w->task[i].before[p] || w->task[p].state != DROPPED,
                    "task %d lives without its predecessor %d", i, p);
}

static void retire_worker(world *w)
{
    int i = (int)dice_below(&w->d, WORKERS - 1);

    if (dice_below(&w->d, 60) || w->worker[i].task >= 0 || w->worker[i].retired ||
        w->worker[i].prefetched >= 0)
        return;
    w->worker[i].retired = true;
    w->worker[i].until = INFINITY;
    hs_policy_retire(w->policy, (unsigned)i, NULL);
}

/* Advance the clock to the next event. Return false if there is none. */
static bool advance(world *w)
{
    double next = w->added < TASKS && !w->is_full ? fmax(w->next_arrival, w->now) : INFINITY;

    for (int i = 0; i < WORKERS; i++)
        next = fmin(next, w->worker[i].task >= 0 ? w->worker[i].end : w->worker[i].until);
    for (int i = 0; i < TASKS; i++)
        if (w->task[i].state == HELD)
            next = fmin(next, w->now + 1);
    if (isinf(next))
        return false;
    w->now = next;
    return true;
}

static void open_world(world *w, const hs_policy_kind *kind, const hs_instance *machine)
{
    hs_policy_settings settings;
    hs_room            room;

    hs_policy_settings_init(&settings);
    settings.tolerance = dice_below(&w->d, 2) ? 0.1 : 0;
    if (hs_policy_supported_ranks(kind) >> HS_RANK_FIFO & 1 && dice_below(&w->d, 3) == 0)
        settings.rank = HS_RANK_FIFO;
    hs_room_init(&room);
    room.tasks = ROOM;
    room.accesses = ACCESSES;
    room.edges = 16;
    room.handles = HANDLES + ROOM; /* removed handles stay while tasks access them */
    REQUIRE(w, hs_policy_create_arriving(kind, machine, &room, &settings, &w->policy) == HS_OK,
            "not created");
    for (int i = 0; i < WORKERS; i++)
        w->worker[i] = (world_worker){.task = -1, .prefetched = -1};
    for (int i = 0; i < ROOM; i++)
        w->of_row[i] = -1;
    for (int i = 0; i < HANDLES; i++)
        renew_handle(w, i);
}

void arrival_world_run(const hs_policy_kind *kind, uint64_t seed)
{
    world        w = {.kind = kind, .seed = seed, .d = {seed}};
    hs_instance *machine = make_machine(dice_below(&w.d, 2) != 0);

    open_world(&w, kind, machine);
    do {
        end_tasks(&w);
        take_stranded(&w); /* a later successor does not wait for a dropped task */
        retire_worker(&w);
        w.is_full = false;
        while (w.added < TASKS && w.next_arrival <= w.now && !w.is_full)
            add_task(&w);
        hs_policy_collect_ready(w.policy, w.now, NULL, NULL);
        ask_all(&w);
        prefetch(&w);
        ask_all(&w);
        take_stranded(&w);
        ask_all(&w);
    } while (advance(&w));
    REQUIRE(&w, w.added == TASKS, "only %d tasks were added", w.added);
    for (int i = 0; i < TASKS; i++)
        REQUIRE(&w, w.task[i].state == DROPPED || w.task[i].runs == 1, "task %d did not run", i);
    REQUIRE(&w, hs_policy_live_tasks(w.policy) == 0, "%zu tasks are left",
            hs_policy_live_tasks(w.policy));
    hs_policy_free(w.policy);
    hs_instance_free(machine);
}
