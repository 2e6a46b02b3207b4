/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_FAKE_H
#define FAKECUDA_FAKE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A CUDA runtime, cuBLAS and cuSOLVER that need no GPU, to test the CUDA module against. Streams
 * are queues that a thread each serves, device memory is the host's but cannot be accessed by its
 * addresses on the device, kernels are CBLAS and LAPACKE. As on a device, everything that is
 * asynchronous happens late: copies read and write their host memory when their turn comes. What a
 * device would let pass or get wrong now and then is a misuse here, and counted: memory used by two
 * streams that nothing orders, memory used before it is there or after it is gone, a source that
 * changed before its copy ran, ...
 *
 * Errors are CUDA's numbers.
 */

typedef enum fake_kind {
    FAKE_COPY_IN,
    FAKE_COPY_OUT,
    FAKE_COPY_WITHIN,
    FAKE_COPY_PEER, /* from another device */
    FAKE_SET,
    FAKE_KERNEL,
    FAKE_RECORD, /* of an event */
    FAKE_WAIT,   /* for an event */
    FAKE_FREE,
    FAKE_GRAPH,
    FAKE_KINDS
} fake_kind;

typedef struct fake_settings {
    int      devices;        /* 0: no device; -1: no driver */
    size_t   memory;         /* bytes of each device */
    double   bandwidth;      /* bytes a second of copies, either way; 0: no limit */
    double   launch, kernel; /* seconds: what each operation takes to begin, and a kernel's least */
    int      compute;        /* 0: kernels and copies only take time */
    unsigned fail_call;      /* the call that fails, from 1; 0: none */
    const char *fail_name;   /* the first call of that name fails, ... */
    unsigned    spared;      /* ... or the one after so many of that name; NULL: none */
    unsigned    fail_operation; /* the copy or kernel that breaks its device when it runs */
    int         error;          /* of either; of a call 0: what the call may well return */
    int         mig;            /* devices are instances of divided GPUs */
    int         sticky;         /* a failing call leaves the device broken */
    unsigned    spoil_kernel;   /* the kernel whose result is wrong, from 1; 0: none */
    unsigned    spoil_copy;     /* the copy to the host with a wrong number, from 1; 0: none; ... */
    size_t      spoil_at;       /* ... the one that so many bytes precede */
    unsigned    skip;           /* 1 << kind, of each kind whose operations take time only, ... */
    size_t      skip_from;      /* ... of copies those of so many bytes or more */
    double      lazy;           /* seconds that the first launch of a function through a handle
                                   takes its caller; then a captured one is a misuse */
    double host;                /* duration of each call, in seconds */
    double speed;               /* flops a second of kernels, which take as long; 0: no limit */
    int    engines;             /* kernels at once on a device; 0: any number */
    int    queues; /* of the hardware, which streams share, first in first out; 0: no end */
    int queue; /* kernels and graphs that a stream holds: the launch of one more waits; 0: no end */
    size_t handle; /* bytes of a device that a handle of a library takes; where they are
                      not there, the libraries say something else than that */
    int peers;     /* devices copy to and from each other */
    int hidden;    /* calls for memory wait for all that runs on the device */
    int overlap;   /* branches of a graph run at once; 0: its nodes run one by one, of those that
                      are ready the one captured last */
    int late;      /* an event that a graph records is pending from the run of its node on; 0: from
                      cudaGraphLaunch on */
} fake_settings;

/* One device of 1 GiB, no delays, no failures. */
#define FAKE_SETTINGS ((fake_settings){.devices = 1, .memory = (size_t)1 << 30, .compute = 1})

/*
 * Begin anew: everything that is left is thrown away. Nothing may be running. Without it the
 * variable FAKECUDA of the environment is looked at, such as "devices=2 memory=1e9 bandwidth=1e10
 * launch=1e-6 kernel=1e-5 compute=0". A fast GPU: "speed=6e13 compute=0 bandwidth=5e10".
 */
void fake_reset(const fake_settings *settings);

/* Calls so far, and the one that was made to fail: its name; NULL: not reached. */
unsigned    fake_calls(void);
const char *fake_failed(void);

/* Fail from now on: as fail_call, which is counted from here. */
void fake_fail(unsigned call, int error, int sticky);

/* Misuses so far, and the first of them; "" if there is none. */
unsigned    fake_misuses(void);
const char *fake_misuse(void);
void        fake_quiet(int quiet); /* for tests of the fake: tell nobody on stderr */

/* What has been created and not destroyed; and what it is, as text for a message. */
unsigned fake_live(void);
void     fake_live_text(char *text, size_t size);
size_t   fake_memory_used(int device);
size_t   fake_memory_peak(int device);

/* Calls of cudaMemcpyAsync with pageable memory; kernels with cuBLAS's default workspace. */
unsigned fake_pageable(void);
unsigned fake_default_workspaces(void);

/* Launches that waited because their stream's queue was full; and settings.queue. */
unsigned fake_full(void);
unsigned fake_queue(void);

/* From now on settings.queue is this, and the first launch that finds a queue full waits until
 * fake_hold(FAKE_KERNEL, 0): it holds all kernels. */
void fake_fill(int queue);

/* Ranges of NVTX that were begun, the last one's name, and the number that threads are in now. */
enum { FAKE_RANGE = 32 };
unsigned fake_ranges(char name[FAKE_RANGE], int *open);

typedef struct fake_record {
    const char *name; /* of the call */
    fake_kind   kind;
    int         device;
    int         stream; /* a number for each that was ever created */
    int         in_graph;
    int         first;      /* a function's first launch through a handle */
    char        range[FAKE_RANGE]; /* of NVTX, that the caller was in; "": none */
    size_t      bytes;             /* copied */
    int64_t     asked;      /* when it was called for ... */
    int64_t     start, end; /* ... and ran: ns on CLOCK_MONOTONIC */
} fake_record;

size_t      fake_records(void);
fake_record fake_record_at(size_t index);

/* Operations of a kind that have begun and ended so far. */
unsigned fake_begun(fake_kind kind);
unsigned fake_ended(fake_kind kind);

/* Operations of the kind begin, but do not go on until this is called with 0. */
void fake_hold(fake_kind kind, int held);

#endif
