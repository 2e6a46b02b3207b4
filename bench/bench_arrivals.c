/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the processor time that a policy takes for a task that arrives: its addition with one to three
 * accesses, its start and its end. The tasks are those of a Cholesky factorisation of 40 x 40 tiles,
 * in the order of a sequential execution; no task runs, and each ends when its worker is asked again.
 * One thread, all tasks live at once or in a room of 256. Median of 9.
 *
 *   bench_arrivals [TILES]      default 40
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hybridsched/hybridsched.h>

#include "median.h"

enum { REPEATS = 9, MOST_TILES = 200, MOST_WORKERS = 64 };

typedef struct stream {
    hs_policy *policy;
    unsigned   workers, asked;
    uint32_t   running[MOST_WORKERS]; /* HS_NONE: idle */
    uint32_t   tile[MOST_TILES][MOST_TILES];
    double     now;
    size_t     ended;
} stream;

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(hs_status st)
{
    if (st == HS_OK)
        return;
    fprintf(stderr, "bench_arrivals: %s\n", hs_status_text(st));
    exit(1);
}

/* End the task of the next worker, and ask the worker. */
static void turn(stream *s)
{
    unsigned    worker = s->asked++ % s->workers;
    hs_decision d;

    s->now += 1;
    if (s->running[worker] != HS_NONE) {
        hs_policy_ended(s->policy, worker, s->running[worker], HS_ENDING_DONE, s->now, NULL);
        hs_policy_collect_ready(s->policy, s->now, NULL, NULL);
        s->ended++;
    }
    hs_policy_next(s->policy, worker, s->now, &d, NULL);
    s->running[worker] = d.kind == HS_DECIDE_START ? d.task : HS_NONE;
}

static void add(stream *s, double cpu, double gpu, const hs_access *access, size_t accesses)
{
    hs_arrival task;
    hs_status  st;

    hs_arrival_init(&task);
    task.cpu = cpu;
    task.gpu = gpu;
    task.access = access;
    task.accesses = accesses;
    while ((st = hs_policy_add_task(s->policy, &task, NULL)) == HS_EFULL)
        turn(s);
    require(st);
    hs_policy_collect_ready(s->policy, s->now, NULL, NULL);
}

static size_t add_cholesky(stream *s, int tiles)
{
    size_t count = 0;

    for (int k = 0; k < tiles; k++) {
        hs_access pivot = {s->tile[k][k], 0, HS_READ_WRITE};

        add(s, 20, 30, &pivot, 1);
        pivot.mode = HS_READ;
        for (int i = k + 1; i < tiles; i++, count++)
            add(s, 60, 6, (hs_access[]){pivot, {s->tile[i][k], 0, HS_READ_WRITE}}, 2);
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++, count++) {
                hs_access access[] = {{s->tile[i][j], 0, HS_READ_WRITE},
                                      {s->tile[i][k], 0, HS_READ},
                                      {s->tile[j][k], 0, HS_READ}};

                add(s, 90, 3, access, i == j ? 2 : 3);
            }
        count++;
    }
    return count;
}

/* Return the microseconds for each task. */
static double run(const char *name, const hs_instance *machine, uint32_t tasks, int tiles)
{
    static stream s;
    hs_room       room;
    size_t        count;
    double        start;

    hs_room_init(&room);
    room.tasks = tasks;
    room.handles = MOST_TILES * MOST_TILES;
    room.accesses = 3;
    s = (stream){.workers = hs_instance_cpus(machine) + hs_instance_gpus(machine)};
    require(hs_policy_create_arriving(hs_policy_find(name), machine, &room, NULL, &s.policy));
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j < tiles; j++)
            require(hs_policy_add_handle(s.policy, 8e5, 0, &s.tile[i][j]));
    for (unsigned w = 0; w < s.workers; w++)
        s.running[w] = HS_NONE;
    start = seconds();
    count = add_cholesky(&s, tiles);
    while (s.ended < count)
        turn(&s);
    start = seconds() - start;
    hs_policy_free(s.policy);
    return 1e6 * start / (double)count;
}

static hs_instance *make_machine(unsigned cpus, unsigned gpus, bool has_links)
{
    hs_builder  *b = NULL;
    hs_instance *machine = NULL;

    require(hs_builder_create(&b));
    require(hs_builder_set_workers(b, cpus, gpus));
    if (has_links) {
        require(hs_builder_set_link(b, HS_H2D, 0, 1e10));
        require(hs_builder_set_link(b, HS_D2H, 0, 1e10));
    }
    require(hs_builder_finish(b, &machine, NULL));
    hs_builder_free(b);
    return machine;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"dmda", "dmdas", "heteroprio", "heteroprio-ns", "dynamic"};
    int                      tiles = argc > 1 ? atoi(argv[1]) : 40;
    size_t                   i;

    if (tiles < 1 || tiles > MOST_TILES)
        return 2;
    puts("policy          workers  links   room 256   all live   (processor us for each task)");
    for (i = 0; i < 4 * sizeof names / sizeof *names; i++) {
        const char  *name = names[i / 4];
        unsigned     cpus = i % 4 < 2 ? 2 : 20, gpus = i % 4 < 2 ? 1 : 4;
        hs_instance *machine = make_machine(cpus, gpus, i % 2);
        uint32_t     all = (uint32_t)tiles * (tiles + 1) * (tiles + 2) / 6;
        double       few[REPEATS], many[REPEATS];

        for (int r = 0; r < REPEATS; r++) {
            few[r] = run(name, machine, 256, tiles);
            many[r] = run(name, machine, all, tiles);
        }
        printf("%-15s %4u+%-3u %-5s %10.3f %10.3f\n", name, cpus, gpus, i % 2 ? "yes" : "no",
               median(few, REPEATS), median(many, REPEATS));
        hs_instance_free(machine);
    }
    return 0;
}
