/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_MESSAGE_H
#define HSI_EXEC_BACKEND_COMMAND_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Messages between the program, the keeper and the guards over stream sockets. All functions are
 * safe after a fork and return 0 if the peer is gone, else 1. */

/* A request to the keeper for a guard; `length` bytes follow, a worker's environment. */
typedef struct hsi_request {
    uint32_t length;
} hsi_request;

/* The keeper's answer, with the guard's socket. */
typedef struct hsi_guard_started {
    int32_t error; /* an errno; 0: started */
    int32_t pid;
} hsi_guard_started;

typedef enum hsi_order_kind { HSI_ORDER_RUN = 1, HSI_ORDER_CANCEL } hsi_order_kind;

/* An order to a guard. HSI_ORDER_RUN carries two descriptors for output; `length` bytes follow,
 * three strings with their NULs: HSCHED_TASK=..., HSCHED_ATTEMPT=..., the command. */
typedef struct hsi_order {
    uint32_t kind;
    uint32_t length;
} hsi_order;

/* The answer to HSI_ORDER_RUN; an hsi_process_end follows when the command has ended. */
typedef struct hsi_started {
    int32_t error; /* an errno; 0: the command runs */
    int32_t group;
} hsi_started;

/* Receive `size` bytes, and repeat interrupted calls. */
bool hsi_receive(int socket, void *data, size_t size);

/* Receive data with at most two descriptors; fds[i] is closed on exec, or -1 if it was not sent. */
bool hsi_receive_with(int socket, void *data, size_t size, int *fds, size_t fd_count);

/* Send all parts, with the descriptors `fds`. The call changes `parts`. */
bool hsi_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t fd_count);

#endif
