/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_OLD_H
#define TOOLS_EXEC_OLD_H

#include "common/json.h"
#include "exec/exec.h"

/* The JSON report of an earlier run, for comparison with this one. */

typedef struct exec_old_kernel {
    const char *name;
    hs_type     type;
    double      count, mean; /* in the earlier run's unit */
} exec_old_kernel;

/** A finished attempt. */
typedef struct exec_old_task {
    const char *name, *worker;
    double      time; /* in the earlier run's unit */
} exec_old_task;

struct exec_old {
    const char       *path;
    json_tree        *tree;
    const json_value *root; /* object with the members required by old.c */
    hs_unit           unit;
    exec_old_kernel  *kernels; /* sorted by name and type */
    size_t            kernel_count;
    exec_old_task    *tasks; /* sorted by name */
    size_t            task_count;
};

/** Read the report at `path`. 0, or an exit code after a message. Free it in any case. */
int  exec_old_read(const char *path, exec_old *old);
void exec_old_free(exec_old *old);

/** Find a kernel on a type, or a task, in the earlier run; NULL: none. O(log n). */
const exec_old_kernel *exec_old_kernel_find(const exec_old *old, const char *name, hs_type type);
const exec_old_task   *exec_old_task_find(const exec_old *old, const char *name);

#endif
