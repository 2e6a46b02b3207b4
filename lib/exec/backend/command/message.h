/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_MESSAGE_H
#define HSI_EXEC_BACKEND_COMMAND_MESSAGE_H

#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * What the program, the keeper and the guards tell each other over stream sockets. All of it is
 * safe after a fork. Each returns 0 if the other side is gone.
 */

/* To the keeper: a guard is wanted; `length` bytes follow, a worker's environment. */
typedef struct hsi_request {
    uint32_t length;
} hsi_request;

/* And back, with the guard's socket. */
typedef struct hsi_guard_started {
    int32_t error; /* an errno; 0: it is there */
    int32_t pid;
} hsi_guard_started;

typedef enum hsi_order_kind { HSI_ORDER_RUN = 1, HSI_ORDER_CANCEL } hsi_order_kind;

/* To a guard. HSI_ORDER_RUN carries two descriptors for output, and `length` bytes follow it: three
 * strings, each with its NUL: HSCHED_TASK=..., HSCHED_ATTEMPT=..., the command. */
typedef struct hsi_order {
    uint32_t kind;
    uint32_t length;
} hsi_order;

/* The answer to HSI_ORDER_RUN; when the command has ended, an hsi_process_end follows. */
typedef struct hsi_started {
    int32_t error; /* an errno; 0: it runs */
    int32_t group;
} hsi_started;

/* All of it, whatever interrupts. */
int hsi_receive(int socket, void *data, size_t size);

/* With at most two descriptors. fds[] are those that came along, closed on exec; -1: none did. */
int hsi_receive_with(int socket, void *data, size_t size, int *fds, size_t fd_count);

/* `parts` are changed; `fds` go along. */
int hsi_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t fd_count);

#endif
