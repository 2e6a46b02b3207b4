/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/backend/command/forked.h"
#include "exec/backend/command/message.h"

static int find_guard(const hsi_keeper *k, pid_t pid)
{
    int i = k->count;

    while (i > 0 && k->guard_pid[i - 1] != pid)
        i--;
    return i - 1;
}

/* Reap dead children. A guard leaves processes only if it was killed. */
static void reap(hsi_keeper *k)
{
    int   status, index;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        index = find_guard(k, pid);
        if (index < 0)
            continue;
        k->guard_pid[index] = k->guard_pid[--k->count];
        k->orphans |= WIFSIGNALED(status);
    }
}

/* Kill all children that are not guards; their orphans become children in turn. Processes of
 * another user may not be killed, and are left alone. */
static void kill_orphans(hsi_keeper *k)
{
    int count = hsi_forked_list_children(k->child, k->room), i;

    k->orphans = false;
    for (i = 0; i < count; i++)
        if (find_guard(k, k->child[i]) < 0)
            k->orphans |= kill(k->child[i], SIGKILL) == 0;
}

/* Wait for the end of a child or a message. Return true if a child has ended. */
static bool wait_for_event(const hsi_keeper *k, struct pollfd *socket)
{
    struct pollfd           wait[2] = {{.fd = k->ends, .events = POLLIN}, *socket};
    struct signalfd_siginfo news;
    bool                    any = false;

    if (poll(wait, 2, -1) <= 0)
        return false;
    while (read(k->ends, &news, sizeof news) > 0) /* a child may have ended since poll() */
        any = true;
    socket->revents = wait[1].revents;
    return any;
}

static _Noreturn void begin_guard(hsi_keeper *k, int socket, const hsi_request *request)
{
    char  *at = k->settings, *end = at + request->length;
    size_t next = k->worker_variables;

    for (; at < end; at += strlen(at) + 1)
        k->guard.variables[next++] = at;
    k->guard.task = next;
    k->guard.socket = socket;
    hsi_guard_main(&k->guard);
}

/* Start a guard and answer. Return 0 if the program is gone. */
static int start_guard(hsi_keeper *k, const hsi_request *request)
{
    hsi_guard_started started = {.error = 0};
    struct iovec      part = {.iov_base = &started, .iov_len = sizeof started};
    int               pair[2] = {-1, -1}, sent;

    if (k->count == k->room)
        started.error = EAGAIN;
    else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        started.error = errno;
    else if ((started.pid = hsi_fork_without_handlers()) == 0)
        begin_guard(k, pair[1], request);
    else if (started.pid < 0)
        started.error = errno;
    if (started.error == 0)
        k->guard_pid[k->count++] = started.pid;
    sent = hsi_send(k->socket, &part, 1, pair, started.error ? 0 : 1);
    if (pair[0] >= 0) {
        close(pair[0]);
        close(pair[1]);
    }
    return sent;
}

static bool serve(hsi_keeper *k)
{
    hsi_request request;

    return hsi_receive(k->socket, &request, sizeof request) &&
           request.length <= sizeof k->settings &&
           (request.length == 0 || hsi_receive(k->socket, k->settings, request.length)) &&
           start_guard(k, &request);
}

_Noreturn void hsi_keeper_main(hsi_keeper *keeper)
{
    struct pollfd socket = {.fd = HSI_FORKED_SOCKET, .events = POLLIN};

    keeper->ends = hsi_forked_set_up(keeper->socket);
    keeper->socket = HSI_FORKED_SOCKET;
    if (keeper->ends < 0)
        _exit(1);
    while (socket.fd >= 0 || keeper->count > 0 || keeper->orphans) {
        socket.revents = 0;
        if (wait_for_event(keeper, &socket)) /* reaping costs time in proportion to the number of
                                                guards */
            reap(keeper);
        if (keeper->orphans)
            kill_orphans(keeper);
        if (socket.revents && !serve(keeper))
            socket.fd = -1; /* the program is gone, and the guards notice it too */
    }
    _exit(0);
}
