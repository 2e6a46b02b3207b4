/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_PLUGIN_H
#define HYBRIDSCHED_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/policy.h>
#include <hybridsched/solve.h>

HS_BEGIN_DECLS

/*
 * Tasks written in C. A task whose kernel is `plugin:FILE.so:SYMBOL` runs
 *
 *     #include <hybridsched/plugin.h>
 *
 *     HS_PLUGIN_FILE;
 *
 *     HS_PLUGIN_TASK(SYMBOL)
 *     {
 *         while (there_is_more(task->id)) {
 *             if (hs_plugin_cancelled(task))
 *                 return HS_PLUGIN_ABORTED;
 *             do_a_millisecond_of_it();
 *         }
 *         return HS_PLUGIN_DONE;
 *     }
 *
 *     cc -shared -fPIC $(pkg-config --cflags hybridsched) -o FILE.so file.c
 *
 * in the process and the thread of its worker, which is bound to a core. Several
 * workers may run the same function at once. It may be run again for the same task:
 * after a failure, or after it was told to stop so that another worker takes over. It
 * must not end the process or its thread, and must leave signals, the locale and the
 * thread's binding as they are. The header needs nothing to link with.
 *
 * The same files may offer algorithms and policies, which are tables of functions: see
 * <hybridsched/solve.h>, <hybridsched/policy.h> and HS_PLUGIN_OFFER. What they call of
 * libhybridsched is there, in the program that opens them.
 */

#define HS_PLUGIN_ABI 1u

typedef enum hs_plugin_result {
    HS_PLUGIN_DONE = 0,
    HS_PLUGIN_ABORTED = -1, /* it was cancelled, and nothing of it runs any more */
    HS_PLUGIN_FAILED = 1    /* so does any other value; task->message may say why */
} hs_plugin_result;

/** One execution of a task. Later versions add members at the end: see HS_PLUGIN_HAS(). */
typedef struct hs_plugin_task {
    size_t      struct_size;
    const char *id;      /* the task's name, gemm-4-2 or tile#17 */
    uint32_t    task;    /* its number, from 0 */
    uint32_t    attempt; /* 1: the first */
    const char *worker;  /* "cpu3" */
    uint32_t    type;    /* an hs_type: what the worker is */
    uint32_t    index;   /* of the worker, among those of its type */
    int32_t     os_cpu;  /* the core that the thread is bound to; -1: none */
    const char *device;  /* GPUs: what CUDA_VISIBLE_DEVICES would say; NULL: none */
    double      seconds; /* what it should take */
    const int  *cancel;  /* to be read with hs_plugin_cancelled() */
    int32_t     wake_fd; /* becomes readable when `cancel` is set: for poll(2) */
    uint32_t    message_size;
    char       *message; /* room for one line that says why it failed; empty at first */
    const char *log;     /* a file of this attempt's own for longer output; NULL: none */
    void       *stream;  /* a cudaStream_t of the GPU, which is the thread's current device; NULL */
} hs_plugin_task;

/** Was the program built and run with versions that both know this member? */
#define HS_PLUGIN_HAS(task, member)                                                                \
    ((task)->struct_size >= offsetof(hs_plugin_task, member) + sizeof(task)->member)

/** Is the task to stop now? Costs a load; to be asked about every millisecond. */
static inline int hs_plugin_cancelled(const hs_plugin_task *task)
{
    return __atomic_load_n(task->cancel, __ATOMIC_ACQUIRE);
}

typedef int hs_plugin_function(const hs_plugin_task *task);

#ifdef __cplusplus
#define HS_PLUGIN_C    extern "C" HS_API
#define HS_PLUGIN_DATA HS_PLUGIN_C
#else
#define HS_PLUGIN_C    HS_API
#define HS_PLUGIN_DATA extern HS_API
#endif

/** Once in a plugin: the version that it was compiled for. */
#define HS_PLUGIN_FILE                                                                             \
    HS_PLUGIN_DATA const unsigned hs_plugin_abi;                                                   \
    const unsigned                hs_plugin_abi = HS_PLUGIN_ABI

/** Begins the definition of a task's function, with a parameter `task`. */
#define HS_PLUGIN_TASK(symbol)                                                                     \
    HS_PLUGIN_C int symbol(const hs_plugin_task *task);                                            \
    int             symbol(const hs_plugin_task *task)

/**
 * The same for GPUs: where a file has both, the task runs this one there, and else the
 * one and only on both types. What it puts into task->stream has to be over when it returns.
 */
#define HS_PLUGIN_GPU_TASK(symbol) HS_PLUGIN_TASK(symbol##_gpu)

/** What a file offers beside tasks, for --plugin: lists that end with NULL; NULL: none. */
typedef struct hs_plugin_offer {
    size_t                       struct_size;
    const hs_algorithm *const   *algorithms; /* for hsched-solve */
    const hs_policy_kind *const *policies;   /* for hsched-exec */
} hs_plugin_offer;

/** Once in such a file: HS_PLUGIN_OFFER = {sizeof(hs_plugin_offer), algorithms, policies}; */
#define HS_PLUGIN_OFFER                                                                            \
    HS_PLUGIN_DATA const hs_plugin_offer hs_plugin_offers;                                         \
    const hs_plugin_offer                hs_plugin_offers

HS_END_DECLS

#endif
