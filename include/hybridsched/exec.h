/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_EXEC_H
#define HYBRIDSCHED_EXEC_H

#include <hybridsched/backend.h>
#include <hybridsched/policy.h>

HS_BEGIN_DECLS

/*
 * libhybridsched-exec: a policy on the wall clock. One thread a worker runs tasks on
 * real cores and GPUs. No environment is read and no signal handler is set.
 */

/** What becomes of the rest when a task has failed for good. */
typedef enum hs_halt {
    HS_HALT_SOON,  /* start nothing more, let what runs end */
    HS_HALT_NOW,   /* abort what runs too */
    HS_HALT_NEVER  /* go on with the others */
} hs_halt;

typedef struct hs_exec_progress {
    double   seconds;   /* since the start */
    uint64_t total, done, running, failed;
    double   remaining; /* seconds that are left by the estimates */
} hs_exec_progress;

/** An attempt that failed. */
typedef struct hs_exec_failure {
    size_t      struct_size;
    uint32_t    task;
    uint32_t    number; /* of the attempt, from 1 */
    unsigned    worker;
    int         final;  /* it is not tried again */
    const char *why;
    const char *log;    /* NULL: none was kept */
} hs_exec_failure;

#define hs_exec_failure_init(f) ((f)->struct_size = sizeof *(f))

/** Always start from hs_exec_settings_init(). */
typedef struct hs_exec_settings {
    size_t struct_size;

    /* What decides. */
    const hs_policy_kind *policy;     /* NULL: plan */
    double                time_scale; /* what one unit of the plan's times lasts here; 0: 1 */
    double                tolerance;  /* see hs_policy_create(); 0: 0.02; negative: none */

    /* What runs the tasks. */
    int emulate[2]; /* by hs_type: tasks take their planned time (a GPU's gpu_command is run
                       all the same) */
    int allow_commands, allow_plugins;
    int verify;     /* check results of built-in kernels; 1 */
    const hs_backend *const *backends; /* asked before the built-in ones */
    size_t                   backend_count;

    /* Where they run. */
    int         oversubscribe;        /* more CPU workers than cores are welcome */
    int         no_reserve;           /* CPU workers may have the cores of GPUs' threads */
    int         keep_visible_devices; /* of commands, CUDA_VISIBLE_DEVICES stays as it is */
    const char *module;               /* file of the module for GPUs; NULL: the installed one */
    int         gpu_mode;             /* an hs_gpu_mode: how the plan's tasks get to a GPU */
    int         resident;             /* inputs are on GPUs before the start, results stay */

    /* When they do not end well. */
    unsigned retries;        /* further attempts at a task that failed; 0 */
    double   timeout;        /* seconds for an attempt; 0: none */
    double   timeout_factor; /* times its estimate; 0: none */
    double   grace;          /* seconds from SIGTERM to SIGKILL; 0: 2 */
    hs_halt  halt;

    /* What is left of it. */
    const char *logs;             /* folder for output of commands; NULL: none kept */
    int         logs_of_failures; /* of `logs` only what failed attempts printed is kept */
    const char *journal;          /* file; NULL: none */
    int         resume;           /* go on from that journal */
    int         look_only;        /* the journal is read and stays as it is; no run */

    /* What is told meanwhile, in the thread of hs_exec_run(), in which deadlines wait. */
    void (*progress)(void *progress_data, const hs_exec_progress *progress); /* NULL */
    void *progress_data;
    double progress_interval; /* seconds; 0: 0.2 */
    void (*failure)(void *failure_data, const hs_exec_failure *failure); /* NULL; each, soon after;
                                              strings last as long as the handle */
    void *failure_data;
} hs_exec_settings;

HS_API void hs_exec_settings_init_sized(hs_exec_settings *settings, size_t size);
#define hs_exec_settings_init(s) hs_exec_settings_init_sized((s), sizeof *(s))

/** Cores that this process may use: as many CPU workers can do without `oversubscribe`. */
HS_API unsigned hs_exec_cores(void);

/** A GPU that this process may use. */
typedef struct hs_exec_device {
    size_t   struct_size;
    char     name[128];  /* NVIDIA H200 */
    char     uuid[48];   /* GPU-... or MIG-... */
    char     pci[32];    /* 0000:3b:00.0 */
    uint64_t memory;     /* bytes */
    char     cores[256]; /* processors nearest to it, 0-7,16-23; empty: not known */
} hs_exec_device;

