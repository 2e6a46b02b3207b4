/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PLUGIN_WORLD_H
#define TESTS_PLUGIN_WORLD_H

/* Random graphs of the functions of mixer.c on shared data, and what they compute. */

#include <stdbool.h>

#include <hybridsched/exec.h>

#include "mixer.h"

#define MIXER "plugin:tests/plugin/.libs/mixer.so:"

enum { WORLD_ROWS = 60 };

typedef struct world_function {
    const char *name;
    size_t      count;
    uint32_t    mode[MIXER_MOST];
} world_function;

typedef struct world_step {
    const world_function *function;
    size_t          data[MIXER_MOST];
} world_step;

typedef struct world {
    hs_instance *in;
    size_t       rows, count;
    world_step   step[WORLD_ROWS];
    size_t       bytes[MIXER_DATA];
    bool         given[MIXER_DATA]; /* the size is in the instance */
    bool         used[MIXER_DATA];
    uint64_t    *expected[MIXER_DATA]; /* after the runs so far */
    uint64_t    *ours[MIXER_DATA];     /* memory given to hs_exec_data(); NULL: the library's */
} world;

/* Start the random numbers again; return one below `sides`. */
void     roll_from(uint64_t seed);
unsigned roll(unsigned sides);

void name_datum(size_t data, char name[8]);

/* Make a graph; a third of the names of tasks begins with `kind`. */
void make_world(world *w, const char *kind);
void free_world(world *w);

/* Run the rows one after another on w->expected. */
void run_world_in_order(world *w);

/* Give the handle memory for some data, with random content, and sizes for the rest. */
void give_memory(world *w, hs_exec *exec);

/* Check that the data have the expected values. */
void compare_world(const world *w, const hs_exec *exec);

/* Return settings for plugins on CPUs and emulated GPUs. */
hs_exec_settings world_settings(const char *policy);

typedef struct world_outcome {
    hs_status status;
    hs_error  error;
    char      first_failure[HS_WHY]; /* reason of the first task that failed in the last run */
    unsigned  on_gpus;            /* tasks that ended well on GPUs, in all runs */
} world_outcome;

/* Run the world several times on one handle, until a run fails. Check the data after each other
 * run. A policy that needs a plan gets HEFT's. */
world_outcome try_world(world *w, const hs_exec_settings *s, int runs);

/* The same; no run fails. Return the number of tasks that ended well on GPUs. */
unsigned run_world(world *w, const hs_exec_settings *s, int runs);

#endif
