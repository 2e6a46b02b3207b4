/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compare the ready queue with a model that scans plain arrays. Under a virtual clock, compare the
 * schedules made with the queue with the schedules of the algorithm `heteroprio`.
 */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "property/dice.h"
#include "property/literal.h"

#include "suite.h"
#include "unit/plan_digest.h"

enum { MOST_WAITING = 300, MOST_WORKERS = 12, MOST_TASKS = 500 };

typedef struct model_run {
    hs_queue_task task;
    double   end;
    bool          running, hopeless; /* whether no worker of the other type would finish the task
                                        earlier; set until the next start */
} model_run;

typedef struct model {
    unsigned  cpus, gpus;
    double    tolerance;             /* tolerance of ratios */
    hs_queue_task waiting[MOST_WAITING]; /* tasks in order, the GPUs' end first */
    size_t    count;
    model_run worker[MOST_WORKERS];
} model;

/* Return 2^52 times the binary logarithm of a ratio, interpolated linearly between powers of 2. The
 * subnormal range is one interval, which begins with logarithm -1023 at ratio 0. */
static int64_t rough_logarithm(double ratio)
{
    const int64_t unit = (int64_t)1 << 52;
    int           exponent;
    int64_t       mantissa;

    if (isinf(ratio))
        return 1024 * unit;
    if (ratio < 0x1p-1022)
        return -1023 * unit + (int64_t)ldexp(ldexp(ratio, 1000), 74);
    mantissa = (int64_t)ldexp(frexp(ratio, &exponent), 53);
    return (exponent - 1) * unit + (mantissa - unit);
}

/* Return the cell of a task's ratio: the logarithm is cut into cells of width `tolerance`, and cell
 * 0 begins at ratio 1. */
static double cell_of(const hs_queue_task *task, double tolerance)
{
    const int64_t step = (int64_t)(tolerance * 0x1p52);
    int64_t       at;

    if (isinf(task->cpu) || isinf(task->gpu))
        return isinf(task->cpu) ? INFINITY : -INFINITY;
    at = rough_logarithm(task->cpu / task->gpu);
    return (double)(at >= 0 ? at / step : -((-at + step - 1) / step));
}

static int compare_ratios(const hs_queue_task *a, const hs_queue_task *b, double tolerance)
{
    double x, y;

    if (tolerance == 0)
        return literal_compare_ratios(a->cpu, a->gpu, b->cpu, b->gpu);
    x = cell_of(a, tolerance);
    y = cell_of(b, tolerance);
    return (x > y) - (x < y);
}

static bool nearer_to_gpus(const hs_queue_task *a, const hs_queue_task *b, double tolerance)
{
    int rho = compare_ratios(a, b, tolerance);

    if (rho != 0)
        return rho > 0;
    return a->cpu >= a->gpu ? a->priority > b->priority : a->priority < b->priority;
}

/* Insert a task behind its equals: the oldest of equal tasks is nearest to the GPUs' end. */
static void model_push(model *m, hs_queue_task task)
{
    size_t i = m->count++;

    if (m->cpus == 0)
        task.cpu = INFINITY;
    if (m->gpus == 0)
        task.gpu = INFINITY;
    for (; i > 0 && nearer_to_gpus(&task, &m->waiting[i - 1], m->tolerance); i--)
        m->waiting[i] = m->waiting[i - 1];
    m->waiting[i] = task;
}

static hs_queue_task model_remove(model *m, size_t index)
{
    hs_queue_task task = m->waiting[index];

    m->count--;
    memmove(&m->waiting[index], &m->waiting[index + 1], (m->count - index) * sizeof m->waiting[0]);
    return task;
}

/* Accept every third tag; end the search at every eleventh. */
static int is_picky(void *data, const hs_queue_handle *handle, const hs_queue_task *task)
{
    (void)data;
    (void)handle;
    return task->tag % 11 == 0 ? -1 : task->tag % 3 == 0;
}

/* Return a cost from the tag: often equal, sometimes INFINITY or NaN, rarely 0. */
static double cost_of_tag(void *data, const hs_queue_handle *handle, const hs_queue_task *task)
{
    static const double costs[] = {1, 2, 2, 3, INFINITY, 1, 2, INFINITY, 3, 4, NAN, 0, 5};

    (void)data;
    (void)handle;
    return costs[task->tag % 13];
}

/* Return the price of a task in a search: 0 for every task, or the answer of a function above. */
typedef enum search { FIRST, ACCEPTED, CHEAPEST } search;

