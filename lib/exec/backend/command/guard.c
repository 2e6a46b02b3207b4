/* SPDX-License-Identifier: BSD-3-Clause */

#include "config.h"

#include "exec/backend/command/guard.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/backend/command/forked.h"
#include "exec/backend/command/message.h"
#include "exec/backend/command/process.h"
#include "support/clock.h"

/* Return true if the shell is over. The shell stays unreaped, so that no other process gets the
 * number of the group. */
static bool leader_is_over(const hsi_guard *g)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)g->leader, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
           info.si_pid != 0;
}

/* List the children except the shell in g->child, as many as fit. Return the number, or -1 if the
 * kernel does not tell. */
static int list_children(hsi_guard *g)
{
    int all = hsi_forked_list_children(g->child, HSI_GUARD_CHILDREN), count = all < 0 ? -1 : 0, i;

    for (i = 0; i < all; i++)
        if (g->child[i] != g->leader)
            g->child[count++] = g->child[i];
    return count;
}

/* Reap dead orphans. */
static void reap(hsi_guard *g)
{
    int count = list_children(g);

    while (count-- > 0)
        waitpid(g->child[count], NULL, WNOHANG);
}

static bool was_terminated(const hsi_guard *g, pid_t child)
{
    int i = g->terminated_count;

    while (i > 0 && g->terminated[i - 1] != child)
        i--;
    return i > 0;
}

/* Send SIGTERM, and SIGCONT so that a stopped process handles SIGTERM. */
static void terminate(pid_t target)
{
    kill(target, SIGTERM);
    kill(target, SIGCONT);
}

/*
 * Return 1 if processes of the shell are left; orphans are children of the guard. If they are to
 * end, send SIGTERM once to each process outside the shell's group, which got the signal as a
 * whole.
 */
static int is_anything_left(hsi_guard *g, bool is_to_end)
{
    int count = list_children(g), left = 0, i;

    for (i = 0; i < count; i++) {
        pid_t child = g->child[i];

        if (waitpid(child, NULL, WNOHANG) != 0)
            continue;
        left = 1;
        if (!is_to_end || getpgid(child) == g->leader || was_terminated(g, child))
            continue;
        if (g->terminated_count < HSI_GUARD_CHILDREN)
            g->terminated[g->terminated_count++] = child;
        terminate(child);
    }
    return left;
}

/* Wait for the end of a child, for an order (if `orders`) or for the deadline. Return true for an
 * order. */
static bool wait_for_event(hsi_guard *g, bool orders, double deadline)
{
    struct pollfd           wait[2] = {{.fd = g->ends, .events = POLLIN},
                                       {.fd = orders ? g->socket : -1, .events = POLLIN}};
    struct signalfd_siginfo news;
    double                  left = deadline - hsi_clock_seconds();
    struct timespec limit = hsi_timespec(left > 0 && left < 1e9 ? (int64_t)(1e9 * left) : 0);

    if (ppoll(wait, 2, left < 1e9 ? &limit : NULL, NULL) <= 0)
        return false;
    while (read(g->ends, &news, sizeof news) > 0)
        ;
    return wait[1].revents != 0;
}

/*
 * Kill the group and all other children of the guard. Orphans become children of the guard before
 * the death of their parent is visible; so no process of the command is left when no child is left.
 * Return true if a process cannot be killed, because it has changed its user.
 */
static bool kill_everything(hsi_guard *g)
{
    kill(-g->leader, SIGKILL);
    for (;;) {
        int over = leader_is_over(g), count = list_children(g), reaped = 0, denied = 0, i;

        if (over && count <= 0)
            return false;
        for (i = 0; i < count; i++) {
            if (waitpid(g->child[i], NULL, WNOHANG) != 0)
                reaped++;
            else if (kill(g->child[i], SIGKILL) < 0 && errno == EPERM)
                denied++;
        }
        if (!over && kill(g->leader, SIGKILL) < 0 && errno == EPERM)
            denied++;
        if (denied > 0 && denied == (count > 0 ? count : 0) + !over)
            return true;
        if (!reaped)
            wait_for_event(g, false, hsi_clock_seconds() + 1);
    }
}

/* Receive an order with its strings. Return false if the program is gone. output[0] is -1 if the
 * order has no descriptors. */
static bool receive(const hsi_guard *g, hsi_order *order, int output[2])
{
    return hsi_receive_with(g->socket, order, sizeof *order, output, 2) &&
           order->length <= g->room &&
           (order->length == 0 || hsi_receive(g->socket, g->strings, order->length));
}

/* Send an answer. A failure is ignored: the next order fails if the program is gone. */
static void answer(const hsi_guard *g, void *data, size_t size)
{
    struct iovec part = {.iov_base = data, .iov_len = size};

    (void)!hsi_send(g->socket, &part, 1, NULL, 0);
}

