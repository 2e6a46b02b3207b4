/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_BACKEND_H
#define HYBRIDSCHED_BACKEND_H

#include <hybridsched/cost.h>
#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/*
 * The interface between libhybridsched-exec and its backends, the modules that run tasks. Each
 * worker has a list of backends; the first backend to create a body for a task runs the task on
 * this worker.
 */

#define HS_BACKEND_ABI 1 /* passed to the function of a module */

/** End of an attempt to execute a task. */
typedef enum hs_outcome {
    HS_OUTCOME_DONE,
    HS_OUTCOME_ABORTED, /* the task was cancelled, and no part of the task still runs */
    HS_OUTCOME_FAILED,  /* attempt->why has the reason; another attempt may succeed */
    HS_OUTCOME_LOST     /* the worker itself failed and must run no further task */
} hs_outcome;

/** Verification of a finished task's result. */
typedef enum hs_verification {
    HS_VERIFICATION_NONE,    /* the task has no result that can be verified */
    HS_VERIFICATION_SKIPPED, /* the result was not verified */
    HS_VERIFICATION_PASSED   /* the result was verified and is correct; a wrong result gives
                       HS_OUTCOME_FAILED */
} hs_verification;

/** An attempt to execute a task. The dispatcher fills the inputs, the backend the outputs. */
typedef struct hs_attempt hs_attempt;
struct hs_attempt {
    size_t             struct_size;
    const hs_instance *instance;
    uint32_t           task;
    uint32_t           number; /* number of the attempt, from 1 */
    unsigned           worker;
    double             seconds; /* expected wall-clock duration */
    const int         *cancel;  /* an hs_cancel; read with hs_attempt_cancelled() */
    int                wake_fd; /* descriptor for poll(2); becomes readable when `cancel` is set */
    const char        *log;     /* output file for the task; NULL: discard output */
    const char        *error_log; /* file for standard error; NULL: write standard error to `log` */

    /**
     * Callback for each line of output, newline included; `error`: 1 for standard error. A long
     * line may arrive in several pieces. NULL: no callback.
     */
    void (*line_printed)(const hs_attempt *attempt, int error, const char *line, size_t length);

    char *why;           /* output: buffer of HS_WHY bytes, initially empty, for the reason of a
                            failure or a note about a success */
    int    status;       /* output of a process: exit status; -1: none */
    int    signal;       /* output of a process: terminating signal; 0: none */
    double core_seconds; /* output: processor time of the task's own processes and threads;
                            initially 0 */
    double core_wait;    /* output: seconds during which these processes and threads waited for a
                            core; initially 0; NaN: unknown */
    hs_verification verification; /* output of a finished task; initially HS_VERIFICATION_NONE */
    int64_t         end;          /* output: end of the task's own work if run() verifies the result
                                     afterwards, ns of CLOCK_MONOTONIC; 0: the task ends when run()
                                     returns */
};

/** Cancel request for a running task. Poll about every millisecond. */
typedef enum hs_cancel {
    HS_CANCEL_NONE,
    HS_CANCEL_STOP,     /* stop and discard the result: timeout, or the run is being stopped */
    HS_CANCEL_SPOLIATED /* stop for spoliation by another worker; a result completed anyway is
                       accepted */
} hs_cancel;

/** Return the attempt's hs_cancel. Costs one atomic load. */
static inline int hs_attempt_cancelled(const hs_attempt *attempt)
{
    return __atomic_load_n(attempt->cancel, __ATOMIC_ACQUIRE);
}

/** Description of the worker behind a backend's worker state. */
typedef struct hs_backend_worker_info {
    size_t      struct_size;
    unsigned    number; /* number among all workers */
    hs_type     type;
    unsigned    index;        /* number among workers of this type */
    unsigned    cpus, gpus;   /* total number of workers of each type */
    int         os_cpu;       /* first core of the worker's binding; -1: not bound */
    unsigned    core_count;   /* number of cores, hence of threads, for this worker */
    const int  *cores;        /* cores of the binding; NULL: not bound */
    const char *device;       /* GPU worker: value for CUDA_VISIBLE_DEVICES; NULL: no real device */
    unsigned    device_index; /* index of `device` in the list from devices() */
    void       *stream;       /* result of stream() of the device's backend; NULL: none */
} hs_backend_worker_info;

/** An available GPU. */
typedef struct hs_backend_device {
    size_t   struct_size;
    char     name[128]; /* product name, e.g. NVIDIA H200 */
    char     uuid[48];  /* GPU-... or MIG-..., in the syntax of CUDA_VISIBLE_DEVICES */
    char     pci[32];   /* PCI address, e.g. 0000:3b:00.0 */
    uint64_t memory;    /* device memory in bytes */
} hs_backend_device;

/** Launch mode of several in-flight tasks on a GPU. */
typedef enum hs_gpu_mode {
    HS_GPU_STREAMS, /* each task alone, on a stream of a small set */
    HS_GPU_GRAPH    /* in segments, built as CUDA graphs before the start where possible */
} hs_gpu_mode;

