/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_BACKEND_H
#define HYBRIDSCHED_BACKEND_H

#include <hybridsched/schedule.h>

HS_BEGIN_DECLS

/*
 * What a module has to provide so that libhybridsched-exec can run tasks with it,
 * and what a plugin sees of a task. Each worker has a list of backends; the first
 * that makes a body of a task runs it there.
 */

#define HS_BACKEND_ABI 1

#define HS_WHY 512 /* bytes of a message: one line that says what is wrong and what to do */

typedef enum hs_outcome {
    HS_OUTCOME_DONE,
    HS_OUTCOME_ABORTED, /* it was told to, and nothing of it is running any more */
    HS_OUTCOME_FAILED,  /* see attempt->why; another attempt may succeed */
    HS_OUTCOME_LOST     /* the worker itself failed: it is to run nothing more */
} hs_outcome;

/** What was verified of the result of a task. */
typedef enum hs_check {
    HS_CHECK_NONE,     /* the task has no result that could be verified */
    HS_CHECK_LEFT_OUT, /* its result was not verified */
    HS_CHECK_MADE      /* its result was verified: a wrong one is HS_OUTCOME_FAILED */
} hs_check;

/** One execution of a task. */
typedef struct hs_attempt hs_attempt;
struct hs_attempt {
    size_t             struct_size;
    const hs_instance *instance;
    uint32_t           task;
    uint32_t           number;  /* 1: the first */
    unsigned           worker;
    double             seconds; /* what it should take, on the wall */
    const int         *cancel;  /* read it with hs_attempt_cancelled(), which says why */
    int                wake_fd; /* becomes readable when `cancel` is set: to wait for both */
    const char        *log;     /* file for what it prints; NULL: nowhere */
    char              *why;     /* HS_WHY bytes, empty: for a failure, or a note on what is done */
    int                status;  /* to be set, of a process: its exit status; -1: none */
    int                signal;  /* likewise: that ended it; 0: none */
    const char        *errors;  /* file for its standard error; NULL: `log` has that, too */

    /** To be told each line that it prints, newline included, `error`: on standard error; a long
     * one may come in pieces. NULL: nobody asks. */
    void (*printed)(const hs_attempt *attempt, int error, const char *line, size_t length);

    double core_seconds; /* set by the backend: processor time of the task's own processes and
                            threads; initially 0 */
    double core_wait;    /* set by the backend: seconds that these processes and threads waited for
                            a core; initially 0; NaN: not known */
    hs_check check; /* to be set of a task that is done, HS_CHECK_NONE before */
    int64_t  end;   /* to be set by run() if verification comes behind the task's time: its end, ns
                       of CLOCK_MONOTONIC; 0: the task ends when run() does */
};

/** Is the task to stop now? To be asked about every millisecond. */
typedef enum hs_cancel {
    HS_CANCEL_NOT,
    HS_CANCEL_STOP, /* its time is up, or the run is to end: whatever comes of it is not wanted */
    HS_CANCEL_TAKEN /* another worker is to run it: if it is done all the same, so much the better */
} hs_cancel;

/** An hs_cancel. */
static inline int hs_attempt_cancelled(const hs_attempt *attempt)
{
    return __atomic_load_n(attempt->cancel, __ATOMIC_ACQUIRE);
}

/** The worker that a backend is to work for. */
typedef struct hs_backend_worker_info {
    size_t   struct_size;
    unsigned number;      /* among all workers */
    hs_type  type;
    unsigned index;       /* among those of its type */
    unsigned cpus, gpus;  /* workers in all */
    int      os_cpu;      /* the core it is bound to, the first of them; -1: none */
    unsigned core_count;  /* cores that it has, for as many threads */
    const int *cores;     /* those that it is bound to; NULL: none */
    const char *device;   /* GPUs: what CUDA_VISIBLE_DEVICES should say; NULL: no real one */
    unsigned device_index; /* of that one in the list of devices() */
    void    *stream;       /* what stream() of the backend for it gave; NULL: none */
} hs_backend_worker_info;

/** A GPU that there is. */
typedef struct hs_backend_device {
    size_t   struct_size;
    char     name[128]; /* NVIDIA H200 */
    char     uuid[48];  /* GPU-... or MIG-..., as CUDA_VISIBLE_DEVICES takes it */
    char     pci[32];   /* 0000:3b:00.0 */
    uint64_t memory;    /* bytes */
} hs_backend_device;

/** How tasks get to a GPU that has several on their way. */
typedef enum hs_gpu_mode {
    HS_GPU_STREAMS, /* each by itself, through one of some streams */
    HS_GPU_GRAPH    /* in batches that are put together before the start, where they can be */
} hs_gpu_mode;

