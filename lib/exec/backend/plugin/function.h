/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_PLUGIN_FUNCTION_H
#define HSI_EXEC_BACKEND_PLUGIN_FUNCTION_H

#include <hybridsched/backend.h>
#include <hybridsched/plugin.h>

/*
 * What backends share whose tasks are functions with an hs_plugin_task: the state of a worker, and
 * the meaning of results.
 */
typedef struct hsi_function_worker {
    hs_backend_worker base;
    char              name[16];
    hs_plugin_task    task; /* the members that are the same for all attempts of the worker, and
                               those of the present attempt */
    hs_plugin_data *data;   /* room for task.data */
    struct hsi_use   *use;    /* of the same data */
    size_t            room;
} hsi_function_worker;

/* Create the state for a worker; info->device must outlive it. On HS_OK the caller owns *out, and
 * frees it with hsi_function_worker_close(). HS_ENOMEM. */
hs_status hsi_function_worker_open(const hs_backend *backend, const hs_backend_worker_info *info,
                                   hs_backend_worker **out);
void      hsi_function_worker_close(hs_backend_worker *worker);

/* Return the members of a task that are the same for all attempts of a worker; info->device and
 * `name`, which is set to the worker's, must outlive them. */
hs_plugin_task hsi_function_described(const hs_backend_worker_info *info, char name[16]);

/* Describe the attempt in a task, whose id remains unchanged. Costs a few stores. */
static inline void hsi_function_set_attempt(hs_plugin_task *task, hs_attempt *attempt)
{
    task->task = attempt->task;
    task->attempt = attempt->number;
    task->seconds = attempt->seconds;
    task->cancel = attempt->cancel;
    task->wake_fd = attempt->wake_fd;
    task->message = attempt->why;
    task->log = attempt->log;
}

/* Describe the attempt in the task of the worker, and return this task. */
static inline hs_plugin_task *hsi_function_describe(hs_backend_worker *worker, hs_attempt *attempt)
{
    hs_plugin_task *task = &((hsi_function_worker *)worker)->task;

    hsi_function_set_attempt(task, attempt);
    return task;
}

/* Return the outcome for an hs_plugin_result. For a failure without a reason, write the reason to
 * attempt->why: it names the function as `what`. */
hs_outcome hsi_function_judge(int result, const char *what, hs_attempt *attempt);

#endif
