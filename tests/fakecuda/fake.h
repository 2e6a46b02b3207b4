/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_FAKE_H
#define FAKECUDA_FAKE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fake CUDA runtime, cuBLAS and cuSOLVER for tests of the CUDA module without a GPU. Each stream
 * is a queue served by a thread. Device memory is host memory that is inaccessible at its device
 * addresses. Kernels are CBLAS and LAPACKE. As on a device, asynchronous operations happen late:
 * copies read and write host memory when they run. Faults that a device would tolerate or reveal
 * only occasionally are counted as misuses: memory used by two unordered streams, memory used
 * before its allocation or after its release, a source that changes before it is copied, ... Errors
 * are numbers of CUDA.
 */

typedef enum fake_kind {
    FAKE_COPY_IN,
    FAKE_COPY_OUT,
    FAKE_COPY_WITHIN,
    FAKE_COPY_PEER, /* copy from another device */
    FAKE_SET,
    FAKE_KERNEL,
    FAKE_RECORD, /* record of an event */
    FAKE_WAIT,   /* wait for an event */
    FAKE_FREE,
    FAKE_GRAPH,
    FAKE_HOST, /* function of the host */
    FAKE_KINDS
} fake_kind;

typedef struct fake_settings {
    int         devices;        /* 0: no device; -1: no driver */
    size_t      memory;         /* bytes of each device */
    double      bandwidth;      /* bytes per second of copies in each direction; 0: unlimited */
    double      launch, kernel; /* seconds before each operation; least seconds of a kernel */
    int         compute;        /* 0: kernels and copies only take time */
    unsigned    fail_call;      /* number of the failing call, from 1; 0: none */
    const char *fail_name;      /* name of the failing call; NULL: none */
    unsigned    spared;         /* number of successful calls of this name before the failing one */
    unsigned    fail_operation; /* number, from 1, of the copy or kernel that breaks the device */
    int         error;          /* error of either; 0: an error that the call may return */
    int         mig;            /* devices are instances of divided GPUs */
    int         sticky;         /* a failing call leaves the device broken */
    unsigned    spoil_kernel;   /* number of the kernel with a wrong result, from 1; 0: none */
    unsigned    spoil_copy;     /* number of the copy to the host to be spoilt, from 1; 0: none; ...
                                 */
    size_t   spoil_at;          /* ... offset of the wrong number, in bytes */
    unsigned skip;              /* set of kinds (1 << kind) whose operations only take time, ... */
    size_t   skip_from;         /* ... copies only from this size in bytes */
    double   lazy;              /* seconds that the first launch of a function through a handle
                                   blocks its caller; a captured first launch is then a misuse */
    double host;                /* duration of each call, in seconds */
    double speed;               /* flops per second of kernels; 0: unlimited */
    int    engines;             /* concurrent kernels on a device; 0: unlimited */
    int    queues; /* first-in-first-out hardware queues shared by streams; 0: unlimited */
    int    queue;  /* kernels and graphs that a stream holds before a launch waits; 0: unlimited */
    size_t handle; /* bytes of device memory that a library handle takes; without them, creation
                      fails with an error different from "out of memory" */
    int peers;     /* devices have peer access */
    int hidden;    /* memory calls wait for every operation on the device */
    int overlap;   /* branches of a graph run concurrently; 0: nodes run one by one, the last
                      captured ready node first */
    int late;      /* an event in a graph is pending from the run of its node on; 0: from
                      cudaGraphLaunch on */
} fake_settings;

/* One device of 1 GiB, no delays, no failures. */
#define FAKE_SETTINGS ((fake_settings){.devices = 1, .memory = (size_t)1 << 30, .compute = 1})

/*
 * Start afresh and discard remaining objects; no operation may be running. Without a call, the
 * environment variable FAKECUDA has the settings, such as "devices=2 memory=1e9 bandwidth=1e10
 * launch=1e-6 kernel=1e-5 compute=0". A fast GPU: "speed=6e13 compute=0 bandwidth=5e10".
 */
void fake_reset(const fake_settings *settings);

/* Return the number of calls so far; return the name of the call made to fail, NULL: not reached.
 * */
unsigned    fake_call_count(void);
const char *fake_name_of_failed_call(void);

/* Let a later call fail: `call` counts from 1 at the next call. */
void fake_fail_call(unsigned call, int error, int sticky);

/* Let a later copy or kernel break the device: `operation` counts from 1 at the next one. */
void fake_fail_operation(unsigned operation);

/* Return the number of misuses so far; return the text of the first misuse, or "". */
unsigned    fake_misuse_count(void);
const char *fake_first_misuse(void);
void        fake_set_quiet(int quiet); /* print no misuse on stderr */

/* Return the number of objects created and not destroyed; list them as text for a message. */
unsigned fake_live_objects(void);
void     fake_list_live_objects(char *text, size_t size);
size_t   fake_memory_used(int device);
size_t   fake_memory_peak(int device);

/* Return the number of cudaMemcpyAsync calls with pageable memory; of kernels with cuBLAS's default
 * workspace. */
unsigned fake_pageable_copies(void);
unsigned fake_default_workspaces(void);

/* Return the number of launches that waited for a full queue; return settings.queue. */
unsigned fake_full_queue_waits(void);
unsigned fake_queue_length(void);

/* Set fake_full_queue_waits() to 0; let the next launch into a full queue hold every kernel, so
 * that the launch waits until fake_hold_operations(FAKE_KERNEL, 0). */
void fake_hold_when_queue_is_full(void);

/* Return the number of NVTX ranges begun; set the last range's name and the number of open ranges.
 * */
enum { FAKE_RANGE = 32 };
unsigned fake_range_count(char name[FAKE_RANGE], int *open);

typedef struct fake_record {
    const char *name; /* name of the call */
    fake_kind   kind;
    int         device;
    int         stream; /* number of the stream, in order of creation */
    int         in_graph;
    int         first;             /* first launch of a function through a handle */
    char        range[FAKE_RANGE]; /* NVTX range of the caller; "": none */
    size_t      bytes;             /* bytes copied */
    int64_t     asked;             /* time of the call ... */
    int64_t     start, end;        /* ... and of the run: ns on CLOCK_MONOTONIC */
} fake_record;

size_t      fake_record_count(void);
fake_record fake_record_at(size_t index);

/* Return the number of operations of a kind that have begun, or ended, so far. */
unsigned fake_begun_count(fake_kind kind);
unsigned fake_ended_count(fake_kind kind);

/* Hold operations of the kind after they begin (1), or release them (0). */
void fake_hold_operations(fake_kind kind, int held);

#endif
