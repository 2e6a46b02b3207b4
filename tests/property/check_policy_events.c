/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Policies under random events: tasks end at any time in any way, workers retire, tasks are skipped
 * before the start, requests are repeated. A model of every call and decision checks the contract
 * of policy.h.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "sample.h"
#include "suite.h"

enum { MOST_TASKS = 40, MOST_WORKERS = 4, NOBODY = -1 };

typedef enum task_state {
    WAITING, /* not started */
    RUNNING,
    KEPT, /* state of a task that was aborted and is reserved for a thief */
    OVER  /* final state of a task: done, skipped, dropped or stranded */
} task_state;

typedef struct model_task {
    task_state state;
    int        worker;  /* worker of a task in state RUNNING, or thief of a task in state KEPT */
    bool       started; /* whether the task was started at least once */
} model_task;

typedef struct model_worker {
    int task;   /* running task, or NOBODY */
    int    thief;  /* thief of the running task; NOBODY: none */
    int    victim; /* victim of this worker's spoliation; NOBODY: none */
    bool   asked;  /* whether the running task must be aborted */
    bool retired;
    bool   waits; /* whether the worker decided to wait and was not woken since */
    double until;
} model_worker;

typedef struct model {
    sample               *s;
    dice                  d;
    const hs_policy_kind *kind;
    hs_policy            *policy;
    bool                  begun; /* whether the tasks done before the start have been reported */
    double                now;
    unsigned              workers;
    model_task            task[MOST_TASKS];
    model_worker          worker[2 * MOST_WORKERS];
    unsigned              in_service[2];
    hs_wake               wake; /* workers woken since the last check */
    size_t                takes, strandings, left_alone;
} model;

#define HOLDS(m, condition, ...) REQUIRE((m)->s, condition, __VA_ARGS__)

static hs_type type_of(const model *m, int worker)
{
    return (unsigned)worker < m->s->m ? HS_CPU : HS_GPU;
}

static double time_on(const model *m, hs_type type, int task)
{
    return type == HS_CPU ? m->s->p[task] : m->s->q[task];
}

static bool may_abort(const model *m, int task)
{
    return !m->s->restartable || m->s->restartable[task];
}

static void see_start(model *m, int worker, uint32_t task)
{
    model_task   *t = &m->task[task];
    model_worker *me = &m->worker[worker];

    HOLDS(m, task < m->s->n, "task %u does not exist", task);
    HOLDS(m, !me->retired, "worker %d, retired, is given task %u", worker, task);
    HOLDS(m, t->state == WAITING || (t->state == KEPT && t->worker == worker),
          "worker %d is given task %u, which is %s", worker, task,
          t->state == OVER ? "over" : "another's");
    HOLDS(m, !isinf(time_on(m, type_of(m, worker), (int)task)), "worker %d cannot run task %u",
          worker, task);
    HOLDS(m, me->victim == NOBODY, "worker %d waits for another task", worker);
    *t = (model_task){RUNNING, worker, true};
    me->task = (int)task;
    me->thief = NOBODY;
    me->asked = false;
}

static void see_spoliation(model *m, int worker, const hs_decision *decision)
{
    int           v = (int)decision->victim;
    model_worker *me = &m->worker[worker], *victim = &m->worker[v];

    HOLDS(m, decision->victim < m->workers && victim->task == (int)decision->task,
          "worker %d is to take task %u from %d, which does not run it", worker, decision->task, v);
    if (me->victim == v) /* a repeated decision */
        return;
    HOLDS(m, me->victim == NOBODY, "worker %d is to take two tasks", worker);
    HOLDS(m, !me->retired && !victim->asked, "worker %d is asked twice", v);
    HOLDS(m, type_of(m, worker) != type_of(m, v), "worker %d takes from its own type", worker);
    HOLDS(m, may_abort(m, victim->task), "task %d is not to be aborted", victim->task);
    HOLDS(m, !isinf(time_on(m, type_of(m, worker), victim->task)), "worker %d cannot run task %d",
          worker, victim->task);
    me->victim = v;
    victim->thief = worker;
    victim->asked = true;
    m->takes++;
}

/* Tell whether the policy assigns each task to a worker as soon as the task is ready. */
static bool shares_out(const hs_policy_kind *kind)
{
    static const char *const names[] = {"dualhp", "dynamic", "h-ratio", "d-rank", "dmda", "dmdas"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(hs_policy_name(kind), names[i]) == 0)
            return true;
    return false;
}

