/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROPERTY_LEDGER_WORLD_H
#define TESTS_PROPERTY_LEDGER_WORLD_H

#include "data/ledger.h"

/*
 * A host and devices whose memories have values, driven by a ledger. Entered transfers and kernels
 * are steps of streams, which execute in any order that the waits between them allow. Each kernel
 * compares what it reads with the newest version. All decisions (actions, tasks, the next step)
 * come from a function, so that they can be drawn at random or enumerated.
 */
enum {
    WORLD_HANDLES = 6,
    WORLD_NODES = 4,
    WORLD_UNITS = 6, /* largest handle */
    WORLD_CHUNKS = 3,
    WORLD_CHUNK_UNITS = 24,
    WORLD_KERNEL_STREAMS = 2,
    WORLD_IN = WORLD_KERNEL_STREAMS,
    WORLD_OUT,
    WORLD_STREAMS, /* of each device */
    WORLD_ALL_STREAMS = WORLD_STREAMS * (WORLD_NODES - 1),
    WORLD_QUEUE = 32, /* steps of a stream that have not been executed */
    WORLD_USES = 3,
    WORLD_FLIGHT = 4, /* tasks in flight on a worker */
    WORLD_CPUS = 2,
    WORLD_SPARES = WORLD_CPUS * WORLD_USES,
    WORLD_WORKERS = WORLD_CPUS + WORLD_NODES - 1,
    WORLD_WAITS = 2 * WORLD_USES * (WORLD_ALL_STREAMS + 1)
};

/* A part of a memory. */
typedef struct world_cells {
    uint32_t *at;
    unsigned  units;
} world_cells;

/* A task that has begun. */
typedef struct world_task {
    uint32_t    number, node;
    hsi_use     use[WORLD_USES];
    uint32_t    second_tick[WORLD_USES];
    world_cells read[WORLD_USES], write[WORLD_USES]; /* by use; at == NULL: no access */
    uint32_t    expected[WORLD_USES];
    unsigned    uses;
    bool        fails;        /* the kernel writes nonsense and reports a failure */
    bool        has_started;  /* on the host */
    bool        read_garbage; /* some input was not the newest version */
    uint64_t    locked;       /* nodes locked at the begin, as bits */
    hsi_moment  step;         /* the kernel's step on a device */
} world_task;

typedef struct world_step {
    bool        is_kernel;
    world_cells from, to;     /* a transfer */
    unsigned    worker, task; /* a kernel: index of the worker, and of the task in its ring */
    hsi_moment  wait[WORLD_WAITS];
    size_t      waits;
} world_step;

/* Numbers of the last step of a stream, of the last one that has been executed, and of the last one
 * that the ledger knows to be reached. */
typedef struct world_stream {
    uint64_t last, done, told;
} world_stream;

/* The tasks of a worker in the order of their begin: a ring. */
typedef struct world_worker {
    world_task task[WORLD_FLIGHT];
    unsigned   first, count;
} world_worker;

typedef struct world_size {
    unsigned handles, devices, cpus, flight, uses, most_units;
    unsigned chunks, chunk_units; /* largest numbers of a device */
    bool     has_losses;          /* devices are lost, and tasks fail */
    bool     is_small;            /* few values for each choice: the test tries all */
} world_size;

typedef struct world {
    world_size size;
    unsigned (*pick)(void *data, unsigned count); /* return a number below count */
    void        *data;
    hsi_ledger  *ledger;
    unsigned     units[WORLD_HANDLES];
    uint32_t     newest[WORLD_HANDLES];
    uint32_t     tasks;   /* number of the next task */
    uint32_t     failed;  /* number of a failed task, which the next one has again; HS_NONE */
    uint32_t     garbage; /* next value that is no version */
    unsigned     chunks[WORLD_NODES];
    size_t       chunk_bytes[WORLD_NODES][WORLD_CHUNKS];
    bool         is_open[WORLD_NODES];
    uint32_t     domain[WORLD_NODES];
    uint64_t     peers[WORLD_NODES]; /* of lower numbers, as bits */
    world_stream stream[WORLD_ALL_STREAMS];
    world_worker worker[WORLD_WORKERS]; /* CPUs first */
    uint32_t     spare[WORLD_SPARES];   /* free ranges of the host, by CPU and use */
    uint32_t     tick;
    uint32_t     last_use[WORLD_NODES][WORLD_HANDLES];
    int          needed_by[WORLD_NODES][WORLD_HANDLES]; /* window entry; -1 */
    uint32_t     host[WORLD_HANDLES + WORLD_SPARES][WORLD_UNITS];
    uint32_t     memory[WORLD_NODES][WORLD_CHUNKS][WORLD_CHUNK_UNITS];
    uint64_t     begins, evictions, losses, lost_handles, waits; /* what has happened so far */
    world_step   queue[WORLD_ALL_STREAMS][WORLD_QUEUE]; /* by number of the step, modulo the size */
} world;

/* Create a world; decisions come from pick(). The caller frees it with world_close(). */
void world_open(world *w, const world_size *size, unsigned (*pick)(void *, unsigned), void *data);
void world_close(world *w);

/* Do one action. Failed checks end the test. */
void world_act(world *w);

/* Execute all steps, end all tasks, and compare all valid replicas with the newest versions. */
void world_settle(world *w);

/* Return a hash of the state. */
uint64_t world_hash(const world *w);

#endif
