/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The guard runs between fork and the end of the process, in a copy of a program
 * with threads: it calls nothing but what is safe in a signal handler, and
 * posix_spawn, which takes no lock and no memory of malloc's.
 */

#include "config.h"

#include "exec/backend/command/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/backend/command/process.h"
#include "support/clock.h"

static void close_from(int first)
{
    int fd;

#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
        return;
#endif
    for (fd = first; fd < 65536; fd++)
        close(fd);
}

/* Keeps the socket alone: an end of a pipe or a lock held here would outlive its owner. */
static int take_descriptors(hsi_guard *g)
{
    enum { SOCKET = 3, STANDARD = 3 };
    sigset_t child;
    int      fd;

    if (g->socket != SOCKET && dup3(g->socket, SOCKET, O_CLOEXEC) < 0)
        return 0;
    g->socket = SOCKET;
    close_from(SOCKET + 1);
    g->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (fd = 0; fd < STANDARD; fd++) {
        if (dup2(g->null, fd) < 0)
            return 0;
    }
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    g->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return g->signals >= 0;
}

static void reset_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    int              number;

    for (number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL);
}

/* Is the shell over? It is left unreaped, so that its number stays its group's. */
static int leader_is_over(const hsi_guard *g)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)g->leader, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
           info.si_pid != 0;
}

/*
 * Lists the other children in g->child, as many as fit. Complete: entries go away
 * only when this process reaps them. -1: the kernel does not say.
 */
static int list_children(hsi_guard *g)
{
    int     fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC), count = 0;
    size_t  length = 0, i;
    ssize_t got;
    pid_t   pid = 0;

    if (fd < 0)
        return -1;
    while ((got = read(fd, g->text + length, sizeof g->text - length)) > 0)
        length += (size_t)got;
    close(fd);
    for (i = 0; i < length && count < HSI_GUARD_CHILDREN; i++) {
        if (g->text[i] != ' ') { /* each number ends with a space */
            pid = 10 * pid + (g->text[i] - '0');
            continue;
        }
        if (pid != g->leader)
            g->child[count++] = pid;
        pid = 0;
    }
    return count;
}

/* Reaps orphans that are dead. */
static void reap(hsi_guard *g)
{
    int count = list_children(g);

    while (count-- > 0)
        waitpid(g->child[count], NULL, WNOHANG);
}

/* Is anything left of the group of a shell that is over? Orphans are children here. */
static int group_lives(hsi_guard *g)
{
    int count = list_children(g);

    while (count-- > 0) {
        if (waitpid(g->child[count], NULL, WNOHANG) == 0 && getpgid(g->child[count]) == g->leader)
            return 1;
    }
    return 0;
}

/* Waits for a child's end, an order (where asked) or the deadline. 1: there is an order. */
static int wait_for_event(hsi_guard *g, int orders, double deadline)
{
    struct pollfd           wait[2] = {{.fd = g->signals, .events = POLLIN},
                                       {.fd = orders ? g->socket : -1, .events = POLLIN}};
    struct signalfd_siginfo news;
    double                  left = deadline - hsi_now();
    struct timespec limit = hsi_timespec(left > 0 && left < 1e9 ? (int64_t)(1e9 * left) : 0);

    if (ppoll(wait, 2, left < 1e9 ? &limit : NULL, NULL) <= 0)
        return 0;
    while (read(g->signals, &news, sizeof news) > 0)
        ;
    return wait[1].revents != 0;
}

/*
 * Kills the group, and whatever else has come to be a child here. Orphans of what
 * dies become children before its death can be seen: when none is left, nothing is.
 * Returns 1 if something may not be killed, having changed its user.
 */
static int kill_everything(hsi_guard *g)
{
    kill(-g->leader, SIGKILL);
    for (;;) {
        int over = leader_is_over(g), count = list_children(g), reaped = 0, denied = 0, i;

        if (over && count <= 0)
            return 0;
        for (i = 0; i < count; i++) {
            if (waitpid(g->child[i], NULL, WNOHANG) != 0)
                reaped++;
            else if (kill(g->child[i], SIGKILL) < 0 && errno == EPERM)
                denied++;
        }
        if (!over && kill(g->leader, SIGKILL) < 0 && errno == EPERM)
            denied++;
        if (denied > 0 && denied == (count > 0 ? count : 0) + !over)
            return 1;
        if (!reaped)
            wait_for_event(g, 0, hsi_now() + 1);
    }
}

