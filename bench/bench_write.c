/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the speed of writing plans, relative to a loop over equal rows that writes the numbers
 * with C++17's charconv and copies the rest; and the speed of reading them back.
 *
 *     bench_write [TASKS]      default 1000000
 *
 * Prints a CSV row per kind of instance: medians of seven rounds in which all operations take
 * turns, in CPU time, in case the machine is busy. `floor_share` is charconv's time over the
 * library's.
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "floor_text.h"

enum { ROUNDS = 7, CPUS = 20, GPUS = 4 };

static const struct layout {
    const char *name;
    int         has_ids;
    double      grain; /* times are multiples of `grain`; 0: any double */
} layouts[] = {{"17-digits", 0, 0}, {"17-digits-ids", 1, 0}, {"6-decimals-ids", 1, 1e-6}};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double random_time(uint64_t *state, double grain)
{
    double value;

    *state = *state * 6364136223846793005u + 1442695040888963407u;
    value = 0.001 + (double)(*state >> 11) * 0x1p-53 * 300;
    return grain > 0 ? (double)(uint64_t)(value / grain) / (1 / grain) : value;
}

static hs_instance *make_instance(const struct layout *layout, size_t tasks)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    uint64_t     state = 1;
    hs_status    st = hs_builder_create(&builder);

    if (st == HS_OK)
        st = hs_builder_set_workers(builder, CPUS, GPUS);
    for (size_t i = 0; i < tasks && st == HS_OK; i++) {
        char    id[32];
        hs_task task = {.struct_size = sizeof task, .id = layout->has_ids ? id : NULL, .count = 1};

        snprintf(id, sizeof id, "task-%zu", i);
        task.cpu = random_time(&state, layout->grain);
        task.gpu = random_time(&state, layout->grain);
        st = hs_builder_add_row(builder, &task);
    }
    if (st == HS_OK)
        st = hs_builder_finish(builder, &in, NULL);
    if (st != HS_OK)
        fail(hs_status_text(st));
    hs_builder_free(builder);
    return in;
}

struct rows {
    size_t     count;
    floor_row *row;
    char      *text; /* text of ids and workers */
};

static const char *copy_text(char **at, const char *text)
{
    const char *kept = *at;

    *at += strlen(text) + 1;
    memcpy(*at - strlen(text) - 1, text, strlen(text) + 1);
    return kept;
}

static struct rows list_rows(const hs_instance *in, const hs_schedule *s)
{
    enum { NAME = 32 };
    size_t      size = hs_schedule_entry_count(s);
    struct rows rows = {0, malloc(size * sizeof(floor_row)), malloc((size + CPUS + GPUS) * NAME)};
    char       *at = rows.text, name[NAME];

    if (!rows.row || !rows.text)
        fail("rows");
    for (unsigned w = 0; w < CPUS + GPUS; w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, w, &count);
        const char     *worker;

        snprintf(name, sizeof name, "%s%u", w < CPUS ? "cpu" : "gpu", w < CPUS ? w : w - CPUS);
        worker = copy_text(&at, name);
        for (size_t i = 0; i < count; i++, entry++) {
            hs_instance_name(in, entry->task, name, sizeof name);
            rows.row[rows.count++] =
                (floor_row){copy_text(&at, name),
                            worker,
                            entry->state == HS_ABORTED ? "aborted" : "run",
                            {entry->start, entry->end, hs_instance_time(in, entry->task, HS_CPU),
                             hs_instance_time(in, entry->task, HS_GPU)}};
        }
    }
    return rows;
}

/* Time the floor; without a C++17 compiler nothing is written and the time is zero. */
static double time_floor(int fd, const struct rows *rows)
{
    double start = now();

#ifdef HAVE_CHARCONV
    if (write_plan_rows(fd, rows->row, rows->count))
        fail("charconv");
#else
    (void)fd;
    (void)rows;
#endif
    return now() - start;
}

static double time_plan(int fd, const hs_instance *in, const hs_schedule *s)
{
    double    start = now();
    hs_status st = hs_plan_write(fd, in, s, NULL, NULL);

    if (st != HS_OK)
        fail(hs_status_text(st));
    return now() - start;
}

/* Time reading the plan written last; the rest of the file is cut off. */
static double time_reading(int fd)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    double       seconds;

    if (ftruncate(fd, lseek(fd, 0, SEEK_CUR)) || lseek(fd, 0, SEEK_SET))
        fail("seeking");
    seconds = -now();
    if (hs_plan_read(fd, NULL, &in, &s, NULL, NULL) != HS_OK)
        fail("reading");
    seconds += now();
    hs_instance_free(in);
    hs_schedule_free(s);
    return seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void measure_layout(const struct layout *layout, size_t tasks, int fd)
{
    hs_instance *in = make_instance(layout, tasks);
    hs_schedule *s = NULL;
    struct rows  rows;
    double       floors[ROUNDS], plans[ROUNDS], reading[ROUNDS];
    off_t        size;

    if (hs_solve(hs_algorithm_find("heteroprio"), in, NULL, &s) != HS_OK)
        fail("heteroprio");
    rows = list_rows(in, s);
    for (int round = 0; round < ROUNDS; round++) {
        lseek(fd, 0, SEEK_SET);
        floors[round] = time_floor(fd, &rows);
        lseek(fd, 0, SEEK_SET);
        plans[round] = time_plan(fd, in, s);
        reading[round] = time_reading(fd);
    }
    size = lseek(fd, 0, SEEK_CUR);
    qsort(floors, ROUNDS, sizeof *floors, by_value);
    qsort(plans, ROUNDS, sizeof *plans, by_value);
    qsort(reading, ROUNDS, sizeof *reading, by_value);
    printf("%s,%zu,%lld,%.1f,%.1f,%.3f,%.1f\n", layout->name, tasks, (long long)size,
           1e9 * floors[ROUNDS / 2] / (double)tasks, 1e9 * plans[ROUNDS / 2] / (double)tasks,
           floors[ROUNDS / 2] / plans[ROUNDS / 2], 1e9 * reading[ROUNDS / 2] / (double)tasks);
    free(rows.row);
    free(rows.text);
    hs_schedule_free(s);
    hs_instance_free(in);
}

int main(int argc, char **argv)
{
    size_t tasks = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    char   path[] = "/tmp/bench_write_XXXXXX";
    int    fd = mkstemp(path);

    if (fd < 0)
        fail(path);
    unlink(path);
    printf("plan,tasks,bytes,charconv_ns_per_task,ns_per_task,floor_share,read_ns_per_task\n");
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        measure_layout(&layouts[i], tasks, fd);
    close(fd);
    return 0;
}