static double price(search how, const hs_queue_task *task)
{
    int answer;

    if (how == CHEAPEST)
        return cost_of_tag(NULL, NULL, task);
    answer = how == FIRST ? 1 : is_picky(NULL, NULL, task);
    return answer > 0 ? 0 : answer < 0 ? NAN : INFINITY;
}

/* Take as the queue does: collect up to `most` tasks of the first accepted one's ratio, then choose
 * the first of least price. */
static bool model_take(model *m, hs_type type, search how, size_t most, hs_queue_task *task)
{
    size_t range[MOST_WAITING], count = 0, i, best = 0;

    for (i = 0; i < m->count; i++) {
        size_t               at = type == HS_GPU ? i : m->count - 1 - i;
        const hs_queue_task *found = &m->waiting[at];

        if (isinf(type == HS_GPU ? found->gpu : found->cpu))
            continue;
        if (count > 0 &&
            compare_ratios(&m->waiting[range[0]], found, m->tolerance) != 0)
            break;
        if (isnan(price(how, found)))
            return false;
        if (count > 0 || !isinf(price(how, found)))
            range[count++] = at;
        if (count == most || price(how, found) <= 0)
            break;
    }
    if (count == 0)
        return false;
    for (i = 1; i < count; i++)
        if (price(how, &m->waiting[range[i]]) < price(how, &m->waiting[range[best]]))
            best = i;
    *task = model_remove(m, range[best]);
    return true;
}

static bool considered_before(const model_run *a, const model_run *b)
{
    if (a->end != b->end)
        return a->end > b->end;
    if (a->task.priority != b->task.priority)
        return a->task.priority > b->task.priority;
    return a->task.tag < b->task.tag;
}

static bool model_victim(model *m, hs_type type, double now, unsigned *worker)
{
    unsigned begin = type == HS_GPU ? 0 : m->cpus;
    unsigned end = type == HS_GPU ? m->cpus : m->cpus + m->gpus;

    for (;;) {
        unsigned   w;
        model_run *first = NULL;

        for (w = begin; w < end; w++) {
            model_run *run = &m->worker[w];

            if (run->running && !run->hopeless && (!first || considered_before(run, first)))
                first = run;
        }
        if (!first)
            return false;
        if (now + (type == HS_GPU ? first->task.gpu : first->task.cpu) < first->end) {
            *worker = (unsigned)(first - m->worker);
            return true;
        }
        first->hopeless = true;
    }
}

typedef struct pair {
    model           m;
    hs_queue       *q;
    dice            d;
    uint64_t        tags;
    double          now;
    hs_queue_handle handle[MOST_TASKS]; /* handles of pushed tasks, in order of the pushes */
    uint64_t        tag[MOST_TASKS];
    size_t          pushed;
} pair;

static double draw_time(dice *d)
{
    static const double odd[] = {1e-300, 5e-324, 1e300, 0x1.fffffffffffffp-1, 1};
    unsigned            choice = dice_below(d, 8);

    if (choice == 0)
        return odd[dice_below(d, 5)];
    return choice == 1 ? dice_unit(d) : dice_between(d, 1, 5);
}

static hs_queue_task draw_task(pair *p)
{
    /* The odd factor makes tags distinct and unsorted. */
    hs_queue_task task = {p->tags++ * UINT64_C(0x9e3779b97f4a7c15), draw_time(&p->d), draw_time(&p->d),
                     (int64_t)dice_below(&p->d, 4) - 1};
    unsigned choice = dice_below(&p->d, 10);

    if (choice == 0 && p->m.cpus)
        task.gpu = INFINITY;
    else if (choice == 1 && p->m.gpus)
        task.cpu = INFINITY;
    return task;
}

static void push_both(pair *p)
{
    hs_queue_task task = draw_task(p);

    if ((p->m.cpus == 0 && isinf(task.gpu)) || (p->m.gpus == 0 && isinf(task.cpu)) ||
        p->m.count == MOST_WAITING)
        return;
    model_push(&p->m, task);
    p->tag[p->pushed] = task.tag;
    if (hs_queue_push(p->q, &task, &p->handle[p->pushed++]) != HS_OK)
        ck_abort_msg("a push failed");
}

static void take_both(pair *p, hs_type type)
{
    search   how = (search)(dice_below(&p->d, 4) % 3);
    size_t   most = how == CHEAPEST ? dice_between(&p->d, 1, 6) : 1;
    hs_queue_task expected, found = {0, 0, 0, 0}, seen;
    bool     there = model_take(&p->m, type, how, most, &expected);
    int      taken;

    if (how == FIRST &&
        (hs_queue_peek(p->q, type, &seen) != there || (there && seen.tag != expected.tag)))
        ck_abort_msg("looked at what is not taken");
    if (how == FIRST)
        taken = hs_queue_take(p->q, type, &found);
    else if (how == ACCEPTED)
        taken = hs_queue_take_if(p->q, type, is_picky, NULL, &found);
    else
        taken = hs_queue_take_best(p->q, type, most, cost_of_tag, NULL, &found);
    if (taken != there)
        ck_abort_msg("is a task there for this type? %d was right", there);
    if (there && found.tag != expected.tag)
        ck_abort_msg("took %llx, not %llx", (unsigned long long)found.tag,
                     (unsigned long long)expected.tag);
}

