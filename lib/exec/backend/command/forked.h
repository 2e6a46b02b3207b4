/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_FORKED_H
#define HSI_EXEC_BACKEND_COMMAND_FORKED_H

#include <sys/types.h>

/*
 * What the keeper and the guards have in common. They run between fork and the end of the
 * process, in a copy of a program with threads: nothing is called in them but what is safe in a
 * signal handler. All signals are blocked there.
 */

enum { HSI_FORKED_SOCKET = 3 };

/* Without the handlers that others have registered; under TSan with them. */
pid_t hsi_fork_alone(void);

/*
 * First of all: signals have no handlers, the session is one of its own (what kills the program's
 * group does not kill this), descriptors are /dev/null and `socket`, as HSI_FORKED_SOCKET; orphans
 * become its children. And it has another name than the program, and another command line, lest
 * who kills that one by name kills this with it. Returns a descriptor that is readable when a
 * child ends; -1: it cannot be.
 */
int hsi_forked_begin(int socket);

/* Children, at most `room` of them. Complete: entries go away only when this process reaps them.
 * -1: the kernel does not say. */
int hsi_forked_children(pid_t *list, int room);

#endif
