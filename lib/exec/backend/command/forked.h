/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_FORKED_H
#define HSI_EXEC_BACKEND_COMMAND_FORKED_H

#include <sys/types.h>

/*
 * Functions that the keeper and the guards share. Both run between fork and the end of the process,
 * in a copy of a program with threads: they may only call functions that are safe in a signal
 * handler. All signals are blocked there.
 */

enum { HSI_FORKED_SOCKET = 3 };

/* Fork without running the handlers of pthread_atfork(); with them under TSan. Returns as
 * fork(). */
pid_t hsi_fork_alone(void);

/*
 * Set up the process, before anything else: default signal handlers; a session of its own, so that
 * a kill of the program's group spares it; /dev/null as stdin, stdout and stderr, and `socket` as
 * HSI_FORKED_SOCKET; orphans become its children; another name and command line than the program's,
 * so that a kill by name spares it. Return a descriptor that is readable when a child ends, or -1.
 */
int hsi_forked_begin(int socket);

/* List the children, at most `room`. The list is complete, as entries vanish only when this process
 * reaps them. Return the number, or -1 if the kernel does not tell. */
int hsi_forked_children(pid_t *list, int room);

#endif
