/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the list of external solvers, and solving an instance with one. */
#include "bench/peer/peer.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/scratch.h"

enum { WORDS = 16, PATH_LENGTH = 4200, FILES = 3 };

/*
 * An external solver. Placeholders in its command line: %m model file, %s solution file, %o options
 * file, %t time limit, %w time limit in whole seconds. Every solver searches for the exact optimum
 * on one processor.
 */
struct bench_peer {
    const char *name, *options;
    const char *words[WORDS];
};

static const bench_peer peers[] = {
    {"glpk", "", {"glpsol", "--lp", "%m", "--tmlim", "%w", "--cuts", "--fpump", "-o", "%s"}},
    {"cbc",
     "",
     {"cbc", "%m", "-timeMode", "elapsed", "-sec", "%t", "-ratioGap", "0", "-solve", "-solution",
      "%s"}},
    {"highs",
     "mip_rel_gap = 0\nthreads = 1\n",
     {"highs", "%m", "--time_limit", "%t", "--parallel", "off", "--options_file", "%o",
      "--solution_file", "%s"}},
};

const bench_peer *bench_peer_find(const char *name)
{
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (strcmp(peers[i].name, name) == 0)
            return &peers[i];
    return NULL;
}

const char *bench_peer_program(const bench_peer *peer)
{
    return peer->words[0];
}

bool bench_peer_is_here(const bench_peer *peer)
{
    return files_in_path(peer->words[0]);
}

/* The files and the expanded command line of a run. */
typedef struct filled {
    char  file[FILES][PATH_LENGTH]; /* paths of the model, the solution and the options */
    char  seconds[32], whole[32];
    char  word[WORDS][PATH_LENGTH];
    char *words[WORDS + 1];
} filled;

static const char *folder;

int bench_peer_begin(void)
{
    folder = scratch_create();
    return folder ? 0 : -1;
}

static void fill(const bench_peer *peer, double seconds, filled *f)
{
    static atomic_ulong      runs;
    static const char *const ending[FILES] = {"lp", "solution", "options"};
    unsigned long            run = atomic_fetch_add(&runs, 1);

    for (int i = 0; i < FILES; i++)
        snprintf(f->file[i], PATH_LENGTH, "%s/%lu.%s", folder, run, ending[i]);
    snprintf(f->seconds, sizeof f->seconds, "%.3f", seconds);
    snprintf(f->whole, sizeof f->whole, "%.0f", ceil(seconds));
    for (int i = 0; peer->words[i]; i++) {
        const char *word = peer->words[i];

        if (word[0] == '%')
            word = word[1] == 'm'   ? f->file[0]
                   : word[1] == 's' ? f->file[1]
                   : word[1] == 'o' ? f->file[2]
                   : word[1] == 't' ? f->seconds
                                    : f->whole;
        snprintf(f->word[i], PATH_LENGTH, "%s", word);
        f->words[i] = f->word[i];
    }
}

static int write_options(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");

    if (!out)
        return -1;
    fputs(text, out);
    return fclose(out);
}

/* Build the schedule in which each worker runs its tasks one after another. */
static hs_status build(const hs_instance *in, const uint32_t *worker, hs_schedule **out)
{
    size_t        tasks = hs_instance_tasks(in);
    unsigned      cpus = hs_instance_cpus(in), gpus = hs_instance_gpus(in);
    double       *end = checked_calloc(cpus + gpus + 1, sizeof *end);
    hs_placement *all = checked_calloc(tasks + 1, sizeof *all);
    hs_status     status;

    for (size_t i = 0; i < tasks; i++) {
        uint32_t w = worker[i];
        double   start = end[w];

        end[w] += hs_instance_time(in, i, w < cpus ? HS_CPU : HS_GPU);
        all[i] = (hs_placement){start, end[w], (uint32_t)i, w, HS_RUN};
    }
    status = hs_schedule_build(cpus, gpus, tasks, all, out);
    free(end);
    free(all);
    return status;
}

static hs_status solve(const bench_peer *peer, const hs_instance *in, double seconds, filled *f,
                       hs_schedule **out)
{
    unsigned  workers = hs_instance_cpus(in) + hs_instance_gpus(in);
    uint32_t *worker;
    hs_status status = HS_OK;
    char      why[BENCH_PEER_WHY];
    bool      starts;

    if (bench_peer_write_model(in, f->file[0]) != 0 ||
        write_options(f->file[2], peer->options) != 0) {
        message("peer/%s: cannot write into '%s': %s", peer->name, folder, strerror(errno));
        return HS_EIO;
    }
    starts = bench_peer_run(f->words, 2 * seconds + 10, why) == 0;
    worker = checked_calloc(hs_instance_tasks(in) + 1, sizeof *worker);
    if (starts && bench_peer_read_answer(f->file[1], hs_instance_tasks(in), workers, worker))
        status = build(in, worker, out);
    else if (why[0])
        message("peer/%s: '%s' %s", peer->name, peer->words[0], why);
    if (!starts)
        status = HS_EIO;
    free(worker);
    return status;
}

hs_status bench_peer_solve(const bench_peer *peer, const hs_instance *in, double seconds,
                           hs_schedule **out)
{
    filled   *f;
    hs_status status;

    *out = NULL;
    if (hs_instance_has_graph(in))
        return HS_EDEPENDENT;
    f = checked_calloc(1, sizeof *f);
    fill(peer, seconds, f);
    status = solve(peer, in, seconds, f, out);
    for (int i = 0; i < FILES; i++)
        unlink(f->file[i]);
    free(f);
    return status;
}