/* Remove a random pushed task, whether the task still waits or not. */
static void remove_both(pair *p)
{
    size_t   number = p->pushed ? dice_below(&p->d, (uint32_t)p->pushed) : 0, at = 0;
    hs_queue_task found;
    bool     there;

    if (!p->pushed)
        return;
    while (at < p->m.count && p->m.waiting[at].tag != p->tag[number])
        at++;
    there = at < p->m.count;
    if (there)
        model_remove(&p->m, at);
    if (hs_queue_remove(p->q, &p->handle[number], &found) != there)
        ck_abort_msg("was it there? %d was right", there);
    if (there && found.tag != p->tag[number])
        ck_abort_msg("another was removed");
}

static void start_both(pair *p)
{
    unsigned   w = dice_below(&p->d, p->m.cpus + p->m.gpus);
    hs_queue_task   task = draw_task(p);
    double     end = p->now + dice_between(&p->d, 0, 9);
    model_run *run = &p->m.worker[w];

    *run = (model_run){task, end, true, false};
    if (hs_queue_record_start(p->q, w, &task, end) != HS_OK)
        ck_abort_msg("a start failed");
}

static void stop_both(pair *p)
{
    unsigned w = dice_below(&p->d, p->m.cpus + p->m.gpus);

    p->m.worker[w].running = false;
    hs_queue_record_end(p->q, w);
}

static void victim_both(pair *p, hs_type type)
{
    unsigned expected = 0, found = 0;
    hs_queue_task task;
    bool     there = model_victim(&p->m, type, p->now, &expected);

    if (hs_queue_find_victim(p->q, type, p->now, &found, &task) != there)
        ck_abort_msg("is there a victim? %d was right", there);
    if (there && (found != expected || task.tag != p->m.worker[found].task.tag))
        ck_abort_msg("the victim is worker %u, not %u", expected, found);
}

static void apply_random_operation(pair *p, unsigned pushes)
{
    unsigned choice = dice_below(&p->d, 11 + pushes);

    p->now += dice_below(&p->d, 3) == 0;
    switch (choice) {
    case 0:
    case 1:
        take_both(p, HS_CPU);
        break;
    case 2:
    case 3:
        take_both(p, HS_GPU);
        break;
    case 4:
    case 5:
        start_both(p);
        break;
    case 6:
        stop_both(p);
        break;
    case 7:
        victim_both(p, HS_CPU);
        break;
    case 8:
        victim_both(p, HS_GPU);
        break;
    case 9:
        remove_both(p);
        break;
    default:
        push_both(p);
    }
    if (hs_queue_size(p->q) != p->m.count)
        ck_abort_msg("the size is %zu, not %zu", hs_queue_size(p->q), p->m.count);
}

static void run_pair(uint64_t seed)
{
    static const double tolerances[] = {0, 0, 1e-12, 1e-3, 0.3, 1};
    hs_queue_settings   settings;
    pair     p = {.d = {seed}};
    unsigned i, steps = dice_between(&p.d, 10, 400), pushes = dice_between(&p.d, 0, 12);

    do {
        p.m.cpus = dice_below(&p.d, MOST_WORKERS / 2 + 1);
        p.m.gpus = dice_below(&p.d, MOST_WORKERS / 2 + 1);
    } while (p.m.cpus + p.m.gpus == 0);
    hs_queue_settings_init(&settings);
    settings.tolerance = p.m.tolerance = tolerances[seed % 6];
    ck_assert_int_eq(
        hs_queue_create_with(p.m.cpus, p.m.gpus, dice_below(&p.d, 50), &settings, &p.q), HS_OK);
    for (i = 0; i < steps; i++)
        apply_random_operation(&p, pushes);
    while (p.m.count) /* take the remaining tasks from both ends; some choices take no task */
        take_both(&p, dice_below(&p.d, 2) ? HS_GPU : HS_CPU);
    hs_queue_free(p.q);
}

START_TEST(queue_equals_its_model)
{
    size_t rounds = rounds_scaled(20000), i;

    for (i = 0; i < rounds; i++)
        run_pair(31000000 + i);
}
END_TEST

