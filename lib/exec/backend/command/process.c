/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exec/backend/command/message.h"
#include "exec/machine/topology.h"

struct hsi_process {
    hsi_starter *starter;
    pid_t        pid;    /* process id of the guard; -1: none */
    pid_t        group;  /* process group of the running command; -1: none */
    int          socket; /* connection to the guard */
    const int   *cores;  /* cores that the guard is bound to; NULL: none */
    unsigned     core_count;
    size_t       length; /* bytes of `settings`, the worker's environment */
    char         settings[];
};

static const char guard_killed[] = "the process that watches over commands was killed";

/* Tell the guard to kill its command and end, and wait until it closes the socket. */
static void leave_guard(hsi_process *p)
{
    char nothing;

    if (p->pid < 0)
        return;
    shutdown(p->socket, SHUT_WR); /* ends the connection although other forked processes may hold
                                     copies of the descriptor */
    while (hsi_receive(p->socket, &nothing, 1))
        ;
    close(p->socket);
    p->pid = -1;
}

/* Handle the death of the guard: kill the group of the running command from here. */
static void give_up_guard(hsi_process *p)
{
    if (p->group > 0)
        kill(-p->group, SIGKILL);
    p->group = -1;
    leave_guard(p);
}

static int start_guard(hsi_process *p, char why[HS_WHY])
{
    if (hsi_starter_start_guard(p->starter, p->settings, p->length, &p->pid, &p->socket, why) != 0)
        return -1;
    if (!p->cores || hsi_bind_thread(p->pid, p->cores, p->core_count) == HS_OK)
        return 0;
    snprintf(why, HS_WHY, "cannot bind commands to core %d: %m", p->cores[0]);
    leave_guard(p);
    return -1;
}

hs_status hsi_process_open(hsi_starter *starter, const char *variables, size_t length,
                           const hs_backend_worker_info *worker, hsi_process **out)
{
    hsi_process *p = malloc(sizeof *p + length);

    if (!p)
        return HS_ENOMEM;
    *p = (hsi_process){.starter = starter,
                       .pid = -1,
                       .group = -1,
                       .socket = -1,
                       .cores = worker->cores,
                       .core_count = worker->core_count,
                       .length = length};
    memcpy(p->settings, variables, length);
    *out = p;
    return HS_OK;
}

void hsi_process_close(hsi_process *process)
{
    leave_guard(process);
    free(process);
}

/* Send the order to run a command. Return false if the guard is gone. */
static bool send_request(int socket, const hsi_process_request *request)
{
    char         variables[HS_MAX_ID + 128];
    hsi_order    order = {.kind = HSI_ORDER_RUN};
    struct iovec parts[] = {{&order, sizeof order}, {variables, 0}, {NULL, 0}};

    parts[1].iov_len =
        (size_t)snprintf(variables, sizeof variables, "HSCHED_TASK=%s%cHSCHED_ATTEMPT=%u",
                         request->task, '\0', request->attempt) +
        1;
    /* sendmsg() does not write to it, but an iovec cannot be const */
    parts[2].iov_base = (void *)(uintptr_t)request->command;
    parts[2].iov_len = strlen(request->command) + 1;
    order.length = (uint32_t)(parts[1].iov_len + parts[2].iov_len);
    return hsi_send(socket, parts, 3, request->output, 2);
}

int hsi_process_start_command(hsi_process *process, const hsi_process_request *request,
                              char why[HS_WHY])
{
    hsi_started started;

    if (process->pid >= 0 && send_request(process->socket, request))
        goto sent;
    give_up_guard(process); /* the guard has not started yet, or was killed since the last
                               command */
    if (start_guard(process, why) != 0)
        return -1;
    if (!send_request(process->socket, request))
        goto killed;
sent:
    if (!hsi_receive(process->socket, &started, sizeof started))
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
    hsi_order    order = {.kind = HSI_ORDER_CANCEL};
    struct iovec part = {&order, sizeof order};

    (void)!hsi_send(process->socket, &part, 1, NULL, 0); /* hsi_process_wait_for_end() reports a
                                                            dead guard */
}

int hsi_process_wait_for_end(hsi_process *process, hsi_process_end *end, char why[HS_WHY])
{
    if (!hsi_receive(process->socket, end, sizeof *end)) {
        give_up_guard(process);
        snprintf(why, HS_WHY, "%s", guard_killed);
        return -1;
    }
    process->group = -1;
    if (end->undead)
        leave_guard(process); /* the next guard must not take the orphan for its own command's */
    return 0;
}
