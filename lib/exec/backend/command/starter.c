/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/starter.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/backend/command/forked.h"
#include "exec/backend/command/keeper.h"
#include "exec/backend/command/message.h"
#include "exec/backend/command/process.h"

struct hsi_starter {
    pthread_mutex_t lock;
    pid_t           pid;    /* process id of the keeper; -1: none */
    int             socket; /* connection to the keeper */
    hsi_environment environment;
    hsi_keeper     *keeper; /* initial data of the keeper */
};

/* Reap the keeper. The keeper ends when the socket is closed and all guards have ended. */
static void leave_keeper(hsi_starter *s)
{
    if (s->pid < 0)
        return;
    shutdown(s->socket, SHUT_RDWR); /* ends the connection although other forked processes may hold
                                       copies of the descriptor */
    close(s->socket);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    s->pid = -1;
}

static int start_keeper(hsi_starter *s, char why[HS_WHY])
{
    sigset_t all, before;
    int      pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        snprintf(why, HS_WHY, "no socket to start commands with: %m");
        return -1;
    }
    s->keeper->socket = pair[1];
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the keeper must run no handler */
    s->pid = hsi_fork_without_handlers();
    if (s->pid == 0)
        hsi_keeper_main(s->keeper);
    if (s->pid < 0)
        snprintf(why, HS_WHY, "no process to start commands from: %m");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    s->socket = pair[0];
    if (s->pid < 0)
        close(s->socket);
    return s->pid < 0 ? -1 : 0;
}

static hsi_keeper *prepare_keeper(const hs_backend_options *options, unsigned workers,
                                  const hsi_environment *environment)
{
    enum { REPLACED = 64, CHILDREN = 1024 };
    hsi_keeper *k = calloc(1, sizeof *k);

    if (!k)
        return NULL;
    k->room = (int)(2 * workers + REPLACED + CHILDREN);
    k->guard.variables = environment->variables;
    k->worker_variables = environment->worker_variables;
    k->guard.grace = options->grace;
    k->guard.memory = options->process_memory;
    k->guard.room = HSI_PROCESS_COMMAND + HS_MAX_ID + 128;
    k->guard.strings = malloc(k->guard.room);
    k->guard_pid = calloc((size_t)k->room, sizeof *k->guard_pid);
    k->child = calloc((size_t)k->room, sizeof *k->child);
    return k;
}

hs_status hsi_starter_open(const hs_backend_options *options, unsigned workers, hsi_starter **out,
                           hs_error *error)
{
    hsi_starter *s = malloc(sizeof *s);
    hs_status    st;

    if (!s)
        return HS_ENOMEM;
    *s = (hsi_starter){.lock = PTHREAD_MUTEX_INITIALIZER, .pid = -1, .socket = -1};
    st = hsi_environment_create(options, environ, &s->environment);
    if (st == HS_OK) {
        s->keeper = prepare_keeper(options, workers, &s->environment);
        if (!s->keeper || !s->keeper->guard.strings || !s->keeper->guard_pid || !s->keeper->child)
            st = HS_ENOMEM;
    }
    if (st == HS_OK && start_keeper(s, error->why) != 0)
        st = HS_ERESOURCE;
    if (st == HS_OK)
        *out = s;
    else
        hsi_starter_close(s);
    return st;
}

const char *hsi_starter_visible_devices(const hsi_starter *starter)
{
    return starter->environment.visible;
}

void hsi_starter_close(hsi_starter *starter)
{
    if (!starter)
        return;
    leave_keeper(starter);
    if (starter->keeper) {
        free(starter->keeper->guard.strings);
        free(starter->keeper->guard_pid);
        free(starter->keeper->child);
        free(starter->keeper);
    }
    hsi_environment_free(&starter->environment);
    pthread_mutex_destroy(&starter->lock);
    free(starter);
}

static bool request_guard(const hsi_starter *s, const char *settings, size_t length,
                          hsi_guard_started *started, int *socket)
{
    hsi_request  request = {.length = (uint32_t)length};
    struct iovec parts[] = {{&request, sizeof request}, {(void *)(uintptr_t)settings, length}};

    return s->pid >= 0 && hsi_send(s->socket, parts, 2, NULL, 0) &&
           hsi_receive_with(s->socket, started, sizeof *started, socket, 1);
}

/* Ask the keeper for a guard; start a new keeper and ask again if the keeper was killed. */
static int request_or_restart(hsi_starter *s, const char *settings, size_t length,
                              hsi_guard_started *started, int *socket, char why[HS_WHY])
{
    if (request_guard(s, settings, length, started, socket))
        return 0;
    leave_keeper(s);
    if (start_keeper(s, why) != 0)
        return -1;
    if (request_guard(s, settings, length, started, socket))
        return 0;
    snprintf(why, HS_WHY, "the process that starts commands was killed");
    return -1;
}

int hsi_starter_start_guard(hsi_starter *starter, const char *variables, size_t length, pid_t *pid,
                            int *socket, char why[HS_WHY])
{
    hsi_guard_started started = {.error = 0};
    int               result;

    *socket = -1;
    pthread_mutex_lock(&starter->lock);
    result = request_or_restart(starter, variables, length, &started, socket, why);
    pthread_mutex_unlock(&starter->lock);
    if (result != 0)
        return -1;
    *pid = started.pid;
    if (started.error == 0 && *socket >= 0)
        return 0;
    errno = started.error ? started.error : EMFILE;
    snprintf(why, HS_WHY, "no process to watch over commands: %m");
    return -1;
}