#define hs_exec_device_init(d) ((d)->struct_size = sizeof *(d))

/**
 * The index-th GPU, in the order in which workers get them: that of CUDA_VISIBLE_DEVICES, which
 * the CUDA runtime obeys. `module` as in the settings; `out` NULL: only how many there are.
 * HS_ERESOURCE: `why` (HS_WHY bytes, or NULL) says why there is none.
 */
HS_API hs_status hs_exec_device_at(const char *module, unsigned index, hs_exec_device *out,
                                   unsigned *count, char why[HS_WHY]);

typedef struct hs_exec hs_exec;

/**
 * Make ready to run the tasks of `in` (which must outlive the handle, as `plan`
 * must; NULL where the policy needs none): everything that can be refused is refused
 * here, before anything starts. On failure `why` (HS_WHY bytes, or NULL) says why:
 * HS_EREFUSED: commands or plugins were not allowed; HS_ERESOURCE: no GPU, too few
 * cores; HS_EINVAL: an unknown kernel, a journal of another plan, bad settings.
 */
HS_API hs_status hs_exec_create(const hs_instance *in, const hs_schedule *plan,
                                const hs_exec_settings *settings, hs_exec **out,
                                char why[HS_WHY]);
HS_API void      hs_exec_free(hs_exec *exec);

/** How a worker will work: for --dry-run. */
typedef struct hs_exec_worker_info {
    size_t      struct_size;
    char        name[16];    /* cpu3 */
    int         os_cpu;      /* -1: not bound */
    const char *device;      /* UUIDs of GPUs; NULL: emulated */
} hs_exec_worker_info;

#define hs_exec_worker_info_init(i) ((i)->struct_size = sizeof *(i))
HS_API void hs_exec_worker(const hs_exec *exec, unsigned worker, hs_exec_worker_info *info);

/** Name of the backend that runs a task on a type; NULL if it cannot run there. */
HS_API const char *hs_exec_backend(const hs_exec *exec, uint32_t task, hs_type type);

/** Tasks that the journal says are done. */
HS_API uint64_t hs_exec_resumed(const hs_exec *exec);

typedef enum hs_exec_stop_how { HS_STOP_DRAIN = 1, HS_STOP_NOW = 2 } hs_exec_stop_how;

/** Start nothing more, or abort what runs as well. May be called from a signal handler. */
HS_API void hs_exec_stop(hs_exec *exec, hs_exec_stop_how how);

typedef struct hs_exec_report {
    size_t   struct_size;
    uint64_t tasks, done, resumed, failed, not_run; /* tasks; done includes resumed; what is
                                                       none of these is unrecorded */
    uint64_t aborted;          /* attempts that were taken over by another worker */
    uint64_t retried;
    unsigned lost_workers;
    double   seconds;          /* from the start to the last end */
    double   overhead;         /* seconds: (workers x seconds - busy) / tasks done or failed here */
    int      stopped;          /* by hs_exec_stop() */
    double   busy;             /* seconds in bodies, over all workers */
    double   idle;             /* seconds in which the policy had nothing for a worker, or it was
                                  out of service */
    double   dispatch;         /* overhead without `idle` */
    uint64_t unrecorded;       /* tasks that came to a good end, but not into the journal, which
                                  could no longer be written */
} hs_exec_report;

#define hs_exec_report_init(r) ((r)->struct_size = sizeof *(r))

/**
 * Run. HS_OK: every task is done. HS_EFAILED: some are not (see the report);
 * HS_ECANCELED: stopped; HS_ESCHEDULE: the policy decides what cannot be done; HS_EIO,
 * HS_ENOMEM, HS_ERESOURCE: `why` says what. Once a handle.
 */
HS_API hs_status hs_exec_run(hs_exec *exec, hs_exec_report *report, char why[HS_WHY]);

/** One attempt that was made, times in seconds from the start. */
typedef struct hs_exec_record {
    double   start, end;
    uint32_t task;
    uint16_t number;  /* of the attempt, from 1 */
    uint16_t outcome; /* an hs_outcome */
} hs_exec_record;

/** After the run: the attempts of one worker by time; owned by the handle. */
HS_API const hs_exec_record *hs_exec_records(const hs_exec *exec, unsigned worker, size_t *count);

/** Failures so far, in order of time: 0 past the last. From any thread, during the run too. */
HS_API int hs_exec_failure_at(const hs_exec *exec, size_t index, hs_exec_failure *out);

HS_END_DECLS

#endif