typedef struct clock_worker {
    bool   busy, gone;
    double free_at; /* end of the current task; in an idle worker, end of the last task */
    size_t entry;
} clock_worker;

typedef struct virtual_clock {
    const sample *s;
    hs_queue     *q;
    plan          out;
    clock_worker *workers;
} virtual_clock;

static void start_task(virtual_clock *c, unsigned worker, const hs_queue_task *task, double now)
{
    double end = now + (worker < c->s->m ? task->cpu : task->gpu);

    c->workers[worker] = (clock_worker){true, false, end, c->out.count};
    plan_add_entry(&c->out, (uint32_t)task->tag, worker, now, end);
    REQUIRE(c->s, hs_queue_record_start(c->q, worker, task, end) == HS_OK, "hs_queue_record_start");
}

/* Let an idle worker take a task, else spoliate a running task, else leave for good. */
static void let_act(virtual_clock *c, unsigned worker, double now)
{
    hs_type       type = worker < c->s->m ? HS_CPU : HS_GPU;
    unsigned victim;
    hs_queue_task task;

    if (hs_queue_take(c->q, type, &task)) {
        start_task(c, worker, &task, now);
    } else if (hs_queue_find_victim(c->q, type, now, &victim, &task)) {
        hs_placement *aborted = &c->out.at[c->workers[victim].entry];

        aborted->end = now;
        aborted->state = HS_ABORTED;
        hs_queue_record_end(c->q, victim);
        c->workers[victim].busy = false;
        c->workers[victim].free_at = now;
        start_task(c, worker, &task, now);
    } else {
        c->workers[worker].gone = true;
    }
}

/* Return the worker with the smallest free_at, GPUs first among equals; -1: all have left. */
static long next_idle(const virtual_clock *c)
{
    unsigned workers = c->s->m + c->s->k, i;
    long     first = -1;

    for (i = 0; i < workers; i++) {
        unsigned w = (c->s->m + i) % workers;

        if (!c->workers[w].gone && (first < 0 || c->workers[w].free_at < c->workers[first].free_at))
            first = w;
    }
    return first;
}

static void run_clock(virtual_clock *c)
{
    size_t i;
    long   w;

    c->workers = literal_allocate(c->s->m + c->s->k, sizeof *c->workers);
    REQUIRE(c->s, hs_queue_create(c->s->m, c->s->k, 0, &c->q) == HS_OK, "hs_queue_create");
    for (i = 0; i < c->s->n; i++) {
        hs_queue_task task = {i, c->s->cpu[i], c->s->gpu[i], c->s->priority[i]};

        REQUIRE(c->s, hs_queue_push(c->q, &task, NULL) == HS_OK, "hs_queue_push");
    }
    while ((w = next_idle(c)) >= 0) {
        if (c->workers[w].busy)
            hs_queue_record_end(c->q, (unsigned)w);
        c->workers[w].busy = false;
        let_act(c, (unsigned)w, c->workers[w].free_at);
    }
    hs_queue_free(c->q);
    free(c->workers);
}

static void check_clock(const sample *s)
{
    virtual_clock c = {.s = s};
    hs_schedule  *found = NULL;
    const char   *differs;

    REQUIRE(s, hs_solve(hs_algorithm_find("heteroprio"), s->in, NULL, &found) == HS_OK, "hs_solve");
    run_clock(&c);
    differs = plan_first_difference(&c.out, found, s);
    REQUIRE(s, !differs, "the queue under a clock is not heteroprio: %s differs", differs);
    plan_free(&c.out);
    hs_schedule_free(found);
}

START_TEST(queue_under_a_clock_equals_heteroprio)
{
    size_t rounds = rounds_scaled(60000), i;
    sample s;

    for (i = 0; i < rounds; i++) {
        sample_make(&s, 32000000 + i, i % 50 ? 25 : 300, 7);
        check_clock(&s);
        sample_free(&s);
    }
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    hs_queue *q = NULL;
    hs_queue_task  task = {1, 1, 1, 0};

    ck_assert_int_eq(hs_queue_create(0, 0, 0, &q), HS_EINVAL);
    ck_assert_int_eq(hs_queue_create(HS_MAX_WORKERS + 1, 0, 0, &q), HS_EINVAL);
    ck_assert_int_eq(hs_queue_create(1, 1, (size_t)HS_MAX_TASKS + 1, &q), HS_ETOOBIG);
    ck_assert_int_eq(hs_queue_create(1, 1, 0, NULL), HS_EINVAL);
    ck_assert_ptr_null(q);
    ck_assert_int_eq(hs_queue_create(2, 0, 0, &q), HS_OK);
    task.cpu = 0;
    ck_assert_int_eq(hs_queue_push(q, &task, NULL), HS_ETIME);
    task.cpu = NAN;
    ck_assert_int_eq(hs_queue_push(q, &task, NULL), HS_ETIME);
    task.cpu = -1;
    ck_assert_int_eq(hs_queue_push(q, &task, NULL), HS_ETIME);
    task.cpu = INFINITY;
    ck_assert_int_eq(hs_queue_push(q, &task, NULL), HS_EWORKER);
    task.cpu = 1;
    ck_assert_int_eq(hs_queue_record_start(q, 2, &task, 1), HS_EINVAL);
    ck_assert_int_eq(hs_queue_record_start(q, 0, &task, NAN), HS_EINVAL);
    ck_assert_int_eq(hs_queue_record_start(q, 0, NULL, 1), HS_EINVAL);
    hs_queue_record_end(q, 0);
    hs_queue_record_end(q, 77);
    ck_assert_uint_eq(hs_queue_size(q), 0);
    hs_queue_free(q);
    hs_queue_free(NULL);
}
END_TEST

