/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "picture/task_runs.h"
#include "picture/trace/trace.h"

/* largest number of dependency arrows; more slow viewers down */
enum { DEPENDENCIES_MOST = 100000 };

static double nanoseconds_in(hs_unit unit)
{
    static const double scale[] = {1e9, 1e6, 1e3, 1};

    return scale[unit];
}

double hsi_trace_ns(const hsi_trace *t, double time)
{
    return fmin(round(time * t->scale), DBL_MAX);
}

/*
 * Return the end that viewers read. They convert microseconds to nanoseconds and truncate, so they
 * may lose a nanosecond. Lengths are computed with this end: otherwise the next event could begin
 * before the end of this event and be lost.
 */
static double end_as_read(double end)
{
    return floor(end / 1000 * 1000);
}

static double length_as_read(double start, double end)
{
    return fmax(end_as_read(end) - start, 0);
}

static void begin_event(hsi_trace *t, const char *phase, double ns)
{
    hsi_output_format(&t->out, "%s{\"ph\":\"%s\",\"ts\":%g", t->begun ? ",\n" : "[\n", phase,
                      ns / 1000);
    t->begun = true;
}

static void put_track(hsi_trace *t, hsi_track track)
{
    hsi_output_format(&t->out, ",\"pid\":%u,\"tid\":%u", track.pid, track.tid);
}

void hsi_trace_begin_event(hsi_trace *t, const char *phase, double ns, hsi_track track)
{
    begin_event(t, phase, ns);
    put_track(t, track);
}

void hsi_trace_begin_bar(hsi_trace *t, double from, double to, hsi_track track)
{
    double start = hsi_trace_ns(t, from), end = hsi_trace_ns(t, to);

    begin_event(t, "X", start);
    hsi_output_format(&t->out, ",\"dur\":%g", length_as_read(start, end) / 1000);
    put_track(t, track);
}

static hsi_track track_of(const hsi_trace *t, unsigned worker)
{
    return (hsi_track){t->first + (worker < t->cpus ? 0 : t->cpus), t->first + worker};
}

void hsi_trace_put_string(hsi_trace *t, const char *key, const char *text)
{
    hsi_output_format(&t->out, "%s\"", key);
    hsi_output_json(&t->out, text, strlen(text));
    hsi_output_char(&t->out, '"');
}

/* Write a number; infinity, which JSON lacks, becomes null. */
void hsi_trace_put_number(hsi_trace *t, const char *key, double value)
{
    if (isfinite(value))
        hsi_output_format(&t->out, "%s%g", key, value);
    else
        hsi_output_format(&t->out, "%snull", key);
}

/* Begin a metadata event; the caller writes the value and closes both objects. */
static void begin_metadata(hsi_trace *t, const char *name, hsi_track track, const char *key)
{
    hsi_trace_begin_event(t, "M", 0, track);
    hsi_output_format(&t->out, ",\"name\":\"%s\",\"args\":{\"%s\":", name, key);
}

static void put_sort_index(hsi_trace *t, const char *name, hsi_track track, unsigned order)
{
    begin_metadata(t, name, track, "sort_index");
    hsi_output_format(&t->out, "%u}}", order);
}

void hsi_trace_name_process(hsi_trace *t, hsi_track track, const char *name, unsigned order)
{
    begin_metadata(t, "process_name", track, "name");
    hsi_output_format(&t->out, "\"%s", name);
    if (hsi_picture_has_title(&t->picture)) {
        hsi_output_text(&t->out, ": ");
        hsi_output_json(&t->out, t->picture.title, strlen(t->picture.title));
    }
    hsi_output_text(&t->out, "\"}}");
    put_sort_index(t, "process_sort_index", track, order);
}

void hsi_trace_name_thread(hsi_trace *t, hsi_track track, const char *name, const char *node,
                           unsigned order)
{
    begin_metadata(t, "thread_name", track, "name");
    hsi_output_format(&t->out, "\"%s", name);
    if (node) {
        hsi_output_text(&t->out, " (");
        hsi_output_json(&t->out, node, strlen(node));
        hsi_output_char(&t->out, ')');
    }
    hsi_output_text(&t->out, "\"}}");
    put_sort_index(t, "thread_sort_index", track, order);
}

