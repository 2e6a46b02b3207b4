/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "literal.h"
#include "naive_clock.h"

enum { NOTHING = -1, LAST_OF_LIST = 64, BINS = 64, STUCK = 256 };

/* A lesson from a completed task: actual over estimated time. */
typedef struct lesson {
    hs_type     type;
    const char *kernel; /* NULL: no kernel */
    double      ratio;
    int         wrong, bin;
} lesson;

typedef struct lane {
    double start;
    long   task, kept; /* running task; aborted task that only this worker may start */
    long   thief;      /* worker for which the running task must be aborted, or none */
    long  *list;       /* plan+steal: list of waiting tasks */
    size_t waiting;
} lane;

struct literal_policy {
    const sample *s;
    bool          lists;
    double        tolerance;
    const double *time[2];   /* estimates, by hs_type */
    char         *barred[2]; /* whether spoliation by a type is barred, by hs_type of the thief
                                and task */
    const char **kernel;     /* by task */
    lesson      *lessons;
    size_t       learnt;
    char        *queued; /* heteroprio: by task */
    lane        *lane;
};

static hs_type type_of(const literal_policy *l, unsigned worker)
{
    return worker < l->s->m ? HS_CPU : HS_GPU;
}

static int64_t priority_of_task(const literal_policy *l, long task)
{
    return l->s->priority[task];
}

static double time_until_late(const literal_policy *l, unsigned worker)
{
    return l->time[type_of(l, worker)][l->lane[worker].task];
}

static bool is_late(const literal_policy *l, unsigned worker, double now)
{
    return now > l->lane[worker].start + time_until_late(l, worker) * (1 + l->tolerance);
}

static double load_of_worker(const literal_policy *l, unsigned worker)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < l->lane[worker].waiting; i++)
        sum += l->time[type_of(l, worker)][l->lane[worker].list[i]];
    return sum;
}

/* Return the time at which a worker will have run its task and further tasks of `extra_seconds`
 * seconds. */
static double end_with_more_work(const literal_policy *l, unsigned worker, double extra_seconds,
                                 double now)
{
    const lane *a = &l->lane[worker];

    if (a->task == NOTHING)
        return now + extra_seconds;
    if (is_late(l, worker, now))
        return now + (now - a->start) + extra_seconds;
    return a->start + time_until_late(l, worker) + extra_seconds;
}

static bool stealing_helps(const literal_policy *l, unsigned worker, double extra_seconds,
                           double time, double now)
{
    if (l->lane[worker].task != NOTHING && is_late(l, worker, now))
        return now - l->lane[worker].start > time - extra_seconds;
    return now + time < end_with_more_work(l, worker, extra_seconds, now);
}

static double double_of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Return the first time after `now` from which stealing helps, without further events. */
static double when_stealing_helps(const literal_policy *l, unsigned worker, double extra_seconds,
                                  double time, double now)
{
    uint64_t low = bits_of_double(now),
             high = bits_of_double(INFINITY); /* invariant of the bisection: the condition is
                                                 false at low, true at high */

    if (l->lane[worker].task == NOTHING || isinf(time))
        return INFINITY;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (stealing_helps(l, worker, extra_seconds, time, double_of_bits(middle)))
            high = middle;
        else
            low = middle;
    }
    return double_of_bits(high);
}

static bool nearer_to_gpus(const literal_policy *l, size_t a, size_t b)
{
    int rho = literal_compare_ratios(l->s->p[a], l->s->q[a], l->s->p[b], l->s->q[b]);

    if (rho)
        return rho > 0;
    if (priority_of_task(l, (long)a) == priority_of_task(l, (long)b))
        return a < b;
    return (priority_of_task(l, (long)a) > priority_of_task(l, (long)b)) ==
           (l->s->p[a] >= l->s->q[a]);
}

static long take_from_queue(literal_policy *l, hs_type type)
{
    long   found = NOTHING;
    size_t i;

    for (i = 0; i < l->s->n; i++)
        if (l->queued[i] &&
            (found == NOTHING || nearer_to_gpus(l, i, (size_t)found) == (type == HS_GPU)))
            found = (long)i;
    if (found == NOTHING || isinf(l->time[type][found]))
        return NOTHING;
    l->queued[found] = 0;
    return found;
}

