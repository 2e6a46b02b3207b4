/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: run an external program, which may not end by itself. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/peer/peer.h"
#include "common/clock.h"

enum { CANNOT_START = 127 }; /* exit code for a program that cannot be started, as in shells */

/*
 * Execute the program in the child of fork(), by system calls only. Signals are blocked in the
 * calling thread and must be unblocked in the program. The program is killed when the calling
 * thread ends.
 */
static void become(char *const *words, pid_t parent)
{
    sigset_t none;
    int      nothing = open("/dev/null", O_RDWR);

    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && nothing >= 0 && dup2(nothing, 0) == 0 && dup2(nothing, 1) == 1 &&
        dup2(nothing, 2) == 2 && sigprocmask(SIG_SETMASK, &none, NULL) == 0)
        execvp(words[0], words);
    _exit(CANNOT_START);
}

/* Wait until the child has ended, and kill it after `until`. Return -1 if waiting fails. */
static int await(pid_t child, double until, int *how, int *late)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    pid_t                 ended;

    *late = 0;
    while ((ended = waitpid(child, how, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        *late = clock_now() > until;
        if (*late)
            kill(child, SIGKILL);
        nanosleep(&pause, NULL);
    }
    return ended == child ? 0 : -1;
}

int bench_peer_run(char *const *words, double seconds, char why[BENCH_PEER_WHY])
{
    pid_t parent = getpid(), child = fork();
    int   how, late;

    why[0] = '\0';
    if (child == 0)
        become(words, parent);
    if (child < 0 || await(child, clock_now() + seconds, &how, &late) != 0 ||
        (WIFEXITED(how) && WEXITSTATUS(how) == CANNOT_START)) {
        snprintf(why, BENCH_PEER_WHY, "cannot be started");
        return -1;
    }
    if (WIFEXITED(how) && WEXITSTATUS(how) != 0)
        snprintf(why, BENCH_PEER_WHY, "failed, with exit code %d", WEXITSTATUS(how));
    else if (WIFSIGNALED(how) && late)
        snprintf(why, BENCH_PEER_WHY, "did not end by itself within %.0f s", seconds);
    else if (WIFSIGNALED(how))
        snprintf(why, BENCH_PEER_WHY, "was ended by signal %d", WTERMSIG(how));
    return 0;
}