/** How the tasks are to be run; what a backend cares for. */
typedef struct hs_backend_options {
    size_t struct_size;
    double seconds_per_unit; /* of the instance, time scale included */
    double grace;            /* seconds between SIGTERM and SIGKILL */
    double memory;           /* bytes that a process of a command may have; 0: no limit */
    int    allow_commands, allow_plugins;
    int    look_only;            /* nothing will run: code of others is not even loaded */
    int    keep_visible_devices; /* leave CUDA_VISIBLE_DEVICES of commands alone */
    int    emulate[2];           /* by hs_type: tasks take their time and do nothing */
    int    verify;               /* check results of built-in kernels */
    int    gpu_mode;             /* an hs_gpu_mode */
    int    resident;             /* GPUs: inputs are there before the start, results stay */
    double device_memory;        /* bytes of the smallest GPU that is used; 0: not known */
    struct hsi_starter *starter; /* the library's own: of processes for commands */
    void  *data;                 /* of the backend that is asked: its own `data` */
    size_t row;                  /* body_create(): the row's number; else 0 */
} hs_backend_options;

typedef struct hs_backend hs_backend;

/** What a backend made of a row of the instance: the first member of its own structure. */
typedef struct hs_body {
    const hs_backend *backend;
} hs_body;

/** A backend's state for one worker, likewise. */
typedef struct hs_backend_worker {
    const hs_backend *backend;
} hs_backend_worker;

/** A task that a worker is to be ready for. */
typedef struct hs_backend_item {
    const hs_body *body;
    uint32_t       task;
} hs_backend_item;

/** The end of an attempt that was submitted; times are ns of CLOCK_MONOTONIC. */
typedef struct hs_completion {
    hs_attempt *attempt;
    hs_outcome  outcome;
    int64_t     start, end; /* the part of the time that is this attempt's: none overlap */
} hs_completion;

struct hs_backend {
    unsigned    abi;  /* HS_BACKEND_ABI */
    const char *name; /* "cpu", "command", ... */

    /**
     * A body for the row's task on workers of `type`. HS_OK with *out NULL: not for
     * this backend. Otherwise `why` says what is wrong: HS_EREFUSED: not allowed;
     * HS_ERESOURCE: something is missing; HS_EINVAL: the row makes no sense. HS_ENOMEM needs
     * no words.
     */
    hs_status (*body_create)(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, char why[HS_WHY]);
    void (*body_free)(hs_body *body); /* NULL: there is nothing to free */

    /**
     * Both in the worker's own thread, before its first and after its last task.
     * HS_ERESOURCE: the worker cannot serve. NULL, both: there is nothing to do, and the
     * worker that run() gets is NULL.
     */
    hs_status (*worker_open)(const hs_backend_options *options,
                             const hs_backend_worker_info *info, hs_backend_worker **out,
                             char why[HS_WHY]);
    void (*worker_close)(hs_backend_worker *worker);

    hs_outcome (*run)(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);

    /* The rest may be NULL. */

    /** The GPUs there are, at most `room` of them written. HS_ERESOURCE: `why` says why none. */
    hs_status (*devices)(hs_backend_device *list, unsigned room, unsigned *count,
                         char why[HS_WHY]);

    /**
     * In the worker's thread, before the start: what may come. `ordered`: it is its list, to
     * be submitted in this order unless something goes wrong. HS_ERESOURCE: it cannot be done.
     */
    hs_status (*prepare)(hs_backend_worker *worker, const hs_instance *instance,
                         const hs_backend_item *items, size_t count, int ordered,
                         char why[HS_WHY]);

    /** The stream that tasks of other backends may use, as a pointer. */
    void *(*stream)(hs_backend_worker *worker);

    /*
     * Several tasks on their way at once, for a worker whose next tasks are known: at most
     * depth() attempts are submitted and not collected. They are collected as they end,
     * all of them before run() or worker_close(). submit(): 0 if there is no room before some
     * are collected. collect(): 0 if `wait` is 0 and none is over, or if there is none.
     */
    unsigned (*depth)(hs_backend_worker *worker);
    int (*submit)(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt);
    int (*collect)(hs_backend_worker *worker, int wait, hs_completion *out);

    /**
     * Whatever the maker of the table likes: in the options, and through `backend` in bodies
     * and workers. A program that runs several things at once gives each a copy of the table.
     */
    void *data;

    const struct hsi_sharing *sharing; /* the library's own: tiles that tasks share, on GPUs */
};

/** The one symbol of a module: a backend, or NULL if it is for another ABI. */
typedef const hs_backend *hs_backend_module_function(unsigned abi);
#define HS_BACKEND_MODULE_SYMBOL "hs_backend_module"

HS_END_DECLS

#endif
