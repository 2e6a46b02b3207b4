/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "support/random.h"
#include "well_formed.h"

typedef hs_status (*writer)(int fd, const hs_instance *in, const hs_schedule *s,
                            const hs_picture *picture);

/* ---- schedules to draw ----------------------------------------------------- */

typedef struct sample {
    hs_instance *in;
    hs_schedule *s;
    size_t       runs, aborted;
} sample;

/* Names that break what does not escape them. */
static const char *const odd_names[] = {
    "plain", "<b>&\"x\"</b>", "a\001b\x7f", "\xff\xfe", "tab\tnew\nline", "]]>", "\xed\xa0\x80",
    "\xe6\x97\xa5\xe6\x9c\xac", "back\\slash\"", "\xef\xbf\xbe", "-->", "\xc2\x85", "cut \xf0\x9f",
};

enum { ODD_NAMES = sizeof odd_names / sizeof *odd_names };

typedef struct plan {
    unsigned cpus, gpus;
    size_t   tasks;
    int      odd;      /* names and kernels of odd_names */
    int      abort;    /* one task in so many is aborted first; 0: none */
    double   unit_time; /* times are about that long */
    double   gap;      /* idle before each entry, in unit_time */
    hs_unit  unit;
} plan;

static hs_instance *make_instance(const plan *p, hsi_random *random)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_workers(builder, p->cpus, p->gpus), HS_OK);
    ck_assert_int_eq(hs_builder_unit(builder, p->unit), HS_OK);
    for (size_t i = 0; i < p->tasks; i++) {
        char    id[64];
        hs_task task = {.cpu = p->unit_time * (0.5 + 20 * hsi_random_unit(random)),
                        .gpu = p->unit_time * (0.1 + 2 * hsi_random_unit(random))};

        if (i % 11 == 3 && p->gpus > 0)
            task.cpu = INFINITY;
        else if (i % 11 == 7 && p->cpus > 0)
            task.gpu = INFINITY;
        if (p->odd) {
            snprintf(id, sizeof id, "%s%zu", odd_names[i % ODD_NAMES], i);
            task.id = id;
            task.kernel = odd_names[i / 2 % ODD_NAMES];
        }
        ck_assert_int_eq(hs_builder_add(builder, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    hs_builder_free(builder);
    return in;
}

static unsigned pick_worker(const plan *p, const hs_instance *in, uint32_t task, hsi_random *random)
{
    for (;;) {
        unsigned w = (unsigned)hsi_random_below(random, p->cpus + p->gpus);

        if (isfinite(hs_instance_time(in, task, w < p->cpus ? HS_CPU : HS_GPU)))
            return w;
    }
}

/* Each task on a random worker, some of them aborted on another one before. */
static sample make_sample(const plan *p)
{
    hsi_random    random;
    sample        made = {0};
    hs_placement *placed = calloc(2 * p->tasks + 1, sizeof *placed);
    double       *free_at = calloc(p->cpus + p->gpus, sizeof *free_at);
    size_t        count = 0;

    hsi_random_seed(&random, 17, 0);
    made.in = make_instance(p, &random);
    for (uint32_t task = 0; task < p->tasks; task++) {
        double after = 0;

        for (int aborts = p->abort && task % (unsigned)p->abort == 0; aborts >= 0; aborts--) {
            unsigned w = pick_worker(p, made.in, task, &random);
            double   time = hs_instance_time(made.in, task, w < p->cpus ? HS_CPU : HS_GPU);
            double   start = fmax(free_at[w], after) + p->gap * p->unit_time;

            if (aborts) /* of no length at all, now and then */
                time *= task % 3 ? hsi_random_unit(&random) : 0;
            placed[count++] = (hs_placement){start, start + time, task, w,
                                             aborts ? HS_ABORTED : HS_RUN};
            made.aborted += aborts != 0;
            after = free_at[w] = start + time;
        }
    }
    made.runs = p->tasks;
    ck_assert_int_eq(hs_schedule_build(p->cpus, p->gpus, count, placed, &made.s), HS_OK);
    free(free_at);
    free(placed);
    return made;
}

static void free_sample(sample *made)
{
    hs_schedule_free(made->s);
    hs_instance_free(made->in);
}

static char *write_text(writer write_picture, const sample *made, const hs_picture *picture,
                        size_t *length)
{
    FILE *file = tmpfile();
    char *text;
    long  size;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(write_picture(fileno(file), made->in, made->s, picture), HS_OK);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    text = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    *length = fread(text, 1, (size_t)size, file);
    ck_assert_uint_eq(*length, (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

static const plan plans[] = {
    {.cpus = 20, .gpus = 4, .tasks = 300, .abort = 9, .unit_time = 1},
    {.cpus = 20, .gpus = 4, .tasks = 300, .odd = 1, .abort = 5, .unit_time = 0.1, .gap = 0.5,
     .unit = HS_MILLISECONDS},
    {.cpus = 1, .gpus = 0, .tasks = 1, .unit_time = 1, .unit = HS_NANOSECONDS},
    {.cpus = 0, .gpus = 1, .tasks = 1, .unit_time = 1, .abort = 1, .unit = HS_MICROSECONDS},
    {.cpus = 3, .gpus = 2, .tasks = 0, .unit_time = 1},
    {.cpus = 1, .gpus = 0, .tasks = 0, .unit_time = 1},
    {.cpus = 150, .gpus = 9, .tasks = 3000, .abort = 7, .unit_time = 1e-7},
    {.cpus = 1000, .gpus = 300, .tasks = 3000, .odd = 1, .abort = 7, .unit_time = 1},
    {.cpus = 161, .gpus = 1, .tasks = 5, .abort = 2, .unit_time = 1},
    {.cpus = 4, .gpus = 1, .tasks = 50, .abort = 3, .unit_time = 1e300},
    {.cpus = 4, .gpus = 1, .tasks = 50, .abort = 3, .unit_time = 1e-307},
};

enum { PLANS = sizeof plans / sizeof *plans };

static const hs_named_bound some_bound = {"deadline", 0.75};

/* ---- both ------------------------------------------------------------------ */

static const writer writers[] = {hs_gantt_write, hs_trace_write};

START_TEST(is_well_formed)
{
    sample     made = make_sample(&plans[_i]);
    hs_picture picture;

    hs_picture_init(&picture);
    for (int variant = 0; variant < 2; variant++) {
        size_t length;
        char  *text = write_text(hs_gantt_write, &made, variant ? &picture : NULL, &length);

        ck_assert(is_xml(text, length));
        free(text);
        text = write_text(hs_trace_write, &made, variant ? &picture : NULL, &length);
        ck_assert(is_json(text, length));
        free(text);
        picture.title = "a <title> & \"quotes\" \xff\x01";
        picture.bound = &some_bound;
    }
    free_sample(&made);
}
END_TEST

START_TEST(tells_of_a_full_disk)
{
    sample made = make_sample(&plans[1]);
    int    full = open("/dev/full", O_WRONLY);

    if (full >= 0) {
        errno = 0;
        ck_assert_int_eq(writers[_i](full, made.in, made.s, NULL), HS_EIO);
        ck_assert_int_eq(errno, ENOSPC);
        close(full);
    }
    errno = 0;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, NULL), HS_EIO);
    ck_assert_int_eq(errno, EBADF);
    free_sample(&made);
}
END_TEST

START_TEST(refuses_what_makes_no_sense)
{
    sample               made = make_sample(&plans[0]);
    hs_instance         *other = NULL, *fewer = NULL;
    hs_picture           picture;
    hs_named_bound       endless = {.value = 1};
    static const double  time = 1;

    ck_assert_int_eq(writers[_i](-1, NULL, made.s, NULL), HS_EINVAL);
    ck_assert_int_eq(writers[_i](-1, made.in, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_instance_on(made.in, 20, 5, &other), HS_OK);
    ck_assert_int_eq(writers[_i](-1, other, made.s, NULL), HS_ESCHEDULE);
    ck_assert_int_eq(hs_instance_wrap(1, &time, &time, NULL, 20, 4, &fewer), HS_OK);
    ck_assert_int_eq(writers[_i](-1, fewer, made.s, NULL), HS_ESCHEDULE);
    hs_picture_init(&picture);
    picture.struct_size = 1;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_EINVAL);
    hs_picture_init(&picture);
    memset(endless.name, 'x', sizeof endless.name);
    picture.bound = &endless;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_EINVAL);
    hs_instance_free(fewer);
    hs_instance_free(other);
    free_sample(&made);
}
END_TEST

/* ---- the Gantt chart ------------------------------------------------------- */

START_TEST(gantt_draws_each_task_when_there_is_room)
{
    static const plan few = {.cpus = 6, .gpus = 2, .tasks = 60, .abort = 6, .unit_time = 1};
    sample            made = make_sample(&few);
    size_t            length;
    char             *text = write_text(hs_gantt_write, &made, NULL, &length);

    /* A title each, except for aborted parts of no length that join a neighbour. */
    ck_assert_uint_ge(occurrences(text, "<title>t"), made.runs);
    ck_assert_uint_eq(occurrences(text, "><title>t59 on "), 1);
    ck_assert_uint_ge(occurrences(text, ", aborted on "), 3);
    ck_assert_ptr_nonnull(strstr(text, ">makespan</text>"));
    ck_assert_ptr_null(strstr(text, " bound</text>"));
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(gantt_names_its_bound)
{
    sample         made = make_sample(&plans[0]);
    hs_named_bound bound = {"area", NAN};
    hs_picture     picture;
    size_t         length;
    char          *text;

    hs_picture_init(&picture);
    picture.bound = &bound;
    for (int i = 0; i < 3; i++) {
        static const double values[] = {NAN, INFINITY, -1};

        bound.value = values[i];
        text = write_text(hs_gantt_write, &made, &picture, &length);
        ck_assert_ptr_null(strstr(text, "area"));
        free(text);
    }
    bound.value = hs_schedule_makespan(made.s);
    text = write_text(hs_gantt_write, &made, &picture, &length);
    ck_assert_ptr_nonnull(strstr(text, ">area bound</text>"));
    ck_assert_ptr_nonnull(strstr(text, "which the schedule meets"));
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(gantt_stays_small)
{
    static const plan large[] = {
        {.cpus = 20, .gpus = 4, .tasks = 100000, .odd = 1, .abort = 20, .unit_time = 1, .gap = 1},
        {.cpus = 150, .gpus = 150, .tasks = 100000, .odd = 1, .abort = 20, .unit_time = 1},
        {.cpus = 10000, .gpus = 1000, .tasks = 100000, .odd = 1, .abort = 20, .unit_time = 1},
    };
    sample      made = make_sample(&large[_i]);
    size_t      length;
    char       *text = write_text(hs_gantt_write, &made, NULL, &length);
    const char *height = strstr(text, "height=\"");

    ck_assert(is_xml(text, length));
    ck_assert_uint_le(length, 4 << 20);
    ck_assert_int_le(atoi(height + 8), 2400);
    ck_assert_ptr_nonnull(strstr(text, _i < 2 ? " tasks on gpu" : " tasks begin, "));
    free(text);
    free_sample(&made);
}
END_TEST

/* ---- what happened beside what was planned ------------------------------------- */

/* Every third of the aborted entries becomes a failure; to be freed. */
static hs_picture_failure *pick_failures(const sample *made, size_t *count)
{
    unsigned            workers = hs_schedule_cpus(made->s) + hs_schedule_gpus(made->s);
    hs_picture_failure *failures = calloc(made->aborted + 1, sizeof *failures);
    size_t              seen = 0;

    *count = 0;
    for (unsigned w = 0; w < workers; w++) {
        size_t          entries;
        const hs_entry *e = hs_schedule_entries(made->s, w, &entries);

        for (size_t i = 0; i < entries; i++)
            if (e[i].state == HS_ABORTED && seen++ % 3 == 0)
                failures[(*count)++] =
                    (hs_picture_failure){w, e[i].task, e[i].end, seen % 2 ? "it <broke>" : NULL};
    }
    return failures;
}

/* A picture with bounds, of what happened beside what was planned. */
static hs_picture picture_beside(const hs_schedule *planned, const hs_picture_failure *failures,
                                 size_t count)
{
    hs_picture picture;

    hs_picture_init(&picture);
    picture.bound = &some_bound;
    picture.planned = planned;
    picture.planned_bound = &some_bound;
    picture.failures = failures;
    picture.failure_count = count;
    return picture;
}

START_TEST(beside_is_well_formed)
{
    sample              made = make_sample(&plans[_i]);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_uint_eq(occurrences(text, ">Planned</text>"), 1);
    ck_assert_uint_eq(occurrences(text, ">What happened</text>"), 1);
    ck_assert_uint_ge(occurrences(text, "class=\"q\""), count > 0 ? 2 : 0);
    free(text);
    text = write_text(hs_trace_write, &made, &picture, &length);
    ck_assert(is_json(text, length));
    ck_assert_uint_eq(occurrences(text, "\"cat\":\"failed\""), count);
    free(text);
    free(failures);
    free_sample(&made);
}
END_TEST

START_TEST(beside_marks_what_failed)
{
    static const plan   few = {.cpus = 2, .gpus = 1, .tasks = 40, .abort = 4, .unit_time = 1};
    sample              made = make_sample(&few);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert_uint_ge(count, 3);
    ck_assert_uint_ge(occurrences(text, " failed on "), 1);
    ck_assert_uint_ge(occurrences(text, "it &lt;broke&gt;"), 1);
    ck_assert_uint_ge(occurrences(text, "; estimated "), made.runs);
    ck_assert_uint_eq(occurrences(text, ">makespan</text>"), 2);
    free(text);
    free(failures);
    free_sample(&made);
}
END_TEST

/* Nothing but what was added differs, for a caller that knows of no plan. */
START_TEST(older_callers_get_what_they_got)
{
    sample     made = make_sample(&plans[0]);
    hs_picture picture = picture_beside(made.s, NULL, 0);
    size_t     length, old_length;
    char      *text, *old;

    for (int i = 0; i < 2; i++) {
        hs_picture plain;

        hs_picture_init(&plain);
        plain.bound = &some_bound;
        text = write_text(writers[i], &made, &plain, &length);
        picture.struct_size = offsetof(hs_picture, planned);
        old = write_text(writers[i], &made, &picture, &old_length);
        ck_assert_uint_eq(length, old_length);
        ck_assert_mem_eq(text, old, length);
        free(text);
        free(old);
    }
    free_sample(&made);
}
END_TEST

START_TEST(beside_refuses_what_makes_no_sense)
{
    sample             made = make_sample(&plans[0]), other = make_sample(&plans[6]);
    hs_picture_failure failures[] = {{1, 0, 2, NULL}, {1, 0, 1, NULL}};
    hs_picture         picture = picture_beside(other.s, NULL, 0);

    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_ESCHEDULE);
    picture = picture_beside(made.s, failures, 2);
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_EINVAL);
    failures[0].worker = 24;
    picture.failure_count = 1;
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_ESCHEDULE);
    failures[0] = (hs_picture_failure){0, 300, 1, NULL};
    ck_assert_int_eq(writers[_i](-1, made.in, made.s, &picture), HS_ESCHEDULE);
    free_sample(&other);
    free_sample(&made);
}
END_TEST

START_TEST(beside_stays_small)
{
    static const plan large = {.cpus = 20, .gpus = 4, .tasks = 100000, .odd = 1, .abort = 2,
                               .unit_time = 1};
    sample              made = make_sample(&large);
    size_t              length, count;
    hs_picture_failure *failures = pick_failures(&made, &count);
    hs_picture          picture = picture_beside(made.s, failures, count);
    char               *text = write_text(hs_gantt_write, &made, &picture, &length);

    ck_assert(is_xml(text, length));
    ck_assert_uint_le(length, 6 << 20);
    free(text);
    free(failures);
    free_sample(&made);
}
END_TEST

/* ---- the trace ------------------------------------------------------------- */

/* One event, from its line. */
typedef struct event {
    char   phase;
    double ts, dur;
    long   pid, tid, id;
    int    aborted;
} event;

static double number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static event *read_events(char *text, size_t *count)
{
    event *events = calloc(occurrences(text, "\n") + 1, sizeof *events);

    *count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "{\"ph\":\"", 7) != 0)
            continue;
        events[(*count)++] = (event){
            .phase = line[7],
            .ts = number_after(line, ",\"ts\":"),
            .dur = number_after(line, ",\"dur\":"),
            .pid = (long)number_after(line, ",\"pid\":"),
            .tid = (long)number_after(line, ",\"tid\":"),
            .id = line[7] == 's' || line[7] == 'f' ? (long)number_after(line, ",\"id\":") : 0,
            .aborted = strstr(line, "\"cat\":\"aborted\"") != NULL,
        };
    }
    return events;
}

