/* SPDX-License-Identifier: BSD-3-Clause */

/* A run on the wall clock equals hs_policy_simulate(): the same tasks on the same workers at
 * the same times, with the same spoliations. The test sets the clock by hand, from event to
 * event. A clock thread waits until each worker is in a body or sleeps, then sets the clock
 * to the next event, and ends the body or the sleep of that event. In instances with links,
 * emulated workers wait for data of other memories, too. */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "exec/backend/backends.h"
#include "exec/run/dispatcher/dispatcher_private.h"
#include "rounds.h"
#include "suite.h"
#include "support/atomic.h"
#include "support/clock.h"

enum { MOST_WORKERS = 6, MOST_TASKS = 40 };

#define BEGINNING (INT64_C(1) << 60) /* no timed wait ends by itself */

static uint64_t the_time; /* ns; shared; 0: the clock is the real one */

int                    __real_clock_gettime(clockid_t clock, struct timespec *now);
#pragma GCC visibility push(default) /* libraries call them, too */
int                    __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int                    __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                                     const struct timespec *until);
#pragma GCC visibility pop

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC || !hsi_atomic_load64(&the_time))
        return __real_clock_gettime(clock, now);
    *now = hsi_timespec((int64_t)hsi_atomic_load64(&the_time));
    return 0;
}

static pthread_cond_t
    *signalled; /* condition of the worker whose time has come; guarded by the lock of the run */

/* Return a timeout if the clock thread signalled this condition and the time has come; else the
 * wait is interrupted. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    if (cond == signalled && (int64_t)until->tv_sec * 1000000000 + until->tv_nsec <=
                                 (int64_t)hsi_atomic_load64(&the_time))
        return ETIMEDOUT;
    return pthread_cond_wait(cond, mutex);
}

/* The present body of each worker. */
typedef struct body_state {
    bool    on; /* the worker is in a body */
    int64_t end;
    int     fd; /* event descriptor that ends the body */
} body_state;

static int                is_over; /* shared: the run is over */
static pthread_mutex_t    states_lock = PTHREAD_MUTEX_INITIALIZER;
static body_state         states[MOST_WORKERS];
static const hs_instance *truth;
static hs_body            bodies[2];

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    (void)options, (void)row, (void)error;
    *out = &bodies[type];
    return HS_OK;
}

static void enter(unsigned worker, int64_t end)
{
    pthread_mutex_lock(&states_lock);
    states[worker].on = true;
    states[worker].end = end;
    pthread_mutex_unlock(&states_lock);
}

static void leave(unsigned worker)
{
    pthread_mutex_lock(&states_lock);
    states[worker].on = false;
    pthread_mutex_unlock(&states_lock);
}

/* Wait until the clock thread ends the body; return true if the attempt is cancelled first. */
bool __wrap_hsi_wait_until(const hs_attempt *a, int64_t end);
bool __wrap_hsi_wait_until(const hs_attempt *a, int64_t end)
{
    struct pollfd any[2] = {{a->wake_fd, POLLIN, 0}, {states[a->worker].fd, POLLIN, 0}};
    uint64_t      told;

    enter(a->worker, end);
    while (poll(any, 2, -1) <= 0 || !(any[1].revents || hs_attempt_cancelled(a)))
        continue;
    if (any[1].revents) {
        ck_assert_int_eq(read(states[a->worker].fd, &told, sizeof told), sizeof told);
        return false;
    }
    leave(a->worker);
    return true;
}

static hs_outcome run(hs_backend_worker *worker, const hs_body *body, hs_attempt *a)
{
    double time = hs_instance_time(truth, a->task, body == &bodies[HS_GPU] ? HS_GPU : HS_CPU);

    (void)worker;
    return hsi_wait_until(a, (int64_t)hsi_atomic_load64(&the_time) + (int64_t)(1e9 * time))
               ? HS_OUTCOME_ABORTED
               : HS_OUTCOME_DONE;
}

static const hs_backend puppets = {
    .struct_size = sizeof(hs_backend), .name = "puppets", .body_create = body_create, .run = run};

/* Return true if each worker is in a body, sleeps or has left. Hold both locks. */
static bool is_still(const hs_exec *exec)
{
    for (unsigned w = 0; w < exec->spec.workers; w++) {
        const hsi_dispatch_state *dispatch = exec->worker[w].dispatch;
        bool                      runs = dispatch->phase == HSI_RUN || dispatch->phase == HSI_OWN;

        if (dispatch->victim || runs != states[w].on || dispatch->cause != HSI_NOT_CANCELLED)
            return false;
    }
    return true;
}

