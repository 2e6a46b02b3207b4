/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_GUARD_H
#define HSI_EXEC_BACKEND_COMMAND_GUARD_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The guard's side of process.h, and what the two tell each other over a socket. */

typedef enum hsi_order_kind { HSI_ORDER_RUN = 1, HSI_ORDER_CANCEL } hsi_order_kind;

/* HSI_ORDER_RUN carries the output's descriptor, and `length` bytes follow it: three
 * strings, each with its NUL: HSCHED_TASK=..., HSCHED_ATTEMPT=..., the command. */
typedef struct hsi_order {
    uint32_t kind;
    uint32_t length;
} hsi_order;

/* The answer to HSI_ORDER_RUN. */
typedef struct hsi_started {
    int32_t error; /* an errno; 0: it runs, and an hsi_process_end will follow */
    int32_t group;
} hsi_started;

/* And when it has ended: an hsi_process_end. */

/* All of it, whatever interrupts: 0 if the other side is gone. */
int hsi_guard_receive(int socket, void *data, size_t size);

enum { HSI_GUARD_CHILDREN = 1024 };

/* All that the guard works with, made before it is forked: it may not allocate. */
typedef struct hsi_guard {
    char            **variables;
    size_t            task; /* index of HSCHED_TASK */
    double            grace;
    posix_spawnattr_t attributes;
    char             *strings; /* room for what follows an order */
    size_t            room;
    int               socket, signals, null;
    pid_t             leader;                    /* the shell */
    pid_t             child[HSI_GUARD_CHILDREN]; /* others that are its children */
    char              text[8 * HSI_GUARD_CHILDREN];
} hsi_guard;

/* In the forked process, all signals blocked. */
_Noreturn void hsi_guard_main(hsi_guard *guard);

#endif