static void put_thread_names(hsi_trace *t)
{
    bool     several = hs_instance_nodes(t->in) > 1;
    unsigned cpus, gpus;
    char     name[16];

    for (unsigned w = 0; w < t->cpus + t->gpus && !hsi_output_failed(&t->out); w++) {
        size_t node = hs_instance_node_of(t->in, w);

        hs_worker_name(t->cpus, w, name);
        hsi_trace_name_thread(t, track_of(t, w), name,
                              several ? hs_instance_node(t->in, node, &cpus, &gpus) : NULL, w);
    }
}

/* Write a bound as a global instant event: viewers draw a line across the workers. */
static void put_bound(hsi_trace *t, const hs_named_bound *bound)
{
    if (!hsi_picture_has_bound(bound))
        return;
    hsi_trace_begin_event(t, "i", hsi_trace_ns(t, bound->value), track_of(t, 0));
    hsi_trace_put_string(t, ",\"s\":\"g\",\"cat\":\"bound\",\"name\":", bound->name);
    hsi_trace_put_number(t, ",\"args\":{\"bound\":", bound->value);
    hsi_output_text(&t->out, "}}");
}

/* Write the arguments of an entry; the caller closes the object. */
static void put_args(hsi_trace *t, unsigned worker, const hs_entry *e)
{
    const char *command;
    hs_task     row;

    hs_instance_row(t->in, hs_instance_row_of(t->in, e->task), &row);
    hsi_trace_put_string(t, ",\"args\":{\"task\":", t->name);
    if (row.kernel && row.kernel[0])
        hsi_trace_put_string(t, ",\"kernel\":", row.kernel);
    command = worker < t->cpus ? row.cpu_command : row.gpu_command;
    if (command && command[0])
        hsi_trace_put_string(t, ",\"command\":", command);
    hsi_trace_put_number(t, ",\"start\":", e->start);
    hsi_trace_put_number(t, ",\"end\":", e->end);
    if (!hsi_is_guessed(&row, HS_CPU))
        hsi_trace_put_number(t, ",\"cpu\":", row.cpu);
    if (!hsi_is_guessed(&row, HS_GPU))
        hsi_trace_put_number(t, ",\"gpu\":", row.gpu);
    hsi_output_text(&t->out, ",\"priority\":");
    hsi_output_i64(&t->out, row.priority);
}

static const hs_picture_failure *failure_of(const hsi_trace *t, unsigned worker, const hs_entry *e)
{
    return t->predicted ? NULL : hsi_picture_failure(&t->picture, worker, e);
}

static void put_entry(hsi_trace *t, unsigned worker, const hs_entry *e,
                      const hs_picture_failure *failure)
{
    hs_instance_name(t->in, e->task, t->name, sizeof t->name);
    hsi_trace_begin_bar(t, e->start, e->end, track_of(t, worker));
    hsi_output_text(&t->out, failure                  ? ",\"cat\":\"failed\",\"cname\":\"terrible\""
                             : e->state == HS_ABORTED ? ",\"cat\":\"aborted\",\"cname\":\"grey\""
                                                      : ",\"cat\":\"run\"");
    hsi_trace_put_string(t, ",\"name\":", t->name);
    put_args(t, worker, e);
    if (failure && failure->why)
        hsi_trace_put_string(t, ",\"failure\":", failure->why);
    hsi_output_text(&t->out, "}}");
}

static void put_arrow_end(hsi_trace *t, const char *phase, double ns, unsigned worker, size_t id,
                          const char *what)
{
    hsi_trace_begin_event(t, phase, ns, track_of(t, worker));
    hsi_output_format(&t->out, ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%zu%s}", what, what, id,
                      phase[0] == 'f' ? ",\"bp\":\"e\"" : "");
}

static const char spoliation[] = "spoliation", dependency[] = "dependency";

/*
 * Return the last nanosecond of an entry: at its end the worker's next entry would get the arrow.
 */
static double last_moment(const hsi_trace *t, const hs_entry *e)
{
    return fmax(end_as_read(hsi_trace_ns(t, e->end)) - 1, hsi_trace_ns(t, e->start));
}

