/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters over time: the number of ready tasks, and the utilisation of each type: the share of its
 * workers that run a task to its end. Aborted and failed attempts do not count.
 */
#include <math.h>
#include <stdlib.h>

#include "core/idle.h"
#include "picture/trace/trace.h"

enum { EVENTS_MOST = 10000 }; /* largest number of events per counter; more slow viewers down */

/*
 * A counter being written. The last value is held back: of several values within `width`
 * nanoseconds only the last is written.
 */
typedef struct counter {
    hsi_trace  *t;
    hsi_track   track;
    const char *name, *key;
    double      width;
    bool        waits, begun;
    double      ns, value; /* time and value of the event held back */
    double      written;   /* value of the last event in the file */
} counter;

static counter begin(hsi_trace *t, hs_type type, const char *name, const char *key)
{
    unsigned worker = t->first + (type == HS_CPU ? 0 : t->cpus);
    double   length = hsi_trace_ns(t, hs_schedule_makespan(t->s));

    return (counter){.t = t,
                     .track = {worker, worker},
                     .name = name,
                     .key = key,
                     .width = fmax(1, length / EVENTS_MOST)};
}

static void flush(counter *c)
{
    if (c->waits && !(c->begun && c->value == c->written)) {
        hsi_trace_begin_event(c->t, "C", c->ns, c->track);
        hsi_output_format(&c->t->out, ",\"name\":\"%s\",\"args\":{\"%s\":%g}}", c->name, c->key,
                          c->value);
        c->written = c->value;
        c->begun = true;
    }
    c->waits = false;
}

/* Set the counter's value from `time` on; calls have increasing times. */
static void put(counter *c, double time, double value)
{
    double ns = hsi_trace_ns(c->t, time);

    if (floor(ns / c->width) > floor(c->ns / c->width))
        flush(c);
    c->waits = true;
    c->ns = ns;
    c->value = value;
}

static hs_status put_ready(hsi_trace *t)
{
    counter     c = begin(t, t->cpus > 0 ? HS_CPU : HS_GPU, "tasks", "ready");
    hsi_ready_counts b;
    hs_status        st = hsi_ready_counts_open(&b, t->in, t->s);

    for (size_t i = 0; st == HS_OK && i < b.count && !hsi_output_failed(&t->out); i++)
        put(&c, b.time[i], b.ready[HSI_READY_ANY][i]);
    flush(&c);
    hsi_ready_counts_close(&b);
    return st;
}

/* The begin or the end of a run. */
typedef struct change {
    double time;
    int    by; /* change of the number of busy workers: 1 or -1 */
} change;

static int by_time(const void *a, const void *b)
{
    const change *x = a, *y = b;

    return (x->time > y->time) - (x->time < y->time);
}

static size_t add_runs(const hs_schedule *s, unsigned worker, change *changes)
{
    size_t          count, added = 0;
    const hs_entry *e = hs_schedule_entries(s, worker, &count);

    for (size_t i = 0; i < count; i++)
        if (e[i].state == HS_RUN) {
            changes[added++] = (change){e[i].start, 1};
            changes[added++] = (change){e[i].end, -1};
        }
    return added;
}

static hs_status put_utilisation(hsi_trace *t, hs_type type)
{
    unsigned from = type == HS_CPU ? 0 : t->cpus, workers = type == HS_CPU ? t->cpus : t->gpus;
    counter  c = begin(t, type, "utilisation", "percent");
    change  *changes = malloc((2 * hs_schedule_entry_count(t->s) + 1) * sizeof *changes);
    size_t   count = 0;
    long     running = 0;

    if (!changes)
        return HS_ENOMEM;
    for (unsigned w = from; w < from + workers; w++)
        count += add_runs(t->s, w, changes + count);
    qsort(changes, count, sizeof *changes, by_time);
    put(&c, 0, 0);
    for (size_t i = 0; i < count && !hsi_output_failed(&t->out); i++) {
        running += changes[i].by;
        put(&c, changes[i].time, round(1000.0 * (double)running / workers) / 10);
    }
    flush(&c);
    free(changes);
    return HS_OK;
}

hs_status hsi_trace_write_counters(hsi_trace *t)
{
    hs_status st = put_ready(t);

    if (st == HS_OK && t->cpus > 0)
        st = put_utilisation(t, HS_CPU);
    if (st == HS_OK && t->gpus > 0)
        st = put_utilisation(t, HS_GPU);
    return st;
}
