/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/stop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "common/progress.h"

enum { STOPS = 2 };
static const int stops[STOPS] = {SIGINT, SIGTERM};

static struct sigaction before[STOPS]; /* original handlers, which end the program */
static int              received;      /* first signal, 0: none; atomic, because threads read it */
static char             notice[128];   /* text for the handler, which must not call snprintf() */

static void on_stop(int number)
{
    int     error = errno;
    ssize_t written;

    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], &before[i], NULL);
    progress_hide_in_handler();
    written = write(STDERR_FILENO, notice, strlen(notice));
    (void)written; /* a failed write cannot be reported */
    errno = error;
    __atomic_store_n(&received, number, __ATOMIC_RELAXED);
}

/* Install on_stop() for each signal that the caller did not ignore. */
static void replace_handlers(void)
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};

    snprintf(notice, sizeof notice,
             "%s: stopping with the best result so far; signal again to exit at once\n", message_tool());
    sigfillset(&action.sa_mask);
    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], NULL, &before[i]);
    for (int i = 0; i < STOPS; i++)
        if (before[i].sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
}

void stop_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, replace_handlers);
}

int stop_requested(void *unused)
{
    (void)unused;
    return __atomic_load_n(&received, __ATOMIC_RELAXED) != 0;
}

int stop_exit_code(int code)
{
    int number = __atomic_load_n(&received, __ATOMIC_RELAXED);

    return number ? 128 + number : code;
}