/* Return the time of the next event, and its worker: the end of a body, or the time of a
 * question to the policy. */
static int64_t next_event(const hs_exec *exec, unsigned *whose)
{
    int64_t first = HSI_FAR;

    for (unsigned w = 0; w < exec->spec.workers; w++) {
        const hsi_dispatch_state *dispatch = exec->worker[w].dispatch;
        int64_t                   at = states[w].on                  ? states[w].end
                                       : dispatch->phase == HSI_WAIT ? dispatch->until
                                                                     : HSI_FAR;

        if (at < first) {
            first = at;
            *whose = w;
        }
    }
    return first;
}

static void let_pass(hs_exec *exec)
{
    const uint64_t one = 1;
    unsigned       w = 0;
    int64_t        at = next_event(exec, &w);

    if (at == HSI_FAR)
        return;
    if (at > (int64_t)hsi_atomic_load64(&the_time))
        hsi_atomic_store64(&the_time, (uint64_t)at);
    if (states[w].on) {
        states[w].on = false;
        ck_assert_int_eq(write(states[w].fd, &one, sizeof one), sizeof one);
    } else {
        signalled = &exec->worker[w].dispatch->wake;
        pthread_cond_signal(signalled);
    }
}

/* A body that the clock thread has ended is no longer on before its worker reacts: until the worker
 * changes its phase or enters another body, the run is not still. */
static void *drive_clock(void *data)
{
    hs_exec *exec = data;

    while (!hsi_atomic_load(&is_over)) {
        hsi_lock(exec->control);
        pthread_mutex_lock(&states_lock);
        if (hsi_control_start_ns(exec->control) && is_still(exec))
            let_pass(exec);
        pthread_mutex_unlock(&states_lock);
        hsi_unlock(exec->control);
        sched_yield();
    }
    return NULL;
}

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

/* Return a random time; no two sums of such times are equal. */
static double draw_time(void)
{
    return 0.1 + (double)roll(2000000000) / 1e8;
}

typedef struct score {
    hs_instance *in, *truth;
} score;

static hs_instance *finish(hs_builder *b)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Give the instance links; a transfer takes about as long as a task. */
static void add_links(hs_builder *b, const double latency[2], const double bandwidth[3], int d2d)
{
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, latency[0], bandwidth[0]), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, latency[1], bandwidth[1]), HS_OK);
    if (d2d)
        ck_assert_int_eq(hs_builder_set_link(b, HS_D2D, latency[0], bandwidth[2]), HS_OK);
}

static void draw_links(hs_builder *b[2])
{
    const double latency[] = {0.05 * draw_time(), 0.05 * draw_time()};
    const double bandwidth[] = {draw_time(), draw_time(), draw_time()};
    int          d2d = (int)roll(2);

    add_links(b[0], latency, bandwidth, d2d);
    add_links(b[1], latency, bandwidth, d2d);
}

static bool may_take(const hs_policy_kind *kind)
{
    static const char *const names[] = {"plan+steal", "heteroprio", "hp-sp", "hp-corrected",
                                        "explore"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(hs_policy_name(kind), names[i]) == 0)
            return true;
    return false;
}

/* Draw an instance. With links, each task sends bytes to its successors, and times equal their
 * estimates, since emulated workers have no other times. GPUs then differ, and a spoliating
 * policy gets one GPU only: an abort takes no time under the virtual clock, so another GPU
 * would choose its next task meanwhile. */
static score draw(int links, const hs_policy_kind *kind)
{
    unsigned m = roll(4), k = roll(3) + !m, n = 1 + roll(MOST_TASKS - 1), density = roll(5), i, e;
    bool     wrong = roll(2) && !links;
    hs_builder *b[2] = {NULL, NULL};

    if (links && may_take(kind) && k > 1)
        k = 1;
    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(hs_builder_create(&b[i]), HS_OK);
        ck_assert_int_eq(hs_builder_set_workers(b[i], m, k), HS_OK);
    }
    for (i = 0; i < n; i++) {
        unsigned only = roll(9);
        hs_task  task = {.struct_size = sizeof task,
                         .cpu = only == 0 && k ? INFINITY : draw_time(),
                         .gpu = only == 1 && m ? INFINITY : draw_time(),
                         .priority = roll(5),
                         .kernel = roll(2) ? "a" : "b",
                         .restartable = roll(6) ? HS_RESTART_YES : HS_RESTART_NO};

        ck_assert_int_eq(hs_builder_add_row(b[0], &task), HS_OK);
        if (wrong) {
            task.cpu *= 0.4 + 1.2 * roll(1000) / 1e3;
            task.gpu *= 0.4 + 1.2 * roll(1000) / 1e3;
        }
        ck_assert_int_eq(hs_builder_add_row(b[1], &task), HS_OK);
        for (e = 0; e < density; e++)
            if (e < i && roll(2))
                ck_assert_int_eq(
                    hs_builder_add_predecessor(b[0], i, i - 1 - e, 0, links ? draw_time() : 0),
                    HS_OK);
    }
    if (links)
        draw_links(b);
    return (score){finish(b[0]), finish(b[1])};
}

