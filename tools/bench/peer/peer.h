/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_PEER_PEER_H
#define TOOLS_BENCH_PEER_PEER_H

#include <hybridsched/hybridsched.h>

/*
 * External solvers of mixed integer programs, on the assignment model with a binary variable per
 * task and worker. A solver gets a file (model.c), runs as a process (program.c) and leaves a file
 * (answer.c), from which only the assignment is used: the makespan is computed here.
 */
typedef struct bench_peer bench_peer;

/** Find a solver by name; NULL: unknown. */
const bench_peer *bench_peer_find(const char *name);

/** Return the solver's program, and whether PATH contains it. */
const char *bench_peer_program(const bench_peer *peer);
bool        bench_peer_is_here(const bench_peer *peer);

/** Create the folder for the files, before any thread starts. Return -1 with errno on failure. */
int bench_peer_begin(void);

/**
 * Solve independent tasks with a time limit in seconds, on one processor; *out is NULL if the
 * solver found no schedule. HS_EIO: its files cannot be written, or it does not start.
 */
hs_status bench_peer_solve(const bench_peer *peer, const hs_instance *in, double seconds,
                           hs_schedule **out);

/** Write the model in the LP format read by all solvers (model.c). Return -1 on failure. */
int bench_peer_write_model(const hs_instance *in, const char *path);

/**
 * Read the worker of each task from a solution file (answer.c). Return false if a task has none.
 */
bool bench_peer_read_answer(const char *path, size_t tasks, unsigned workers, uint32_t *worker);

enum { BENCH_PEER_WHY = 80 };

/**
 * Run the program with its output discarded, and kill it after `seconds`. Return -1 if it does not
 * start. `why`: the failure, or "".
 */
int bench_peer_run(char *const *words, double seconds, char why[BENCH_PEER_WHY]);

#endif