/** Options of a run for its backends. */
typedef struct hs_backend_options {
    size_t struct_size;
    double seconds_per_unit; /* seconds per unit of the instance's times, time scale included */
    double grace;            /* seconds between SIGTERM and SIGKILL */
    double process_memory;   /* memory limit per process of a command, in bytes; 0: no limit */
    int    allow_commands, allow_plugins;
    int    dry_run;              /* load no foreign code: no task will run */
    int    keep_visible_devices; /* leave CUDA_VISIBLE_DEVICES of commands alone */
    int    emulate[2];           /* whether tasks are emulated by timers, by hs_type */
    int    verify;               /* verify results of built-in kernels */
    int    gpu_mode;             /* an hs_gpu_mode */
    int    resident;             /* GPUs: inputs are uploaded before the start, results stay on
                                    the device */
    double device_memory;        /* bytes of the smallest GPU in use; 0: unknown */
    struct hsi_starter *starter; /* private to the library: starts processes for commands */
    void               *data;    /* hs_backend.data of the backend being called */
    size_t              row;     /* row of the task for body_create(); other calls: 0 */
} hs_backend_options;

typedef struct hs_backend hs_backend;

/**
 * A row of the instance, prepared by a backend: first member of the backend's own structure. The
 * layout is final.
 */
typedef struct hs_body {
    const hs_backend *backend;
} hs_body;

/**
 * A backend's state for one worker: first member of the backend's own structure. The layout is
 * final.
 */
typedef struct hs_backend_worker {
    const hs_backend *backend;
} hs_backend_worker;

/** A task in the list passed to prepare(). The layout is final. */
typedef struct hs_backend_item {
    const hs_body *body;
    uint32_t       task;
} hs_backend_item;

/** The end of a submitted attempt; times in ns of CLOCK_MONOTONIC. */
typedef struct hs_completion {
    size_t      struct_size; /* size of the struct, set by the caller of collect() */
    hs_attempt *attempt;
    hs_outcome  outcome;
    int64_t     start, end; /* interval attributed to this attempt; intervals of a worker never
                               overlap; both 0 with HS_OUTCOME_ABORTED: the attempt did not begin */
} hs_completion;

/**
 * The functions of a backend. The `error` of a function is never NULL; a function that fails writes
 * the reason to error->why, and need not set the other fields.
 */
struct hs_backend {
    size_t      struct_size; /* sizeof(hs_backend) */
    const char *name;        /* "cpu", "command", ... */

    /**
     * Create a body for the row's task on workers of `type`. HS_OK with *out NULL: this backend
     * does not serve the row. On failure error->why has the reason, except that HS_ENOMEM needs
     * none: HS_EREFUSED: not allowed; HS_ERESOURCE: a required resource is missing; HS_EINVAL: the
     * row is contradictory.
     */
    hs_status (*body_create)(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error);
    void (*body_free)(hs_body *body); /* free a body; NULL: bodies need no cleanup */

    /**
     * Open and close the worker's state; both are called in the worker's own thread, before its
     * first and after its last task. HS_ERESOURCE: the worker cannot run tasks. Both may be NULL;
     * run() then gets a NULL worker.
     */
    hs_status (*worker_open)(const hs_backend_options *options, const hs_backend_worker_info *info,
                             hs_backend_worker **out, hs_error *error);
    void (*worker_close)(hs_backend_worker *worker);

    hs_outcome (*run)(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);

    /* The functions below may be NULL. */

    /**
     * Write at most `room` available GPUs to `list` and their total number to *count. HS_ERESOURCE:
     * no GPU is available.
     */
    hs_status (*devices)(hs_backend_device *list, unsigned room, unsigned *count, hs_error *error);

    /**
     * Prepare the worker for `items`, before the start and in the worker's thread. `ordered`: the
     * items are the worker's complete list and are submitted in this order unless a fault occurs.
     * HS_ERESOURCE: the preparation failed.
     */
    hs_status (*prepare)(hs_backend_worker *worker, const hs_instance *instance,
                         const hs_backend_item *items, size_t count, int ordered, hs_error *error);

    /* Return the worker's stream, which tasks of other backends share, as a pointer. */
    void *(*stream)(hs_backend_worker *worker);

    /*
     * Asynchronous execution, for a worker whose next tasks are known. At most depth() attempts are
     * submitted and not yet collected. Attempts are collected as they end, and every attempt is
     * collected before run() or worker_close(). submit() returns 0 when full: collect first.
     * collect() returns 0 if no attempt is in flight, or if `wait` is 0 and none has ended.
     */
    unsigned (*depth)(hs_backend_worker *worker);
    int (*submit)(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
    int (*collect)(hs_backend_worker *worker, int wait, hs_completion *out);

    /**
     * Free for use by the table's owner; passed in hs_backend_options and reachable through
     * `backend` of bodies and workers. A program with several runs at once gives each run a copy of
     * the table.
     */
    void *data;

    const struct hsi_sharing *sharing; /* NULL: reserved for the library */

    /**
     * Measure copies from the memory of one GPU, by its index in the list of devices(), to that of
     * another, or from or to pinned memory of the host (HS_NONE): set `seconds` of each sample for
     * its `bytes` > 0. The calling thread runs no task. HS_ERESOURCE: a copy failed. May be NULL.
     */
    hs_status (*time_copies)(unsigned from, unsigned to, hs_copy_sample *samples, size_t count,
                             hs_error *error);
};

/** The only symbol of a module: returns a backend, or NULL for another ABI. */
typedef const hs_backend *hs_backend_module_function(unsigned abi);
#define HS_BACKEND_MODULE_SYMBOL "hs_backend_module"

HS_END_DECLS

#endif