static void begin_arrow(hsi_trace *t, unsigned worker, const hs_entry *e)
{
    hsi_origin o = {e->task, ++t->arrows};

    put_arrow_end(t, "s", last_moment(t, e), worker, o.id, spoliation);
    t->origins[t->origin_count++] = o;
}

static int by_task(const void *a, const void *b)
{
    const hsi_origin *x = a, *y = b;

    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Return the index of the first origin, sorted by task, whose task is at least `task`. */
static size_t first_origin(const hsi_trace *t, uint32_t task)
{
    size_t low = 0, high = t->origin_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->origins[middle].task < task)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void end_arrows(hsi_trace *t, unsigned worker, const hs_entry *e)
{
    for (size_t i = first_origin(t, e->task); i < t->origin_count; i++) {
        if (t->origins[i].task != e->task)
            break;
        put_arrow_end(t, "f", hsi_trace_ns(t, e->start), worker, t->origins[i].id, spoliation);
    }
}

static void put_worker(hsi_trace *t, unsigned worker)
{
    size_t          count;
    const hs_entry *entries = hs_schedule_entries(t->s, worker, &count);

    for (size_t i = 0; i < count && !hsi_output_failed(&t->out); i++) {
        const hs_picture_failure *failure = failure_of(t, worker, &entries[i]);

        put_entry(t, worker, &entries[i], failure);
        if (entries[i].state == HS_ABORTED && !failure)
            begin_arrow(t, worker, &entries[i]);
    }
}

/* Write bars for the times when workers waited for victims. */
static void put_waits(hsi_trace *t)
{
    for (size_t i = 0; i < t->picture.wait_count && !hsi_output_failed(&t->out); i++) {
        const hs_wait *wait = &t->picture.waits[i];
        char           victim[16];

        hs_worker_name(t->cpus, wait->victim, victim);
        hs_instance_name(t->in, wait->task, t->name, sizeof t->name);
        hsi_trace_begin_bar(t, wait->start, wait->end, track_of(t, wait->worker));
        hsi_output_format(
            &t->out, ",\"cat\":\"wait\",\"cname\":\"yellow\",\"name\":\"waits for %s\"", victim);
        hsi_trace_put_string(t, ",\"args\":{\"task\":", t->name);
        hsi_trace_put_string(t, ",\"victim\":", victim);
        hsi_trace_put_number(t, ",\"start\":", wait->start);
        hsi_trace_put_number(t, ",\"end\":", wait->end);
        hsi_output_text(&t->out, "}}");
    }
}

/* Write arrow ends after all executions: viewers tie an arrow's end to an execution read before. */
static void put_arrow_ends(hsi_trace *t)
{
    if (t->origin_count == 0)
        return;
    qsort(t->origins, t->origin_count, sizeof *t->origins, by_task);
    for (unsigned w = 0; w < t->cpus + t->gpus; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(t->s, w, &count);

        for (size_t i = 0; i < count && !hsi_output_failed(&t->out); i++)
            if (entries[i].state == HS_RUN)
                end_arrows(t, w, &entries[i]);
    }
}

/* A task whose incoming dependency arrows are written. */
typedef struct dependent {
    hsi_trace      *t;
    const hsi_runs *runs;
    uint32_t        task;
} dependent;

static int put_dependency(void *data, uint32_t before)
{
    const dependent *d = data;
    const hsi_runs  *runs = d->runs;
    hsi_trace       *t = d->t;

    if (runs->worker[before] == HS_NONE || runs->worker[d->task] == HS_NONE)
        return 0;
    t->arrows++;
    put_arrow_end(t, "s", last_moment(t, hsi_run_of(runs, before)), runs->worker[before], t->arrows,
                  dependency);
    put_arrow_end(t, "f", hsi_trace_ns(t, hsi_run_of(runs, d->task)->start), runs->worker[d->task],
                  t->arrows, dependency);
    return hsi_output_failed(&t->out);
}

/* Write at the beginning of the trace that arrows are omitted. */
static void put_no_dependencies(hsi_trace *t)
{
    hsi_trace_begin_event(t, "i", 0, track_of(t, 0));
    hsi_output_format(&t->out,
                      ",\"s\":\"g\",\"cat\":\"dependency\",\"name\":\"no arrows: more than %u "
                      "dependencies\"}",
                      DEPENDENCIES_MOST);
}

/* Write the dependencies after all executions, like other arrow ends. */
static hs_status put_dependencies(hsi_trace *t)
{
    hsi_runs  runs;
    dependent d = {t, &runs, 0};
    hs_status st = hsi_runs_open(&runs, t->in, t->s);

    if (st == HS_OK && runs.graph) {
        if (hsi_count_dependent_pairs(runs.graph, DEPENDENCIES_MOST) > DEPENDENCIES_MOST)
            put_no_dependencies(t);
        else
            for (; d.task < runs.graph->tasks && !hsi_output_failed(&t->out); d.task++)
                hsi_visit_predecessors(runs.graph, d.task, put_dependency, &d);
    }
    hsi_runs_close(&runs);
    return st;
}

static size_t count_aborted(const hs_schedule *s)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    size_t   aborted = 0;

    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            aborted += entries[i].state == HS_ABORTED;
    }
    return aborted;
}

