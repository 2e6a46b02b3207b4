/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_PLUGIN_CALL_H
#define HSI_EXEC_BACKEND_PLUGIN_CALL_H

#include <hybridsched/exec.h>

/* The body of all tasks that are functions on workers of a type. */
typedef struct hsi_call_body {
    hs_body             base;
    const hs_exec_call *calls; /* by task */
    hs_type             type;
} hsi_call_body;

/* Tasks that are functions of the program, by settings.run.calls. */
typedef struct hsi_calls {
    const hs_instance  *in;
    const hs_exec_call *list;    /* by task; NULL: no task has a function */
    hsi_call_body       body[2]; /* by hs_type, set by the backend */
} hsi_calls;

/* The backend: each run has a copy, with its hsi_calls as data. */
extern const hs_backend hsi_backend_call;

/* Return true if the row's tasks have functions, for at least one type. O(1). */
bool hsi_calls_have_row(const hsi_calls *calls, size_t row);

/* Return true if the row's tasks have functions for the type. O(1). */
bool hsi_calls_have_type(const hsi_calls *calls, size_t row, hs_type type);

/* Check the functions of all rows: the tasks of a row have functions for the same types, and a task
 * without function has a command or kernel. HS_EINVAL, with the reason in *error. O(tasks). */
hs_status hsi_calls_check(const hsi_calls *calls, hs_error *error);

#endif
