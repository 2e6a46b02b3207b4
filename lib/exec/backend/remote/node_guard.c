/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/remote/node_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.h"

enum { FIRST_LIMIT = 20 }; /* seconds until the agent knows the settings of the run */

/* Wait for the next beat. Return false if the agent has ended, or if there is none for `limit`
 * seconds; then kill it. */
static bool hear(int beat, pid_t agent, double *limit)
{
    int64_t       end = hsi_clock_ns() + (int64_t)(1e9 * *limit), left;
    struct pollfd wait = {.fd = beat, .events = POLLIN};

    while ((left = end - hsi_clock_ns()) > 0) {
        struct timespec span = hsi_timespec(left);
        double          next;

        if (ppoll(&wait, 1, &span, NULL) <= 0)
            continue;
        if (read(beat, &next, sizeof next) != (ssize_t)sizeof next)
            return false;
        *limit = next;
        return true;
    }
    kill(agent, SIGKILL);
    return false;
}

/* Reap the agent and all processes that it leaves, which end by themselves. Return the exit status
 * of the agent. */
static int reap_all(pid_t agent)
{
    int   status, result = 1;
    pid_t pid;

    while ((pid = wait(&status)) > 0 || errno == EINTR)
        if (pid == agent)
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

/* Keep no other descriptor than these two: the agent's input must close with the agent. */
static void keep_descriptors(int beat, int out)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

    for (fd = 0; fd <= STDERR_FILENO; fd++)
        if (fd != beat && fd != out)
            dup2(null, fd);
    for (fd = STDERR_FILENO + 1; fd < 1024; fd++)
        if (fd != beat && fd != out)
            close(fd);
}

/* The message begins with a newline, since the agent may have died within a line. */
static _Noreturn void guard(pid_t agent, int beat, int out)
{
    static const char dead[] = "\ndead\n";
    double            limit = FIRST_LIMIT;
    int               result;

    keep_descriptors(beat, out);
    prctl(PR_SET_NAME, "hsched-guard");
    while (hear(beat, agent, &limit))
        continue;
    result = reap_all(agent);
    (void)!write(out, dead, sizeof dead - 1);
    _exit(result);
}

int hsi_node_guard_begin(int out)
{
    const pid_t parent = getpid();
    sigset_t    all, before;
    int         beat[2];
    pid_t       agent;

    if (pipe2(beat, O_CLOEXEC) < 0)
        return -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    agent = fork();
    if (agent > 0) {
        close(beat[1]);
        guard(agent, beat[0], out);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(beat[0]);
    if (agent == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
        return beat[1];
    close(beat[1]);
    return -1;
}

void hsi_node_guard_beat(int beat, double limit)
{
    (void)!write(beat, &limit, sizeof limit);
}
