/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/remote/sender.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exec/backend/remote/protocol.h"

enum { MOST_PENDING = 1 << 20 };

bool hsi_sender_open(hsi_sender *sender, int fd)
{
    *sender = (hsi_sender){.fd = fd};
    if (pthread_mutex_init(&sender->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&sender->room, NULL) == 0)
        return true;
    pthread_mutex_destroy(&sender->lock);
    return false;
}

void hsi_sender_close(hsi_sender *sender)
{
    hsi_vector_free(&sender->pending);
    hsi_vector_free(&sender->written);
    pthread_cond_destroy(&sender->room);
    pthread_mutex_destroy(&sender->lock);
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t put = write(fd, bytes, count);

        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0) {
            bytes += put;
            count -= (size_t)put;
        }
    }
    return true;
}

/* Write what is pending, unless another thread does it. Hold the lock, which is released during
 * each write. */
static void flush(hsi_sender *sender)
{
    if (sender->busy)
        return;
    sender->busy = true;
    while (sender->pending.size > 0 && !sender->broken) {
        hsi_vector now = sender->pending;
        bool       sent;

        sender->pending = sender->written;
        sender->pending.size = 0;
        pthread_cond_broadcast(&sender->room);
        pthread_mutex_unlock(&sender->lock);
        sent = write_all(sender->fd, now.data, now.size);
        pthread_mutex_lock(&sender->lock);
        sender->written = now;
        sender->broken |= !sent;
    }
    sender->busy = false;
    pthread_cond_broadcast(&sender->room);
}

void hsi_sender_put(hsi_sender *sender, hsi_send_when when, const char *bytes, size_t length,
                    const char *format, ...)
{
    char    line[HSI_MESSAGE_LINE];
    va_list arguments;
    int     used;

    va_start(arguments, format);
    used = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&sender->lock);
    while (when != HSI_SEND_ANYWAY && sender->busy && !sender->broken &&
           sender->pending.size > MOST_PENDING)
        pthread_cond_wait(&sender->room, &sender->lock);
    if (!sender->broken && used > 0 && (size_t)used < sizeof line)
        sender->broken = hsi_vector_append(&sender->pending, line, (size_t)used) != 0 ||
                         hsi_vector_append(&sender->pending, bytes, length) != 0;
    if (when != HSI_SEND_LATER)
        flush(sender);
    pthread_mutex_unlock(&sender->lock);
}

void hsi_sender_flush(hsi_sender *sender)
{
    pthread_mutex_lock(&sender->lock);
    flush(sender);
    pthread_mutex_unlock(&sender->lock);
}

void hsi_sender_break(hsi_sender *sender)
{
    pthread_mutex_lock(&sender->lock);
    sender->broken = true;
    pthread_cond_broadcast(&sender->room);
    pthread_mutex_unlock(&sender->lock);
}
