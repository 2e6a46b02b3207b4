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
pid_t hsi_fork_without_handlers(void);

/*
 * Set up a forked process; call this function first. The process gets default signal handlers, a
 * new session and another name and command line than the program, so that a kill of the program's
 * group or name spares the process; /dev/null as stdin, stdout and stderr; `socket` as descriptor
 * HSI_FORKED_SOCKET; and becomes the parent of orphaned descendants. Return a descriptor that is
 * readable when a child ends, or -1.
 */
int hsi_forked_set_up(int socket);

/* List the children, at most `most`. The list is complete, as entries vanish only when this process
 * reaps them. Return the number, or -1 if the kernel does not tell. */
int hsi_forked_list_children(pid_t *list, int most);

#endif