static long take_from_list(lane *from, size_t index)
{
    long task = from->list[index];

    memmove(&from->list[index], &from->list[index + 1],
            (--from->waiting - index) * sizeof *from->list);
    return task;
}

/* Remove and return the best of the last LAST_OF_LIST tasks in a worker's list, or NOTHING. */
static long steal_from(literal_policy *l, unsigned worker, hs_type type, double now)
{
    lane  *from = &l->lane[worker];
    double more = load_of_worker(l, worker), end = end_with_more_work(l, worker, more, now),
           least = INFINITY;
    size_t i, best = 0;
    bool   found = false;

    for (i = from->waiting; i-- && i + LAST_OF_LIST >= from->waiting;) {
        double time = l->time[type][from->list[i]];
        double later = fmax(end - l->time[type_of(l, worker)][from->list[i]], now + time);

        if (!stealing_helps(l, worker, more, time, now) || (found && later >= least))
            continue;
        found = true;
        best = i;
        least = later;
    }
    return found ? take_from_list(from, best) : NOTHING;
}

static long steal_for_type(literal_policy *l, hs_type type, double now)
{
    unsigned workers = l->s->m + l->s->k, tried, w;
    long     task = NOTHING;
    char    *seen = literal_allocate(workers, 1);

    for (tried = 0; tried < workers && task == NOTHING; tried++) {
        long last = NOTHING;

        for (w = 0; w < workers; w++)
            if (!seen[w] && l->lane[w].waiting &&
                (last == NOTHING ||
                 end_with_more_work(l, w, load_of_worker(l, w), now) >
                     end_with_more_work(l, (unsigned)last, load_of_worker(l, (unsigned)last), now)))
                last = w;
        if (last == NOTHING)
            break;
        seen[last] = 1;
        task = steal_from(l, (unsigned)last, type, now);
    }
    free(seen);
    return task;
}

/* Where lessons are taken from: a kernel on a type, or the whole type if the kernel has no
 * lessons. */
typedef struct lesson_source {
    const literal_policy *l;
    hs_type               type;
    const char           *kernel; /* NULL: every kernel */
} lesson_source;

static bool belongs_to_source(const lesson_source *f, const lesson *x)
{
    return x->type == f->type && (!f->kernel || (x->kernel && strcmp(x->kernel, f->kernel) == 0));
}

static size_t lessons_of(const lesson_source *f, size_t *wrong)
{
    size_t i, count = 0;

    *wrong = 0;
    for (i = 0; i < f->l->learnt; i++)
        if (belongs_to_source(f, &f->l->lessons[i])) {
            count++;
            *wrong += (size_t)f->l->lessons[i].wrong;
        }
    return count;
}

static lesson_source field_of(const literal_policy *l, hs_type type, long task)
{
    lesson_source f = {l, type, l->kernel[task]};
    size_t        wrong;

    if (!lessons_of(&f, &wrong))
        f.kernel = NULL;
    return f;
}

/* Return the bin of a ratio by linear search; bins are quarters of octaves from 2^-8 on. */
static int bin_of(double ratio)
{
    int bin = 0;

    while (bin + 1 < BINS && ratio >= ldexp(1 + (bin + 1) % 4 / 4.0, (bin + 1) / 4 - 8))
        bin++;
    return bin;
}

typedef struct pile {
    size_t count;
    double sum, limit;
} pile;

static pile pile_of(const lesson_source *f, int bin)
{
    pile   p = {0, 0, 0};
    size_t i;

    for (i = 0; i < f->l->learnt; i++)
        if (belongs_to_source(f, &f->l->lessons[i]) && f->l->lessons[i].bin == bin) {
            p.count++;
            p.sum += f->l->lessons[i].ratio;
            p.limit = fmax(p.limit, f->l->lessons[i].ratio);
        }
    if (p.limit != 1)
        p.limit *= 1.25;
    return p;
}

static hs_type other_than(hs_type type)
{
    return type == HS_CPU ? HS_GPU : HS_CPU;
}

