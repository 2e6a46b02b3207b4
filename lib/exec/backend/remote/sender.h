/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_SENDER_H
#define HSI_EXEC_BACKEND_REMOTE_SENDER_H

#include <pthread.h>
#include <stdbool.h>

#include "support/vector.h"

/*
 * The messages of a node to the coordinator, from several threads. A thread that finds another one
 * writing leaves its message to it, so one write often carries several messages.
 */
typedef struct hsi_sender {
    pthread_mutex_t lock;
    pthread_cond_t  room; /* `pending` has become shorter */
    hsi_vector      pending, written;
    int             fd;
    bool            busy;   /* a thread is writing */
    bool            broken; /* the coordinator is gone, or memory is short: nothing is sent */
} hsi_sender;

/* When a message is written: with the next one that is written now; now; or now, but without
 * waiting for room. */
typedef enum hsi_send_when { HSI_SEND_LATER, HSI_SEND_NOW, HSI_SEND_ANYWAY } hsi_send_when;

bool hsi_sender_open(hsi_sender *sender, int fd);
void hsi_sender_close(hsi_sender *sender);

/* Send a line without announced bytes, or with `length` bytes, which the line need not announce.
 * Waits while much is pending. */
void hsi_sender_put(hsi_sender *sender, hsi_send_when when, const char *bytes, size_t length,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Write what is pending. */
void hsi_sender_flush(hsi_sender *sender);

/* Drop pending and later messages, and let no thread wait for room. */
void hsi_sender_break(hsi_sender *sender);

#endif
