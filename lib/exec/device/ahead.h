/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_AHEAD_H
#define HSI_EXEC_DEVICE_AHEAD_H

#include <hybridsched/backend.h>

/* A task that a GPU worker runs now or may run soon. */
typedef struct hsi_ahead {
    const hs_body *body;
    uint32_t       task;
    bool           certain; /* all predecessors are done or stand before the task in the list, and
                               no other worker gets the task: it may be launched at once */
} hsi_ahead;

enum {
    HSI_SEGMENT = 16,  /* maximum number of tasks in a segment */
    HSI_MOST_USES = 16 /* maximum number of handles that a task on a device uses */
};

#endif