static bool may_be_spoliated(const literal_policy *l, unsigned worker, hs_type thief)
{
    const lane *a = &l->lane[worker];

    return type_of(l, worker) != thief && a->task != NOTHING && a->thief == NOTHING &&
           (!l->s->restartable || l->s->restartable[a->task]) && !isinf(l->time[thief][a->task]) &&
           !l->barred[thief][a->task];
}

/* Return the time at which a running task exceeds that ratio of its estimate, tolerance included.
 * */
static double time_of_exceeding(const literal_policy *l, unsigned worker, double ratio)
{
    return l->lane[worker].start + ratio * (time_until_late(l, worker) * (1 + l->tolerance));
}

static double mean_remaining_ratio(const literal_policy *l, unsigned worker, const lesson_source *f,
                                   double now)
{
    double sum = 0;
    size_t count = 0;
    int    bin;

    for (bin = 0; bin < BINS; bin++) {
        pile p = pile_of(f, bin);

        if (p.count && !(now > time_of_exceeding(l, worker, p.limit))) {
            count += p.count;
            sum += p.sum;
        }
    }
    return count ? sum / (double)count : 0;
}

/* Return the expected ratio of a running task: the mean over lessons of its kernel that lasted as
 * long, else over lessons of its type, else 1 within the tolerance. 0: no lesson lasted as long. */
static double expected_ratio_of(const literal_policy *l, unsigned worker, double now)
{
    lesson_source kind = field_of(l, type_of(l, worker), l->lane[worker].task),
                  all = {l, kind.type, NULL};
    double ratio = mean_remaining_ratio(l, worker, &kind, now);

    if (!(ratio > 0))
        ratio = mean_remaining_ratio(l, worker, &all, now);
    return !(ratio > 0) && !is_late(l, worker, now) ? 1 : ratio;
}

/* Return 1 plus the fraction of wrong estimates on the opposite type; 2 without lessons. */
static double factor_of_wrong_estimates(const literal_policy *l, unsigned worker)
{
    lesson_source there = field_of(l, other_than(type_of(l, worker)), l->lane[worker].task);
    size_t        wrong, count = lessons_of(&there, &wrong);

    return count ? 1 + (double)wrong / (double)count : 2;
}

static double expected_end(const literal_policy *l, unsigned worker, double now)
{
    double ratio = expected_ratio_of(l, worker, now), spent = now - l->lane[worker].start;

    return ratio > 0 ? l->lane[worker].start + ratio * time_until_late(l, worker)
                     : now + spent / factor_of_wrong_estimates(l, worker);
}

/* Return the mean ratio in which ratios above the mean count three times. */
static double pessimistic_ratio(const lesson_source *f)
{
    double ratio, next_decision = 0;
    size_t wrong;

    if (!lessons_of(f, &wrong))
        return 1;
    do {
        double weight = 0, sum = 0;

        ratio = next_decision;
        for (int bin = 0; bin < BINS; bin++) {
            pile   p = pile_of(f, bin);
            double times = p.sum > ratio * (double)p.count ? 3 : 1;

            weight += times * (double)p.count;
            sum += times * p.sum;
        }
        next_decision = sum / weight;
    } while (next_decision > ratio);
    return ratio;
}

/* Return the pessimistic time of a running task on the opposite type. */
static double time_on_other_type(const literal_policy *l, unsigned worker)
{
    long          task = l->lane[worker].task;
    lesson_source there = field_of(l, other_than(type_of(l, worker)), task);

    return l->time[there.type][task] * pessimistic_ratio(&there);
}

/* Return the elapsed time at which a task that outlasts every lesson is spoliated: at once if the
 * opposite type is faster, else as if stuck. */
static double elapsed_until_stuck(const literal_policy *l, unsigned worker)
{
    double there = time_on_other_type(l, worker);

    return there / time_until_late(l, worker) < 1 / factor_of_wrong_estimates(l, worker)
               ? 0
               : there * STUCK * factor_of_wrong_estimates(l, worker);
}

/* Tell whether spoliation pays: the thief must end first. Lateness prolongs the thief's time alike.
 * */
