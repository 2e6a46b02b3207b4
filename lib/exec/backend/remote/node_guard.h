/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_NODE_GUARD_H
#define HSI_EXEC_BACKEND_REMOTE_NODE_GUARD_H

#include <stdbool.h>

/*
 * The guard of a node: the parent process of the agent. It kills an agent that falls silent. When
 * the agent has ended, the guards of its commands (command/process.h) end the commands; the node's
 * guard inherits these processes, waits for their end and writes the message `dead` to the
 * coordinator.
 */

/*
 * Fork. The calling process becomes the guard and exits with the agent's status when all has
 * ended; the call returns in the child, the agent, with the descriptor for hsi_node_guard_beat().
 * Return -1, in the calling process, if there is no guard: errno has the reason.
 */
int hsi_node_guard_begin(int out);

/* Send the guard a beat. The guard kills the agent if no beat follows within `limit` seconds. */
void hsi_node_guard_beat(int beat, double limit);

#endif