/* Check that a worker waits only if it can run no unassigned task. */
static void see_wait(model *m, int worker, const hs_decision *decision)
{
    model_worker *me = &m->worker[worker];
    size_t        i;

    HOLDS(m, decision->until > m->now, "worker %d is to ask at %g, and it is %g", worker,
          decision->until, m->now);
    HOLDS(m, me->victim == NOBODY, "worker %d forgot what it waits for", worker);
    if (me->retired) {
        HOLDS(m, isinf(decision->until), "worker %d, retired, is to ask again", worker);
        return;
    }
    for (i = 0; i < m->s->n; i++) {
        HOLDS(m, m->task[i].state != KEPT || m->task[i].worker != worker,
              "task %zu is kept for worker %d", i, worker);
        /* tasks that were given back are unassigned; without a plan and assignments, every task
         * is */
        if (m->task[i].state == WAITING && !shares_out(m->kind) &&
            (m->task[i].started || !hs_policy_needs_plan(m->kind)))
            HOLDS(m, isinf(time_on(m, type_of(m, worker), (int)i)), "worker %d could run task %zu",
                  worker, i);
    }
}

static void ask_policy(model *m, int worker)
{
    hs_decision decision = {.kind = HS_DECIDE_WAIT, .until = -1};
    uint32_t    task;

    if (dice_below(&m->d, 2) && hs_policy_take_own(m->policy, (unsigned)worker, &task)) {
        see_start(m, worker, task);
        return;
    }
    hs_policy_next(m->policy, (unsigned)worker, m->now, &decision, &m->wake);
    m->worker[worker].waits = decision.kind == HS_DECIDE_WAIT;
    m->worker[worker].until = decision.until;
    switch (decision.kind) {
    case HS_DECIDE_START:
        see_start(m, worker, decision.task);
        break;
    case HS_DECIDE_SPOLIATE:
        see_spoliation(m, worker, &decision);
        break;
    default:
        see_wait(m, worker, &decision);
    }
}

static hs_ending draw_ending(model *m, int worker)
{
    unsigned choice = dice_below(&m->d, 12);

    if (m->worker[worker].asked && choice < 7)
        return HS_ENDING_ABORTED;
    return choice == 11 ? HS_ENDING_DROPPED : choice >= 9 ? HS_ENDING_RETURNED : HS_ENDING_DONE;
}

static void end_task(model *m, int worker, hs_ending how)
{
    model_worker *me = &m->worker[worker];
    int           task = me->task, thief = me->thief;

    if (how == HS_ENDING_ABORTED && thief != NOBODY)
        m->task[task] = (model_task){KEPT, thief, true};
    else if (how == HS_ENDING_ABORTED || how == HS_ENDING_RETURNED)
        m->task[task] = (model_task){WAITING, NOBODY, true};
    else
        m->task[task] = (model_task){OVER, NOBODY, true};
    if (thief != NOBODY)
        m->worker[thief].victim = NOBODY;
    me->task = me->thief = NOBODY;
    me->asked = false;
    hs_policy_ended(m->policy, (unsigned)worker, (uint32_t)task, how, m->now, &m->wake);
    hs_policy_collect_ready(m->policy, m->now, NULL, &m->wake);
}

static void retire_worker(model *m, int worker)
{
    model_worker *me = &m->worker[worker];
    size_t        i;

    if (!me->retired)
        m->in_service[type_of(m, worker)]--;
    me->retired = true;
    if (me->victim != NOBODY)
        m->worker[me->victim].thief = NOBODY;
    me->victim = NOBODY;
    for (i = 0; i < m->s->n; i++)
        if (m->task[i].state == KEPT && m->task[i].worker == worker)
            m->task[i] = (model_task){WAITING, NOBODY, true};
    hs_policy_retire(m->policy, (unsigned)worker, &m->wake);
    if (m->begun)
        hs_policy_collect_ready(m->policy, m->now, NULL, &m->wake);
}

static bool is_stranded(const model *m, int task)
{
    return m->task[task].state == WAITING &&
           (!m->in_service[HS_CPU] || isinf(time_on(m, HS_CPU, task))) &&
           (!m->in_service[HS_GPU] || isinf(time_on(m, HS_GPU, task)));
}

/* Check that the policy reports every stranded task and no further task. */
static void collect_stranded(model *m)
{
    uint32_t task;
    size_t   i;

    while (hs_policy_take_stranded(m->policy, &task)) {
        HOLDS(m, task < m->s->n && is_stranded(m, (int)task), "task %u is not stranded", task);
        m->task[task].state = OVER;
        m->strandings++;
    }
    for (i = 0; i < m->s->n; i++)
        HOLDS(m, !is_stranded(m, (int)i), "task %zu is stranded, and nobody says so", i);
}

static void skip_some(model *m)
{
    size_t i;

    for (i = 0; i < m->s->n; i++)
        if (dice_below(&m->d, 4) == 0) {
            m->task[i].state = OVER;
            hs_policy_mark_done(m->policy, (uint32_t)i, HS_NONE);
        }
}

static int is_woken(const model *m, int worker)
{
    unsigned i;

    for (i = 0; i < m->wake.count; i++)
        if (m->wake.worker[i] == (unsigned)worker)
            return 1;
    return (int)(m->wake.types >> type_of(m, worker) & 1);
}