static size_t count_phase(const event *events, size_t count, char phase)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += events[i].phase == phase;
    return n;
}

/* Microseconds to nanoseconds as viewers do it: to the nearest, or cut off. */
static double read_time(double us, int cut)
{
    return cut ? floor(us * 1000) : round(us * 1000);
}

static void check_thread(const event *e, const plan *p)
{
    ck_assert_int_ge(e->tid, 1);
    ck_assert_int_le(e->tid, p->cpus + p->gpus);
    ck_assert_int_eq(e->pid, e->tid <= (long)p->cpus ? 1 : (long)p->cpus + 1);
}

START_TEST(trace_has_an_event_for_each_entry)
{
    const plan *p = &plans[_i];
    sample      made = make_sample(p);
    size_t      length, count;
    char       *text = write_text(hs_trace_write, &made, NULL, &length);
    event      *events = read_events(text, &count);

    ck_assert_uint_eq(count_phase(events, count, 'X'), made.runs + made.aborted);
    ck_assert_uint_eq(count_phase(events, count, 's'), made.aborted);
    ck_assert_uint_eq(count_phase(events, count, 'f'), made.aborted);
    ck_assert_uint_eq(count_phase(events, count, 'M'),
                      2 * (p->cpus + p->gpus + (p->cpus > 0) + (p->gpus > 0)));
    for (size_t i = 0; i < count; i++) {
        check_thread(&events[i], p);
        ck_assert(events[i].ts >= 0 && events[i].ts <= DBL_MAX);
    }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

/* What was planned has processes, threads and arrows of its own. */
START_TEST(trace_keeps_the_two_apart)
{
    const plan *p = &plans[_i];
    long        workers = (long)(p->cpus + p->gpus);
    sample      made = make_sample(p);
    hs_picture  picture;
    size_t      length, count;
    char       *text;
    event      *events;

    hs_picture_init(&picture);
    picture.planned = made.s;
    text = write_text(hs_trace_write, &made, &picture, &length);
    events = read_events(text, &count);
    ck_assert_uint_eq(count_phase(events, count, 'X'), 2 * (made.runs + made.aborted));
    ck_assert_uint_eq(count_phase(events, count, 's'), 2 * made.aborted);
    for (size_t i = 0; i < count; i++) {
        const event *e = &events[i];
        int          second = i >= count / 2;

        ck_assert_int_eq(e->tid > workers, second);
        ck_assert_int_eq(e->pid > workers, second);
        ck_assert(e->pid <= e->tid);
        if (e->phase == 's' || e->phase == 'f')
            ck_assert_int_eq(e->id > (long)made.aborted, second);
    }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

/* An event that begins before its worker's last one ends is lost in the viewers. */
START_TEST(trace_events_do_not_overlap)
{
    sample made = make_sample(&plans[_i]);
    size_t length, count;
    char  *text = write_text(hs_trace_write, &made, NULL, &length);
    event *events = read_events(text, &count);

    for (int cut = 0; cut < 2; cut++)
        for (size_t i = 0; i + 1 < count; i++) {
            const event *e = &events[i], *next = &events[i + 1];

            if (next->phase == 's' && i + 2 < count)
                next++;
            if (e->phase == 'X' && next->phase == 'X' && next->tid == e->tid)
                ck_assert(read_time(e->ts, cut) + read_time(e->dur, cut) <=
                          read_time(next->ts, cut));
        }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(trace_arrows_start_inside_what_was_aborted)
{
    sample made = make_sample(&plans[_i]);
    size_t length, count;
    char  *text = write_text(hs_trace_write, &made, NULL, &length);
    event *events = read_events(text, &count);

    for (size_t i = 0; i < count; i++) {
        const event *e = &events[i];

        if (e->phase == 's') {
            ck_assert(e[-1].phase == 'X' && e[-1].aborted && e[-1].tid == e->tid);
            ck_assert(e->ts >= e[-1].ts && e->ts <= e[-1].ts + e[-1].dur);
        } else if (e->phase == 'f') {
            size_t from = 0;

            while (events[from].phase != 's' || events[from].id != e->id)
                ck_assert_uint_lt(++from, i);
            ck_assert(events[from].ts <= e->ts);
        }
    }
    free(events);
    free(text);
    free_sample(&made);
}
END_TEST

START_TEST(trace_converts_the_unit)
{
    static const double scale[] = {1e6, 1e3, 1, 1e-3};

    for (int unit = HS_SECONDS; unit <= HS_NANOSECONDS; unit++) {
        plan   p = {.cpus = 1, .tasks = 1, .unit_time = 1000, .unit = (hs_unit)unit};
        sample made = make_sample(&p);
        size_t length, count;
        char  *text = write_text(hs_trace_write, &made, NULL, &length);
        event *events = read_events(text, &count);
        event *run = &events[count - 1];

        ck_assert_int_eq(run->phase, 'X');
        ck_assert(run->ts == 0);
        ck_assert_double_eq_tol(run->dur, hs_schedule_makespan(made.s) * scale[unit], 0.0021);
        free(events);
        free(text);
        free_sample(&made);
    }
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("pictures");
    TCase   *tests = tcase_create("all");
    SRunner *runner;
    int      failed;

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, is_well_formed, 0, PLANS);
    tcase_add_loop_test(tests, tells_of_a_full_disk, 0, 2);
    tcase_add_loop_test(tests, refuses_what_makes_no_sense, 0, 2);
    tcase_add_test(tests, gantt_draws_each_task_when_there_is_room);
    tcase_add_test(tests, gantt_names_its_bound);
    tcase_add_loop_test(tests, gantt_stays_small, 0, 3);
    tcase_add_loop_test(tests, beside_is_well_formed, 0, PLANS);
    tcase_add_test(tests, beside_marks_what_failed);
    tcase_add_test(tests, older_callers_get_what_they_got);
    tcase_add_loop_test(tests, beside_refuses_what_makes_no_sense, 0, 2);
    tcase_add_test(tests, beside_stays_small);
    tcase_add_loop_test(tests, trace_has_an_event_for_each_entry, 0, PLANS);
    tcase_add_loop_test(tests, trace_keeps_the_two_apart, 0, PLANS);
    tcase_add_loop_test(tests, trace_events_do_not_overlap, 0, PLANS);
    tcase_add_loop_test(tests, trace_arrows_start_inside_what_was_aborted, 0, PLANS);
    tcase_add_test(tests, trace_converts_the_unit);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