static bool is_worth_spoliating(const literal_policy *l, unsigned worker, double now)
{
    double spent = now - l->lane[worker].start, there = time_on_other_type(l, worker);

    if (!(expected_ratio_of(l, worker, now) > 0))
        return spent > elapsed_until_stuck(l, worker);
    if (is_late(l, worker, now))
        there *= fmin(spent / time_until_late(l, worker), STUCK);
    return now + there < expected_end(l, worker, now);
}

static bool is_better_victim(const literal_policy *l, unsigned a, unsigned b, double now)
{
    double end_a = expected_end(l, a, now), end_b = expected_end(l, b, now);
    long   x = l->lane[a].task, y = l->lane[b].task;

    if (end_a != end_b)
        return end_a > end_b;
    return priority_of_task(l, x) != priority_of_task(l, y)
               ? priority_of_task(l, x) > priority_of_task(l, y)
               : x < y;
}

static long find_victim(const literal_policy *l, hs_type thief, double now)
{
    long     found = NOTHING;
    unsigned w;

    for (w = 0; w < l->s->m + l->s->k; w++)
        if (may_be_spoliated(l, w, thief) && is_worth_spoliating(l, w, now) &&
            (found == NOTHING || is_better_victim(l, w, (unsigned)found, now)))
            found = w;
    return found;
}

typedef enum milestone { IS_LATE, HAS_PASSED, IS_OVERDUE } milestone;

/* Return the first time at which the condition holds, after which it holds for good; `now` if it
 * holds already. */
static double first_time_when(const literal_policy *l, unsigned worker, milestone what,
                              double limit, double now)
{
    uint64_t low = bits_of_double(now), high = bits_of_double(INFINITY);
    double   t = now;

    for (;;) {
        bool holds = what == IS_LATE      ? is_late(l, worker, t)
                     : what == HAS_PASSED ? t > time_of_exceeding(l, worker, limit)
                                          : t - l->lane[worker].start > limit;

        if (holds)
            high = bits_of_double(t);
        else
            low = bits_of_double(t);
        if (high <= low + 1)
            return double_of_bits(high);
        t = double_of_bits(low + (high - low) / 2);
    }
}

/* Return the next time at which the verdict on a running task may change; a needless time is
 * harmless. */
static double next_verdict_time(const literal_policy *l, unsigned worker, double now)
{
    lesson_source fields[] = {field_of(l, type_of(l, worker), l->lane[worker].task),
                              {l, type_of(l, worker), NULL}};
    double        late = first_time_when(l, worker, IS_LATE, 0, now), until = INFINITY;
    double over = first_time_when(l, worker, IS_OVERDUE, elapsed_until_stuck(l, worker), now);
    int    i;

    until = late > now ? late : until;
    until = over > now ? fmin(until, over) : until;
    for (i = 0; i < 2 * BINS; i++) {
        pile   p = pile_of(&fields[i / BINS], i % BINS);
        double moment = p.count ? first_time_when(l, worker, HAS_PASSED, p.limit, now) : now;

        if (moment > now)
            until = fmin(until, moment);
    }
    return until;
}

static double when_to_ask(const literal_policy *l, hs_type type, double now)
{
    double   until = INFINITY;
    unsigned w;
    size_t   i;

    for (w = 0; w < l->s->m + l->s->k; w++) {
        const lane *a = &l->lane[w];

        if (may_be_spoliated(l, w, type))
            until = fmin(until, next_verdict_time(l, w, now));
        for (i = a->waiting; i-- && i + LAST_OF_LIST >= a->waiting;)
            until = fmin(until, when_stealing_helps(l, w, load_of_worker(l, w),
                                                    l->time[type][a->list[i]], now));
    }
    return until;
}

static long find_task(literal_policy *l, unsigned worker, double now)
{
    lane *me = &l->lane[worker];
    long  task = me->kept;

    me->kept = NOTHING;
    if (task != NOTHING)
        return task;
    if (!l->lists)
        return take_from_queue(l, type_of(l, worker));
    return me->waiting ? take_from_list(me, 0) : steal_for_type(l, type_of(l, worker), now);
}

