/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/message.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

bool hsi_receive(int socket, void *data, size_t size)
{
    ssize_t got;

    do
        got = recv(socket, data, size, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)size;
}

typedef union control {
    struct cmsghdr head;
    char           bytes[CMSG_SPACE(2 * sizeof(int))];
} control;

bool hsi_receive_with(int socket, void *data, size_t size, int *fds, size_t fd_count)
{
    control       with;
    struct iovec  to = {.iov_base = data, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &to, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    struct cmsghdr *head;
    ssize_t         got;
    size_t          bytes;

    for (size_t i = 0; i < fd_count; i++)
        fds[i] = -1;
    do
        got = recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)size)
        return false;
    head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS) {
        bytes = head->cmsg_len - CMSG_LEN(0);
        memcpy(fds, CMSG_DATA(head),
               bytes < fd_count * sizeof *fds ? bytes : fd_count * sizeof *fds);
    }
    return true;
}

bool hsi_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t fd_count)
{
    control       with = {.bytes = {0}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};

    if (fd_count > 0) {
        with.head.cmsg_level = SOL_SOCKET;
        with.head.cmsg_type = SCM_RIGHTS;
        with.head.cmsg_len = CMSG_LEN(fd_count * sizeof *fds);
        memcpy(CMSG_DATA(&with.head), fds, fd_count * sizeof *fds);
        message.msg_control = &with;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof *fds);
    }
    while (message.msg_iovlen > 0) {
        ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        message.msg_controllen = 0; /* the first part has carried the descriptors */
        message.msg_control = NULL;
        while (message.msg_iovlen > 0 && (size_t)sent >= message.msg_iov->iov_len) {
            sent -= (ssize_t)message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + sent;
            message.msg_iov->iov_len -= (size_t)sent;
        }
    }
    return true;
}
