/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/remote/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/clock.h"

/* Start the command with these descriptors as standard input and output. Return 0, or an errno. */
static int spawn(pid_t *pid, const char *command, int in, int out)
{
    char                      *arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                                              (char *)(uintptr_t)command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          how;
    sigset_t                   all, none;
    int                        error = posix_spawn_file_actions_init(&files);

    if (error)
        return error;
    error = posix_spawnattr_init(&how);
    if (error) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setsigmask(&how, &none);
    error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                               POSIX_SPAWN_SETSIGMASK);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!error)
        error = posix_spawn(pid, "/bin/sh", &files, &how, arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Make a pipe whose ends are above the standard descriptors. Return 0, or an errno. */
static int make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    for (int i = 0; i < 2; i++) {
        int moved =
            ends[i] > STDERR_FILENO ? ends[i] : fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

        if (moved < 0)
            return errno;
        if (moved != ends[i])
            close(ends[i]);
        ends[i] = moved;
    }
    return 0;
}

int hsi_launcher_start(hsi_launcher *launcher, const char *command)
{
    int to[2] = {-1, -1}, from[2] = {-1, -1}, error = make_pipe(to);

    *launcher = (hsi_launcher){.pid = -1, .to = -1, .from = -1};
    if (!error)
        error = make_pipe(from);
    if (!error)
        error = spawn(&launcher->pid, command, to[0], from[1]);
    if (to[0] >= 0)
        close(to[0]);
    if (from[1] >= 0)
        close(from[1]);
    launcher->to = to[1];
    launcher->from = from[0];
    if (!error && (fcntl(launcher->to, F_SETFL, O_NONBLOCK) < 0 ||
                   fcntl(launcher->from, F_SETFL, O_NONBLOCK) < 0))
        error = errno;
    if (error) {
        hsi_launcher_close(launcher);
        hsi_launcher_reap(launcher, hsi_clock_ns());
    }
    return error;
}

void hsi_launcher_close_to(hsi_launcher *launcher)
{
    if (launcher->to >= 0)
        close(launcher->to);
    launcher->to = -1;
}

void hsi_launcher_close(hsi_launcher *launcher)
{
    hsi_launcher_close_to(launcher);
    if (launcher->from >= 0)
        close(launcher->from);
    launcher->from = -1;
}

/* Reap the process if it ends by itself. */
static bool ends_before(pid_t pid, int64_t until)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    while (waitpid(pid, NULL, WNOHANG) == 0) {
        if (hsi_clock_ns() >= until)
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

void hsi_launcher_reap(hsi_launcher *launcher, int64_t until)
{
    if (launcher->pid > 0 && !ends_before(launcher->pid, until)) {
        kill(launcher->pid, SIGKILL);
        while (waitpid(launcher->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    launcher->pid = -1;
}