int hsi_guard_receive(int socket, void *data, size_t size)
{
    ssize_t got;

    do
        got = recv(socket, data, size, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)size;
}

/* 0: the program is gone. *output is -1 if none came along. */
static int receive(const hsi_guard *g, hsi_order *order, int *output)
{
    union {
        struct cmsghdr align;
        char           bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec  to = {.iov_base = order, .iov_len = sizeof *order};
    struct msghdr message = {
        .msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *head;

    *output = -1;
    if (recvmsg(g->socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *order)
        return 0;
    head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(output, CMSG_DATA(head), sizeof *output);
    if (order->length > g->room)
        return 0;
    return order->length == 0 || hsi_guard_receive(g->socket, g->strings, order->length);
}

static void answer(const hsi_guard *g, const void *data, size_t size)
{
    (void)!send(g->socket, data, size, MSG_NOSIGNAL); /* nobody there: the next order says so */
}

static int start(hsi_guard *g, int output)
{
    char  shell[] = "sh", option[] = "-c";
    char *arguments[] = {shell, option, NULL, NULL};
    int   error;

    g->variables[g->task] = g->strings;
    g->variables[g->task + 1] = g->strings + strlen(g->strings) + 1;
    arguments[2] = g->variables[g->task + 1] + strlen(g->variables[g->task + 1]) + 1;
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close(output);
    error = posix_spawn(&g->leader, "/bin/sh", NULL, &g->attributes, arguments, g->variables);
    dup2(g->null, STDOUT_FILENO);
    dup2(g->null, STDERR_FILENO);
    return error;
}

/* Until it is over, or has to be killed. */
static void wait_for_end(hsi_guard *g, hsi_process_end *end)
{
    double deadline = INFINITY;

    for (;;) {
        hsi_order order;
        int       output, over = leader_is_over(g);

        if (over && (!end->cancelled || !group_lives(g)))
            return;
        if (hsi_now() >= deadline)
            return;
        if (!wait_for_event(g, 1, deadline)) {
            reap(g);
            continue;
        }
        if (!receive(g, &order, &output))
            return;
        if (order.kind == HSI_ORDER_CANCEL && !end->cancelled) {
            end->cancelled = 1;
            deadline = hsi_now() + g->grace;
            kill(-g->leader, SIGTERM);
            kill(-g->leader, SIGCONT); /* what is stopped would not hear it */
        }
    }
}

static void run(hsi_guard *g, int output)
{
    hsi_started     started = {.error = start(g, output)};
    hsi_process_end end = {.cancelled = 0};
    siginfo_t       info = {.si_pid = 0};

    started.group = g->leader;
    answer(g, &started, sizeof started);
    if (started.error != 0)
        return;
    wait_for_end(g, &end);
    end.undead = kill_everything(g);
    waitid(P_PID, (id_t)g->leader, &info, WEXITED | (end.undead ? WNOHANG : 0));
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    if (info.si_code == CLD_EXITED)
        end.status = info.si_status;
    else
        end.signal = info.si_status;
    answer(g, &end, sizeof end);
}

_Noreturn void hsi_guard_main(hsi_guard *guard)
{
    hsi_order order;
    int       output;

    reset_signals();
    setsid(); /* no terminal; what kills the program's group does not kill the guard */
    if (!take_descriptors(guard))
        _exit(1);
    prctl(PR_SET_NAME, "hsched-guard");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_TIMERSLACK, 50000); /* a worker's may be 1 ns, and commands would inherit it */
    while (receive(guard, &order, &output)) {
        if (order.kind == HSI_ORDER_RUN)
            run(guard, output); /* what is cancelled but over needs no answer */
    }
    _exit(0);
}