/* An attempt, of the run or of the simulation. */
typedef struct note {
    double   start, end;
    uint32_t task;
    bool     is_done;
} note;

static size_t simulated(const hs_schedule *s, unsigned worker, note *notes)
{
    size_t          count;
    const hs_entry *e = hs_schedule_entries(s, worker, &count);

    for (size_t i = 0; i < count; i++)
        notes[i] = (note){e[i].start, e[i].end, e[i].task, e[i].state == HS_RUN};
    return count;
}

/* List the recorded attempts of a worker, without those aborted at the time they began: the virtual
 * clock has no such attempts. Return their number. */
static size_t recorded(const hs_exec *exec, unsigned worker, note *notes)
{
    size_t                count, kept = 0;
    const hs_exec_record *r = hs_exec_records(exec, worker, &count);

    for (; count--; r++)
        if (r->outcome == HS_OUTCOME_DONE || r->end > r->start)
            notes[kept++] = (note){r->start, r->end, r->task, r->outcome == HS_OUTCOME_DONE};
    return kept;
}

static int by_task(const void *a, const void *b)
{
    const note *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Compare worker by worker, or type by type if tasks are spoliated: a victim is idle at once
 * under the virtual clock only, and here the policy may ask another worker of the type first. */
static void compare(const char *name, const hs_schedule *expected, const hs_exec *exec,
                    unsigned from, unsigned to)
{
    static note want[64 * MOST_TASKS], got[64 * MOST_TASKS];
    size_t      count = 0, found = 0;

    for (unsigned w = from; w < to; w++) {
        count += simulated(expected, w, want + count);
        found += recorded(exec, w, got + found);
    }
    qsort(want, count, sizeof *want, by_task);
    qsort(got, found, sizeof *got, by_task);
    for (size_t i = 0; i < count && i < found; i++)
        ck_assert_msg(want[i].task == got[i].task && want[i].is_done == got[i].is_done &&
                          fabs(want[i].start - got[i].start) < 1e-5 &&
                          fabs(want[i].end - got[i].end) < 1e-5,
                      "%s: worker %u does %u (%d) from %.9g to %.9g, not %u (%d), %.9g to %.9g",
                      name, from, got[i].task, got[i].is_done, got[i].start, got[i].end,
                      want[i].task, want[i].is_done, want[i].start, want[i].end);
    ck_assert_msg(count == found, "%s: worker %u does %zu, not %zu", name, from, found, count);
}

/* A task that is spoliated before its inputs arrive is in neither list. */
static void compare_all(const char *name, const hs_schedule *expected, const hs_exec *exec,
                        bool by_type)
{
    unsigned cpus = exec->spec.cpus, workers = exec->spec.workers, w;

    if (by_type || hs_schedule_entry_count(expected) > hs_instance_tasks(exec->spec.in)) {
        compare(name, expected, exec, 0, cpus);
        compare(name, expected, exec, cpus, workers);
        return;
    }
    for (w = 0; w < workers; w++)
        compare(name, expected, exec, w, w + 1);
}

/* The recorded transfers to emulated workers are those of the simulation. */
static void compare_transfers(const char *name, const hs_schedule *expected, const hs_exec *exec)
{
    size_t             count, found;
    const hs_transfer *want = hs_schedule_transfers(expected, &count);
    const hs_transfer *got = hs_exec_transfers(exec, &found);

    ck_assert_msg(count == found, "%s: %zu transfers, not %zu", name, found, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(want[i].to == got[i].to && want[i].from == got[i].from &&
                          fabs(want[i].start - got[i].start) < 1e-5 &&
                          fabs(want[i].end - got[i].end) < 1e-5,
                      "%s: a transfer from %u to %u, %.9g to %.9g, not %u to %u, %.9g to %.9g",
                      name, got[i].from, got[i].to, got[i].start, got[i].end, want[i].from,
                      want[i].to, want[i].start, want[i].end);
}

/* Check that each wait of an emulated worker for inputs ends when its task begins. Return the
 * number of waits. */
static size_t count_waits_for_inputs(const char *name, const hs_exec *exec)
{
    size_t all = 0;

    for (unsigned w = 0; w < exec->spec.workers; w++) {
        size_t                count, records, i, k;
        const hs_wait        *wait = hs_exec_waits(exec, w, &count);
        const hs_exec_record *r = hs_exec_records(exec, w, &records);

        for (i = k = 0; i < count; i++) {
            while (k < records && r[k].task != wait[i].task)
                k++;
            ck_assert_msg(wait[i].worker == w && wait[i].victim == w && k < records &&
                              wait[i].start < wait[i].end &&
                              fabs(wait[i].end - r[k].start) < 1e-5 &&
                              (k == 0 || wait[i].start > r[k - 1].end - 1e-5),
                          "%s: worker %u waits for task %u, %.9g to %.9g", name, w, wait[i].task,
                          wait[i].start, wait[i].end);
        }
        all += count;
    }
    return all;
}

static size_t waits; /* total over all runs of a test */

static void perform(const score *s, const hs_policy_kind *kind, hs_rank rank, int links)
{
    static const hs_backend *const only[] = {&puppets};
    hs_policy_settings             policy;
    hs_exec_settings               settings;
    hs_schedule                   *plan = NULL, *expected = NULL;
    hs_exec                       *exec = NULL;
    hs_error                       error;
    pthread_t                      clock_thread;

    if (hs_policy_needs_plan(kind))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), s->in, NULL, &plan), HS_OK);
    hs_policy_settings_init(&policy);
    policy.tolerance = 0.02;
    policy.rank = rank;
    policy.transfers = 1;
    ck_assert_int_eq(hs_policy_simulate(kind, s->in, plan, s->truth, &policy, &expected, NULL),
                     HS_OK);
    hs_exec_settings_init(&settings);
    settings.decide.policy = kind;
    settings.decide.rank = rank;
    settings.place.unbound = true;
    settings.place.oversubscribe = 1;
    settings.run.backends = only;
    settings.run.backend_count = !links;
    settings.run.emulate[HS_CPU] = settings.run.emulate[HS_GPU] = links;
    settings.keep.transfers = links;
    truth = s->truth;
    signalled = NULL;
    hsi_atomic_store64(&the_time, BEGINNING);
    ck_assert_msg(hs_exec_create(s->in, plan, &settings, &exec, &error) == HS_OK, "%s", error.why);
    hsi_atomic_store(&is_over, 0);
    ck_assert_int_eq(pthread_create(&clock_thread, NULL, drive_clock, exec), 0);
    ck_assert_msg(hs_exec_run(exec, NULL, &error) == HS_OK, "%s", error.why);
    hsi_atomic_store(&is_over, 1);
    pthread_join(clock_thread, NULL);
    hsi_atomic_store64(&the_time, 0);
    compare_all(hs_policy_name(kind), expected, exec, links && may_take(kind));
    if (links && !may_take(kind)) {
        compare_transfers(hs_policy_name(kind), expected, exec);
        waits += count_waits_for_inputs(hs_policy_name(kind), exec);
    }
    hs_exec_free(exec);
    hs_schedule_free(expected);
    hs_schedule_free(plan);
}

