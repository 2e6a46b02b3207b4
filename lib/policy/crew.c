/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/crew.h"

#include <math.h>
#include <stdlib.h>

#define RETIRED (HSI_NONE - 1) /* a thief that is no longer there */

hs_status hsi_crew_open(hsi_crew *crew, const hsi_problem *pb, double tolerance)
{
    size_t workers = (size_t)pb->m + pb->k, size = pb->n ? pb->n : 1, w;

    *crew = (hsi_crew){.pb = pb, .tolerance = tolerance};
    crew->member = malloc(workers * sizeof *crew->member);
    crew->lesson[HS_CPU] = calloc(size, sizeof **crew->lesson);
    crew->lesson[HS_GPU] = calloc(size, sizeof **crew->lesson);
    if (!crew->member || !crew->lesson[HS_CPU] || !crew->lesson[HS_GPU]) {
        hsi_crew_close(crew);
        return HS_ENOMEM;
    }
    for (w = 0; w < workers; w++)
        crew->member[w] = (hsi_member){0, HSI_NONE, HSI_NONE, HSI_NONE, HSI_NONE};
    return HS_OK;
}

void hsi_crew_close(hsi_crew *crew)
{
    free(crew->member);
    free(crew->lesson[HS_CPU]);
    free(crew->lesson[HS_GPU]);
    *crew = (hsi_crew){0};
}

/* How long a worker's task may run before it is late. */
static double patience(const hsi_crew *crew, unsigned worker)
{
    return hsi_crew_time(crew, hsi_crew_type(crew, worker), crew->member[worker].task) *
           (1 + crew->tolerance);
}

static int is_late(const hsi_crew *crew, unsigned worker, double now)
{
    return now > crew->member[worker].start + patience(crew, worker);
}

double hsi_crew_end(const hsi_crew *crew, unsigned worker, double now)
{
    const hsi_member *m = &crew->member[worker];

    if (m->task == HSI_NONE)
        return now;
    if (is_late(crew, worker, now))
        return now + (now - m->start);
    return m->start + hsi_crew_time(crew, hsi_crew_type(crew, worker), m->task);
}

/* The first moment behind `limit` at which what began at `start` has lasted longer than `time`. */
static double after(double limit, double start, double time)
{
    double moment = fmax(nextafter(limit, INFINITY), start + time);

    while (!(moment - start > time) && !isinf(moment))
        moment = nextafter(moment, INFINITY);
    return moment;
}

double hsi_crew_worth(const hsi_crew *crew, unsigned worker, double load, double time, double now)
{
    const hsi_member *m = &crew->member[worker];
    double            end;

    if (isinf(time))
        return INFINITY;
    end = hsi_crew_end(crew, worker, now);
    if (m->task == HSI_NONE)
        return now + time < now + load ? now : INFINITY;
    if (!is_late(crew, worker, now) && now + time < end + load)
        return now;
    /* now + time < now + (now - start) + load */
    if (is_late(crew, worker, now) && now - m->start > time - load)
        return now;
    return after(m->start + patience(crew, worker), m->start, time - load);
}

double hsi_crew_worth_taking(const hsi_crew *crew, unsigned worker, double now)
{
    const hsi_member *m = &crew->member[worker];
    hs_type           other = hsi_crew_type(crew, worker) == HS_CPU ? HS_GPU : HS_CPU;

    if (m->task == HSI_NONE || m->thief != HSI_NONE || !hsi_restartable(crew->pb, m->task))
        return INFINITY;
    return hsi_crew_worth(crew, worker, 0, hsi_crew_time(crew, other, m->task), now);
}

/* Is worker a's task, expected to end at `end_a`, to be considered before b's? */
static int goes_before(const hsi_crew *crew, unsigned a, double end_a, unsigned b, double end_b)
{
    uint32_t task_a = crew->member[a].task, task_b = crew->member[b].task;
    int64_t  priority_a, priority_b;

    if (end_a != end_b)
        return end_a > end_b;
    priority_a = hsi_priority(crew->pb, task_a);
    priority_b = hsi_priority(crew->pb, task_b);
    return priority_a != priority_b ? priority_a > priority_b : task_a < task_b;
}

uint32_t hsi_crew_victim(const hsi_crew *crew, hs_type type, double now)
{
    unsigned begin = type == HS_GPU ? 0 : crew->pb->m;
    unsigned end = type == HS_GPU ? crew->pb->m : crew->pb->m + crew->pb->k, w;
    uint32_t victim = HSI_NONE;
    double   latest = 0;

    for (w = begin; w < end; w++) {
        double until;

        if (hsi_crew_worth_taking(crew, w, now) > now)
            continue;
        until = hsi_crew_end(crew, w, now);
        if (victim != HSI_NONE && !goes_before(crew, w, until, victim, latest))
            continue;
        latest = until;
        victim = w;
    }
    return victim;
}

void hsi_crew_ask(hsi_crew *crew, unsigned thief, unsigned victim)
{
    crew->member[thief].victim = victim;
    crew->member[victim].thief = thief;
}

int hsi_crew_pending(hsi_crew *crew, unsigned worker, hs_decision *out)
{
    hsi_member *m = &crew->member[worker];

    if (m->kept != HSI_NONE) {
        hs_decide_start(out, m->kept);
        m->kept = HSI_NONE;
        return 1;
    }
    if (m->victim != HSI_NONE) {
        hs_decide_take(out, crew->member[m->victim].task, m->victim);
        return 1;
    }
    return 0;
}

static void learn(hsi_crew *crew, unsigned worker, double now)
{
    const hsi_member *m = &crew->member[worker];

    if (!is_late(crew, worker, now))
        return;
    crew->lesson[hsi_crew_type(crew, worker)][m->task] = 2 * (now - m->start);
    crew->learnt = 1;
}

int hsi_crew_ended(hsi_crew *crew, unsigned worker, uint32_t task, hs_ending how, double now)
{
    hsi_member *m = &crew->member[worker];
    uint32_t    thief = m->thief;

    if (m->task != task)
        return 0;
    if (how == HS_ENDING_ABORTED)
        learn(crew, worker, now);
    m->task = m->thief = HSI_NONE;
    if (thief < RETIRED) {
        crew->member[thief].victim = HSI_NONE;
        if (how == HS_ENDING_ABORTED) {
            crew->member[thief].kept = task;
            return 0;
        }
    }
    return how == HS_ENDING_ABORTED || how == HS_ENDING_BACK;
}

int hsi_crew_retire(hsi_crew *crew, unsigned worker, uint32_t *task)
{
    hsi_member *m = &crew->member[worker];
    uint32_t    kept = m->kept;

    if (m->victim != HSI_NONE)
        crew->member[m->victim].thief = RETIRED;
    m->victim = m->kept = HSI_NONE;
    if (kept == HSI_NONE)
        return 0;
    *task = kept;
    return 1;
}