/*
 * Become the shell, in the child of a vfork(), which shares the guard's memory: make system calls
 * only. The shell dies with the guard, has a group of its own, and blocks no signal; signals that
 * the guard ignores or handles have the default action.
 */
static _Noreturn void become_shell(const hsi_guard *g, pid_t guard, char *const *arguments,
                                   const int output[2], volatile int *error)
{
    const rlim_t  bytes = (rlim_t)g->memory;
    struct rlimit memory = {.rlim_cur = bytes, .rlim_max = bytes};
    sigset_t      none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    if ((bytes == 0 || setrlimit(RLIMIT_AS, &memory) == 0) && getppid() == guard &&
        setpgid(0, 0) == 0 && dup2(output[0], STDOUT_FILENO) >= 0 &&
        dup2(output[1], STDERR_FILENO) >= 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0)
        execve("/bin/sh", arguments, g->variables);
    *error = errno;
    _exit(127);
}

static int start(hsi_guard *g, const int output[2])
{
    char         shell[] = "sh", option[] = "-c";
    char        *arguments[] = {shell, option, NULL, NULL};
    volatile int error = 0;
    pid_t        guard = getpid();

    g->variables[g->task] = g->strings;
    g->variables[g->task + 1] = g->strings + strlen(g->strings) + 1;
    arguments[2] = g->variables[g->task + 1] + strlen(g->variables[g->task + 1]) + 1;
    g->leader = vfork();
    if (g->leader == 0)
        become_shell(g, guard, arguments, output, &error);
    close(output[0]);
    close(output[1]);
    if (g->leader < 0)
        return errno;
    if (error)
        waitpid(g->leader, NULL, 0);
    return error;
}

/* The stage of a command: it runs; its shell is over, and the remaining processes may end by
 * themselves; all processes are to end. */
typedef enum termination_stage { RUNS, LEFT, ENDS } termination_stage;

static double end_it(hsi_guard *g, termination_stage *now)
{
    *now = ENDS;
    g->terminated_count = 0;
    terminate(-g->leader);
    return hsi_clock_seconds() + g->grace;
}

/* Wait until no process of the command is left, or the rest must be killed. */
static void wait_for_end(hsi_guard *g, hsi_process_end *end)
{
    double            deadline = INFINITY;
    termination_stage now = RUNS;

    for (;;) {
        hsi_order order;
        int       output[2], over = leader_is_over(g);

        if ((over || now == ENDS) && !is_anything_left(g, now == ENDS) && over)
            return;
        if (over && now == RUNS) {
            now = LEFT;
            deadline = hsi_clock_seconds() + g->grace;
        }
        if (hsi_clock_seconds() >= deadline) {
            end->left |= now == LEFT;
            if (now == ENDS)
                return;
            deadline = end_it(g, &now);
            continue;
        }
        if (!wait_for_event(g, true, deadline)) {
            reap(g);
            continue;
        }
        if (!receive(g, &order, output))
            return;
        if (order.kind == HSI_ORDER_CANCEL && !end->cancelled) {
            end->cancelled = true;
            if (now != ENDS)
                deadline = end_it(g, &now);
        }
    }
}

/* Return the processor time of all processes reaped by this process or by its children, in
 * seconds. */
static double used_so_far(void)
{
    struct rusage all;

    getrusage(RUSAGE_CHILDREN, &all);
    return (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +
           1e-6 * (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec);
}

static double wait_of_leader(const hsi_guard *g)
{
    int64_t waited = hsi_core_wait_ns(g->leader);

    return waited < 0 ? NAN : 1e-9 * (double)waited;
}

static void run(hsi_guard *g, const int output[2])
{
    double          used = used_so_far();
    hsi_started     started = {.error = start(g, output)};
    hsi_process_end end = {.cancelled = false};
    siginfo_t       info = {.si_pid = 0};

    started.group = g->leader;
    answer(g, &started, sizeof started);
    if (started.error != 0)
        return;
    wait_for_end(g, &end);
    end.undead = kill_everything(g);
    end.core.waited = wait_of_leader(g);
    waitid(P_PID, (id_t)g->leader, &info, WEXITED | (end.undead ? WNOHANG : 0));
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    end.core.used = used_so_far() - used;
    if (info.si_code == CLD_EXITED)
        end.status = info.si_status;
    else
        end.signal = info.si_status;
    answer(g, &end, sizeof end);
}

_Noreturn void hsi_guard_main(hsi_guard *guard)
{
    hsi_order order;
    int       output[2];

    guard->ends = hsi_forked_set_up(guard->socket);
    guard->socket = HSI_FORKED_SOCKET;
    if (guard->ends < 0)
        _exit(1);
    while (receive(guard, &order, output)) {
        if (order.kind == HSI_ORDER_RUN)
            run(guard, output); /* a cancellation of a finished command needs no answer */
    }
    _exit(0);
}