START_TEST(waiting_tasks_can_be_updated)
{
    hs_queue       *q = NULL;
    hs_queue_task        task[] = {{1, 2, 1, 0}, {2, 3, 1, 0}}, found;
    hs_queue_handle handle[2], again;

    ck_assert_int_eq(hs_queue_create(0, 1, 0, &q), HS_OK);
    ck_assert_int_eq(hs_queue_push(q, &task[0], &handle[0]), HS_OK);
    ck_assert_int_eq(hs_queue_push(q, &task[1], &handle[1]), HS_OK);
    ck_assert(hs_queue_peek(q, HS_GPU, &found) && found.tag == 1);
    ck_assert_double_eq(found.cpu, 2); /* CPU time of the push, though the queue has no CPUs */
    task[1].priority = 1;
    ck_assert_int_eq(hs_queue_update(q, &handle[1], &task[1]), HS_OK);
    ck_assert(hs_queue_peek(q, HS_GPU, &found) && found.tag == 2);
    task[0].priority = 1; /* tasks are equal now, and task 1 is older */
    ck_assert_int_eq(hs_queue_update(q, &handle[0], &task[0]), HS_OK);
    ck_assert(hs_queue_take(q, HS_GPU, &found) && found.tag == 1);
    ck_assert_int_eq(hs_queue_update(q, &handle[0], &task[0]), HS_EINVAL);
    ck_assert_int_eq(hs_queue_push(q, &task[0], &again), HS_OK); /* the new task may reuse the
                                                                    slot of a removed one */
    ck_assert_int_eq(hs_queue_remove(q, &handle[0], NULL), 0);
    task[1].gpu = 0;
    ck_assert_int_eq(hs_queue_update(q, &handle[1], &task[1]), HS_ETIME);
    ck_assert(hs_queue_remove(q, &handle[1], &found) && found.gpu == 1);
    ck_assert(hs_queue_remove(q, &again, NULL));
    ck_assert_uint_eq(hs_queue_size(q), 0);
    hs_queue_free(q);
}
END_TEST

START_TEST(equal_ratios_go_by_priority_then_by_age)
{
    static const uint64_t order[] = {2, 0, 3, 1}; /* tags of the tasks in order, the GPUs' end
                                                     first */
    static const int64_t  priorities[] = {5, 1, 9, 5};
    hs_queue             *q = NULL;
    hs_queue_task              task;
    size_t                i;

    ck_assert_int_eq(hs_queue_create(1, 1, 2, &q), HS_OK);
    for (i = 0; i < 4; i++) {
        task = (hs_queue_task){i, 2.0 * (double)(i + 1), (double)(i + 1), priorities[i]};
        ck_assert_int_eq(hs_queue_push(q, &task, NULL), HS_OK);
    }
    for (i = 0; i < 4; i++) {
        ck_assert_int_eq(hs_queue_take(q, HS_GPU, &task), 1);
        ck_assert_uint_eq(task.tag, order[i]);
    }
    ck_assert_int_eq(hs_queue_take(q, HS_GPU, &task), 0);
    ck_assert_int_eq(hs_queue_take(q, HS_CPU, &task), 0);
    hs_queue_free(q);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue");
    TCase *cases = tcase_create("ready queue");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, invalid_arguments_are_refused);
    tcase_add_test(cases, waiting_tasks_can_be_updated);
    tcase_add_test(cases, equal_ratios_go_by_priority_then_by_age);
    tcase_add_test(cases, queue_equals_its_model);
    tcase_add_test(cases, queue_under_a_clock_equals_heteroprio);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