/* With a graph, all policies but `plan` group endings; with `plan`, workers run their lists. */
START_TEST(wall_clock_run_equals_simulation)
{
    const hs_policy_kind *kind = hs_policy_at((size_t)_i / 2);
    int                   links = _i % 2;

    waits = 0;
    for (int round = 0; round < rounds(600); round++) {
        score   s;
        hs_rank rank;

        dice = (uint64_t)(round * 100 + _i / 2);
        s = draw(links, kind);
        rank = (hs_rank)roll(5);
        if (!(hs_policy_supported_ranks(kind) >> rank & 1))
            rank = HS_RANK_DEFAULT;
        if (hs_instance_has_graph(s.in) && hs_policy_supports_graphs(kind))
            perform(&s, kind, rank, links);
        hs_instance_free(s.in);
        hs_instance_free(s.truth);
    }
    ck_assert(waits > 0 || rounds(600) < 60 || !links || may_take(kind) ||
              !hs_policy_supports_graphs(kind));
}
END_TEST

static void open_parts(void)
{
    for (unsigned w = 0; w < MOST_WORKERS; w++)
        states[w] = (body_state){false, 0, eventfd(0, EFD_CLOEXEC)};
    bodies[HS_CPU].backend = bodies[HS_GPU].backend = &puppets;
}

int main(void)
{
    Suite *suite = suite_create("exec clock");
    TCase *cases = tcase_create("by hand");

    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, open_parts, NULL);
    tcase_add_loop_test(cases, wall_clock_run_equals_simulation, 0, 2 * (int)hs_policy_count());
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