static void next_decision(void *self, unsigned worker, double now, hs_decision *out)
{
    literal_policy *l = self;
    hs_type         type = type_of(l, worker);
    long            task = find_task(l, worker, now), victim;

    *out = (hs_decision){.kind = HS_DECIDE_START, .task = (uint32_t)task};
    if (task != NOTHING) {
        l->lane[worker].task = task;
        l->lane[worker].start = now;
        return;
    }
    victim = find_victim(l, type, now);
    if (victim != NOTHING) {
        l->lane[victim].thief = worker;
        *out = (hs_decision){HS_DECIDE_SPOLIATE, (uint32_t)l->lane[victim].task, (unsigned)victim,
                             0, 0};
    } else {
        *out = (hs_decision){.kind = HS_DECIDE_WAIT, .until = when_to_ask(l, type, now)};
    }
}

static void add_lesson(literal_policy *l, unsigned worker, double now)
{
    const lane *a = &l->lane[worker];
    lesson     *x = &l->lessons[l->learnt++];
    double      estimate = time_until_late(l, worker);

    *x = (lesson){type_of(l, worker), l->kernel[a->task], (now - a->start) / estimate, 0, 0};
    if (now == a->start + estimate)
        x->ratio = 1;
    x->wrong = fabs(x->ratio - 1) > l->tolerance;
    if (!x->wrong)
        x->ratio = 1;
    x->ratio = fmin(x->ratio, 256); /* larger ratios are capped */
    x->bin = bin_of(x->ratio);
}

static void task_ended(void *self, unsigned worker, uint32_t task, hs_ending how, double now)
{
    literal_policy *l = self;
    lane           *a = &l->lane[worker];
    hs_type         type = type_of(l, worker);

    if (how == HS_ENDING_ABORTED) {
        l->barred[type][task] |= (char)is_late(l, worker, now);
        l->barred[other_than(type)][task] = 1;
        l->lane[a->thief].kept = task;
    } else {
        add_lesson(l, worker, now);
    }
    a->task = a->thief = NOTHING;
}

decider literal_policy_decider(literal_policy *l)
{
    return (decider){l, NULL, next_decision, task_ended};
}

static void fill_list(lane *a, const hs_schedule *lists, unsigned worker)
{
    size_t          count, i;
    const hs_entry *entry = hs_schedule_entries(lists, worker, &count);

    a->list = literal_allocate(count + 1, sizeof *a->list);
    for (i = 0; i < count; i++)
        if (entry[i].state == HS_RUN)
            a->list[a->waiting++] = entry[i].task;
}

literal_policy *literal_policy_create(const sample *s, const hs_schedule *lists, double tolerance)
{
    literal_policy *l = literal_allocate(1, sizeof *l);
    unsigned        w;
    size_t          i;

    *l = (literal_policy){.s = s, .lists = lists != NULL, .tolerance = tolerance};
    l->time[HS_CPU] = s->p;
    l->time[HS_GPU] = s->q;
    l->barred[HS_CPU] = literal_allocate(s->n + 1, 1);
    l->barred[HS_GPU] = literal_allocate(s->n + 1, 1);
    l->lessons = literal_allocate(s->n + 1, sizeof *l->lessons);
    l->kernel = literal_allocate(s->n + 1, sizeof *l->kernel);
    for (i = 0; i < s->n; i++) {
        hs_task row;

        hs_instance_row(s->in, hs_instance_row_of(s->in, i), &row);
        l->kernel[i] = row.kernel;
    }
    l->queued = literal_allocate(s->n + 1, 1);
    memset(l->queued, 1, s->n);
    l->lane = literal_allocate((size_t)s->m + s->k, sizeof *l->lane);
    for (w = 0; w < s->m + s->k; w++) {
        l->lane[w] = (lane){.task = NOTHING, .kept = NOTHING, .thief = NOTHING};
        if (lists)
            fill_list(&l->lane[w], lists, w);
    }
    return l;
}

void literal_policy_free(literal_policy *l)
{
    unsigned w;

    for (w = 0; w < l->s->m + l->s->k; w++)
        free(l->lane[w].list);
    free(l->lane);
    free(l->queued);
    free(l->barred[HS_CPU]);
    free(l->barred[HS_GPU]);
    free(l->lessons);
    free(l->kernel);
    free(l);
}
