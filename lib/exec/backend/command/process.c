/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/backend/command/guard.h"
#include "exec/machine/topology.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif

struct hsi_process {
    pid_t      pid;    /* the guard; -1: there is none */
    pid_t      group;  /* what it runs; -1: nothing */
    int        socket; /* to the guard */
    int        os_cpu;
    hsi_guard *guard; /* what it begins with */
};

static const char guard_killed[] = "the process that watches over commands was killed";

/*
 * A fork without the handlers that others have registered (OpenBLAS would end its
 * threads): nothing of theirs is used in the guard. A thread sanitizer has to see it.
 */
static pid_t fork_alone(void)
{
#if !defined(UNDER_TSAN) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    return _Fork();
#endif
#endif
    return fork();
}

/* Reaps the guard, which ends when its socket does. */
static void leave_guard(hsi_process *p)
{
    if (p->pid < 0)
        return;
    shutdown(p->socket, SHUT_RDWR); /* a copy of it, in a process that others forked, counts not */
    close(p->socket);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = -1;
}

/* Somebody killed it. What is known of the command, its group, is killed from here. */
static void give_up_guard(hsi_process *p)
{
    if (p->group > 0)
        kill(-p->group, SIGKILL);
    p->group = -1;
    leave_guard(p);
}

static int start_guard(hsi_process *p, char why[HS_WHY])
{
    sigset_t all, before;
    int      pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        snprintf(why, HS_WHY, "no socket to start commands with: %m");
        return -1;
    }
    p->guard->socket = pair[1];
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the guard is to run no handler */
    p->pid = fork_alone();
    if (p->pid == 0)
        hsi_guard_main(p->guard);
    if (p->pid < 0)
        snprintf(why, HS_WHY, "no process to start commands from: %m");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    p->socket = pair[0];
    if (p->pid < 0) {
        close(p->socket);
        return -1;
    }
    if (p->os_cpu >= 0 && hsi_bind(p->pid, p->os_cpu) != HS_OK) {
        snprintf(why, HS_WHY, "cannot bind commands to core %d: %m", p->os_cpu);
        leave_guard(p);
        return -1;
    }
    return 0;
}

/* In a group of its own, no signal blocked: what the guard ignores and handles is the default. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;

    sigemptyset(&none);
    if (posix_spawnattr_init(attributes) != 0)
        return 0;
    return posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) ==
               0;
}

static hsi_guard *prepare_guard(const hsi_environment *environment, double grace)
{
    hsi_guard *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->variables = environment->variables;
    g->task = environment->task;
    g->grace = grace;
    g->room = HSI_PROCESS_COMMAND + HS_MAX_ID + 128;
    g->strings = malloc(g->room);
    if (!g->strings || !set_attributes(&g->attributes)) {
        free(g->strings);
        free(g);
        return NULL;
    }
    return g;
}

hs_status hsi_process_open(const hsi_environment *environment, int os_cpu, double grace,
                           hsi_process **out, char why[HS_WHY])
{
    hsi_process *p = malloc(sizeof *p);

    if (!p)
        return HS_ENOMEM;
    *p = (hsi_process){.pid = -1, .group = -1, .socket = -1, .os_cpu = os_cpu};
    p->guard = prepare_guard(environment, grace);
    if (!p->guard) {
        hsi_process_close(p);
        return HS_ENOMEM;
    }
    if (start_guard(p, why) != 0) {
        hsi_process_close(p);
        return HS_ERESOURCE;
    }
    *out = p;
    return HS_OK;
}

void hsi_process_close(hsi_process *process)
{
    leave_guard(process);
    if (process->guard) {
        posix_spawnattr_destroy(&process->guard->attributes);
        free(process->guard->strings);
        free(process->guard);
    }
    free(process);
}

/* Sends everything. 0, or -1: the guard is gone. */
static int send_message(int socket, struct msghdr *message)
{
    while (message->msg_iovlen > 0) {
        ssize_t sent = sendmsg(socket, message, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -1;
        message->msg_controllen = 0; /* it went with the first part */
        message->msg_control = NULL;
        while (message->msg_iovlen > 0 && (size_t)sent >= message->msg_iov->iov_len) {
            sent -= (ssize_t)message->msg_iov->iov_len;
            message->msg_iov++;
            message->msg_iovlen--;
        }
        if (message->msg_iovlen > 0) {
            message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
            message->msg_iov->iov_len -= (size_t)sent;
        }
    }
    return 0;
}

static int send_request(int socket, const hsi_process_request *request)
{
    union {
        struct cmsghdr head;
        char           bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    char          variables[HS_MAX_ID + 128];
    hsi_order     order = {.kind = HSI_ORDER_RUN};
    struct iovec  parts[] = {{&order, sizeof order}, {variables, 0}, {NULL, 0}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 3,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};

    parts[1].iov_len =
        (size_t)snprintf(variables, sizeof variables, "HSCHED_TASK=%s%cHSCHED_ATTEMPT=%u",
                         request->task, '\0', request->attempt) +
        1;
    /* sendmsg() does not write to it; an iovec cannot say so */
    parts[2].iov_base = (void *)(uintptr_t)request->command;
    parts[2].iov_len = strlen(request->command) + 1;
    order.length = (uint32_t)(parts[1].iov_len + parts[2].iov_len);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &request->output, sizeof(int));
    return send_message(socket, &message);
}

int hsi_process_begin(hsi_process *process, const hsi_process_request *request, char why[HS_WHY])
{
    hsi_started started;

    if (process->pid >= 0 && send_request(process->socket, request) == 0)
        goto sent;
    give_up_guard(process); /* it was killed since the last command */
    if (start_guard(process, why) != 0)
        return -1;
    if (send_request(process->socket, request) != 0)
        goto killed;
sent:
    if (!hsi_guard_receive(process->socket, &started, sizeof started))
        goto killed;
    if (started.error != 0) {
        errno = started.error;
        snprintf(why, HS_WHY, "/bin/sh cannot be started: %m");
        return -1;
    }
    process->group = started.group;
    return 0;
killed:
    give_up_guard(process);
    snprintf(why, HS_WHY, "%s", guard_killed);
    return -1;
}

int hsi_process_fd(const hsi_process *process)
{
    return process->socket;
}

void hsi_process_cancel(hsi_process *process)
{
    hsi_order     order = {.kind = HSI_ORDER_CANCEL};
    struct iovec  part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    send_message(process->socket, &message); /* it is gone: the end will say so */
}

int hsi_process_finish(hsi_process *process, hsi_process_end *end, char why[HS_WHY])
{
    if (!hsi_guard_receive(process->socket, end, sizeof *end)) {
        give_up_guard(process);
        snprintf(why, HS_WHY, "%s", guard_killed);
        return -1;
    }
    process->group = -1;
    if (end->undead)
        leave_guard(process); /* its orphan is not to be taken for the next command's */
    return 0;
}