static hs_status put_schedule(hsi_trace *t, const hs_named_bound *bound)
{
    size_t    aborted = count_aborted(t->s);
    hs_status st;

    t->origin_count = 0;
    t->origins = malloc((aborted ? aborted : 1) * sizeof *t->origins);
    if (!t->origins)
        return HS_ENOMEM;
    if (t->cpus > 0)
        hsi_trace_name_process(t, track_of(t, 0), t->predicted ? "predicted CPUs" : "CPUs",
                               2u * (unsigned)t->predicted + 1);
    if (t->gpus > 0)
        hsi_trace_name_process(t, track_of(t, t->cpus), t->predicted ? "predicted GPUs" : "GPUs",
                               2u * (unsigned)t->predicted);
    put_thread_names(t);
    put_bound(t, bound);
    for (unsigned w = 0; w < t->cpus + t->gpus; w++)
        put_worker(t, w);
    if (!t->predicted)
        put_waits(t);
    put_arrow_ends(t);
    free(t->origins);
    st = put_dependencies(t);
    return st == HS_OK ? hsi_trace_write_counters(t) : st;
}

/* Write a schedule and its copies. */
static hs_status put_part(hsi_trace *t, const hs_schedule *s, const hs_named_bound *bound,
                          const hs_transfer *copies, size_t count)
{
    hs_status st;

    t->s = s;
    t->first = t->next;
    t->next += t->cpus + t->gpus;
    st = put_schedule(t, bound);
    return st == HS_OK ? hsi_trace_write_copies(t, copies, count) : st;
}

static hs_status put_events(hsi_trace *t, const hs_schedule *s)
{
    const hs_picture  *p = &t->picture;
    const hs_transfer *copies;
    size_t             count;
    hs_status          st;

    t->next = 1;
    st = put_part(t, s, p->bound, p->transfers, p->transfer_count);
    if (st == HS_OK && p->predicted) {
        t->predicted = true;
        copies = hs_schedule_transfers(p->predicted, &count);
        st = put_part(t, p->predicted, p->predicted_bound, copies, count);
    }
    hsi_output_text(&t->out, "\n]\n");
    return st;
}

hs_status hs_trace_write(int fd, const hs_instance *in, const hs_schedule *s,
                         const hs_picture *picture, hs_error *error)
{
    hsi_trace t = {.in = in};
    hs_status st = hsi_picture_begin(&t.picture, picture, in, s, error);

    if (st != HS_OK)
        return st;
    t.cpus = hs_schedule_cpus(s);
    t.gpus = hs_schedule_gpus(s);
    t.scale = nanoseconds_in(hs_instance_unit(in));
    st = hsi_output_open(&t.out, fd);
    if (st == HS_OK)
        st = put_events(&t, s);
    if (st == HS_OK)
        st = hsi_output_close(&t.out);
    hsi_output_free_buffer(&t.out);
    return hsi_error_set_status(error, st);
}