/* Check that a waiting worker that is not woken would be told to wait again. */
static void look_at_waiters(model *m)
{
    hs_decision decision;
    int         w;

    for (w = 0; w < (int)m->workers; w++) {
        model_worker *me = &m->worker[w];

        if (is_woken(m, w) || m->now >= me->until)
            me->waits = false;
        if (!me->waits || me->retired || dice_below(&m->d, 2))
            continue;
        hs_policy_next(m->policy, (unsigned)w, m->now, &decision, &m->wake);
        HOLDS(m, decision.kind == HS_DECIDE_WAIT, "worker %d was not woken", w);
        me->until = decision.until;
        m->left_alone++;
    }
    m->wake = (hs_wake){0};
}

static void random_event(model *m)
{
    int w = (int)dice_below(&m->d, m->workers);

    if (dice_below(&m->d, 3))
        m->now += dice_unit(&m->d) * (dice_below(&m->d, 4) ? 4 : 40);
    if (m->worker[w].task != NOBODY)
        end_task(m, w, draw_ending(m, w));
    else if (dice_below(&m->d, 60) == 0)
        retire_worker(m, w);
    else
        ask_policy(m, w);
    look_at_waiters(m);
    if (dice_below(&m->d, 10) == 0)
        collect_stranded(m);
}

static bool anything_left(const model *m)
{
    size_t i;

    for (i = 0; i < m->s->n; i++)
        if (m->task[i].state != OVER)
            return true;
    return false;
}

/* Finish without further failures: ask for each idle worker, then end every running task. */
static void finish_run(model *m)
{
    int rounds, w;

    for (rounds = 0; anything_left(m); rounds++) {
        HOLDS(m, rounds < 10 * MOST_TASKS, "it does not come to an end");
        collect_stranded(m);
        for (w = 0; w < (int)m->workers; w++)
            if (m->worker[w].task == NOBODY)
                ask_policy(m, w);
        m->now += 1;
        for (w = 0; w < (int)m->workers; w++)
            if (m->worker[w].task != NOBODY)
                end_task(m, w, m->worker[w].asked ? HS_ENDING_ABORTED : HS_ENDING_DONE);
    }
}

static void play_run(model *m)
{
    unsigned i, steps = dice_below(&m->d, 8 * MOST_TASKS);

    if (dice_below(&m->d, 8) == 0) /* worker with a failed start */
        retire_worker(m, (int)dice_below(&m->d, m->workers));
    if (dice_below(&m->d, 3) == 0)
        skip_some(m);
    m->begun = true;
    for (i = 0; i < steps; i++)
        random_event(m);
    finish_run(m);
    collect_stranded(m);
}

static void run_model(const hs_policy_kind *kind, uint64_t seed, size_t *takes, size_t *strandings,
                      size_t *left_alone)
{
    const hs_policy_settings late = {.struct_size = sizeof late, .tolerance = 0.1};
    sample       s;
    model        m = {.s = &s, .d = {seed}, .kind = kind};
    hs_schedule *plan = NULL;
    unsigned     w;

    sample_make(&s, seed, MOST_TASKS, MOST_WORKERS);
    if (seed % 2)
        sample_make_some_not_restartable(&s);
    m.workers = s.m + s.k;
    m.in_service[HS_CPU] = s.m;
    m.in_service[HS_GPU] = s.k;
    for (w = 0; w < m.workers; w++)
        m.worker[w] = (model_worker){.task = NOBODY, .thief = NOBODY, .victim = NOBODY};
    REQUIRE(&s, hs_solve(hs_algorithm_find("heteroprio"), s.in, NULL, &plan) == HS_OK, "a plan");
    REQUIRE(&s,
            hs_policy_create(kind, s.in, plan, dice_below(&m.d, 2) ? &late : NULL,
                             &m.policy) == HS_OK,
            "hs_policy_create");
    play_run(&m);
    *takes += m.takes;
    *strandings += m.strandings;
    *left_alone += m.left_alone;
    hs_policy_free(m.policy);
    hs_schedule_free(plan);
    sample_free(&s);
}

static bool takes_from_others(const hs_policy_kind *kind)
{
    return strcmp(hs_policy_name(kind), "plan") != 0 &&
           strcmp(hs_policy_name(kind), "heteroprio-ns") != 0 && !shares_out(kind);
}

START_TEST(keeps_its_word)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i);
    size_t rounds = rounds_scaled(20000), i, takes = 0, strandings = 0, left_alone = 0;

    for (i = 0; i < rounds; i++)
        run_model(kind, 46000000 + i, &takes, &strandings, &left_alone);
    if (rounds < 1000)
        return;
    ck_assert_uint_gt(strandings, rounds / 100);
    ck_assert_uint_gt(left_alone, rounds);
    if (takes_from_others(kind))
        ck_assert_uint_gt(takes, rounds / 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy events");
    TCase *cases = tcase_create("a driver without mercy");

    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, keeps_its_word, 0, (int)hs_policy_count());
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
