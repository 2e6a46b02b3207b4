/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_REMOTE_LAUNCH_H
#define HSI_EXEC_BACKEND_REMOTE_LAUNCH_H

#include <stdint.h>
#include <sys/types.h>

/* A process that starts a node and carries its messages. Its exit status says nothing: srun returns
 * 0 after the failure of a node. */
typedef struct hsi_launcher {
    pid_t pid;
    int   to, from; /* descriptors to and from the node; not blocking */
} hsi_launcher;

/* Start the shell command in a session of its own, so that no signal of the terminal reaches it.
 * Return 0, or an errno. */
int hsi_launcher_start(hsi_launcher *launcher, const char *command);

/* Close the connection to the node. */
void hsi_launcher_close_to(hsi_launcher *launcher);

/* Close both descriptors. */
void hsi_launcher_close(hsi_launcher *launcher);

/* Reap the process of a closed launcher; kill it if it has not ended at the time `until` in ns. */
void hsi_launcher_reap(hsi_launcher *launcher, int64_t until);

#endif
