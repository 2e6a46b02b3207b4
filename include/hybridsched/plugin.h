/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_PLUGIN_H
#define HYBRIDSCHED_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/policy.h>
#include <hybridsched/solve.h>

HS_BEGIN_DECLS

/*
 * Tasks written in C. For a task with the kernel `plugin:FILE.so:SYMBOL`, compile
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
 * The function runs in the process and the thread of its worker, which is bound to a core. Several
 * workers may call it at once. It may be called again for one task, after a failure or a
 * spoliation. It must not end the process or its thread, and must keep signals, the locale and the
 * thread's binding unchanged. The header needs no library at link time.
 *
 * A file may also offer algorithms and policies, as tables of functions: see <hybridsched/solve.h>,
 * <hybridsched/policy.h> and HS_PLUGIN_OFFER. Their calls to libhybridsched are resolved by the
 * program that opens the file.
 */

#define HS_PLUGIN_ABI 1u

typedef enum hs_plugin_result {
    HS_PLUGIN_DONE = 0,
    HS_PLUGIN_ABORTED = -1, /* the task was cancelled, and no part of it still runs */
    HS_PLUGIN_FAILED = 1    /* any other value also means failure; task->message may have the
                               reason */
} hs_plugin_result;

/** A datum that the task uses, in the order of the task's column `data`. The layout is final. */
typedef struct hs_plugin_data {
    const char *name;
    void       *at;     /* address, on GPUs of CUDA in their memory; aligned to 64 bytes if the
                           library allocated the memory; NULL: the datum is in `buffer` */
    void       *buffer; /* OpenCL: the cl_mem that has the datum; else NULL */
    size_t      offset; /* offset in `buffer` */
    size_t      bytes;
    uint32_t    mode; /* an hs_access_mode: write only if it has HS_WRITE; without HS_READ the
                         initial content is undefined, and the task writes all bytes */
} hs_plugin_data;

/** An execution of a task. Later versions add members at the end: see HS_PLUGIN_HAS(). */
typedef struct hs_plugin_task {
    size_t      struct_size;
    const char *id;      /* name of the task, e.g. gemm-4-2 or tile#17 */
    uint32_t    task;    /* number of the task, from 0 */
    uint32_t    attempt; /* number of the attempt, from 1 */
    const char *worker;  /* name of the worker, e.g. "cpu3" */
    uint32_t    type;    /* an hs_type: the worker's type */
    uint32_t    index;   /* number of the worker within its type */
    int32_t     os_cpu;  /* first core of the thread's binding; -1: not bound */
    const char *device;  /* GPU worker: value for CUDA_VISIBLE_DEVICES; NULL: no device */
    double      seconds; /* expected duration */
    const int  *cancel;  /* cancel request; read with hs_plugin_cancelled() */
    int32_t     wake_fd; /* descriptor for poll(2); becomes readable when `cancel` is set */
    uint32_t    message_size; /* bytes of `message` */
    char       *message;      /* buffer for the reason of a failure or a note about a success */
    const char *log;     /* file for longer output of this attempt; NULL: none */
    void       *stream;  /* the GPU's cudaStream_t; the GPU is the current device of the thread.
                            OpenCL: the cl_command_queue. NULL: none */
    const hs_plugin_data *data; /* the data that the task uses; NULL: none */
    size_t                data_count;
} hs_plugin_task;

/** Return 1 if both program and plugin were compiled with versions that have this member. */
#define HS_PLUGIN_HAS(task, member)                                                                \
    ((task)->struct_size >= offsetof(hs_plugin_task, member) + sizeof(task)->member)

/**
 * Poll the cancel request, about every millisecond. Costs a load; returns not 0 if the task must
 * stop.
 */
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

/** Record the header's version in the plugin; use once per file. */
#define HS_PLUGIN_FILE                                                                             \
    HS_PLUGIN_DATA const unsigned hs_plugin_abi;                                                   \
    const unsigned                hs_plugin_abi = HS_PLUGIN_ABI

/** Begin the definition of a task's function, with parameter `task`. */
#define HS_PLUGIN_TASK(symbol)                                                                     \
    HS_PLUGIN_C int symbol(const hs_plugin_task *task);                                            \
    int             symbol(const hs_plugin_task *task)

/**
 * Begin the definition of a task's function for GPUs of CUDA. A file with both functions runs this
 * one on GPUs; a file with one function runs it on both types. Without HS_PLUGIN_MODES, work
 * launched on task->stream must be complete when the function returns.
 */
#define HS_PLUGIN_GPU_TASK(symbol) HS_PLUGIN_TASK(symbol##_gpu)

/** Begin the definition of a task's function for OpenCL devices, which needs HS_PLUGIN_MODES. */
#define HS_PLUGIN_OPENCL_TASK(symbol) HS_PLUGIN_TASK(symbol##_opencl)

/**
 * Declare how the functions use the data of their tasks, in the order of the column `data`:
 * HS_PLUGIN_MODES(blur, HS_READ, HS_WRITE). Tasks with data need this, and each row must name as
 * many data, with these modes.
 *
 * The library copies the data to the device that runs a task. The function for CUDA or OpenCL then
 * only enqueues work on task->stream, and returns without waiting: the task ends when the stream is
 * done with this work, and the data must not be used elsewhere. Tasks are queued behind each other
 * in this way. The function may use the task and its data until it returns, and `cancel`, `wake_fd`
 * and `log` have no effect. OpenCL reports no failure of a kernel that runs, only of the calls that
 * enqueue it. An emulated GPU or device runs the function for CPUs.
 */
#define HS_PLUGIN_MODES(symbol, ...)                                                               \
    HS_PLUGIN_DATA const uint32_t symbol##_modes[];                                                \
    const uint32_t                symbol##_modes[] = {__VA_ARGS__, HS_PLUGIN_MODES_END}

#define HS_PLUGIN_MODES_END UINT32_MAX

/** A plugin's algorithms and policies, for --plugin: NULL-terminated lists; NULL: none. */
typedef struct hs_plugin_offer {
    size_t                       struct_size;
    const hs_algorithm *const   *algorithms; /* for hsched-solve */
    const hs_policy_kind *const *policies;   /* for hsched-exec */
} hs_plugin_offer;

/**
 * Define the offer once per file: HS_PLUGIN_OFFER = {sizeof(hs_plugin_offer), algorithms,
 * policies};
 */
#define HS_PLUGIN_OFFER                                                                            \
    HS_PLUGIN_DATA const hs_plugin_offer hs_plugin_offers;                                         \
    const hs_plugin_offer                hs_plugin_offers

HS_END_DECLS

#endif
