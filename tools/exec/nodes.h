/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_NODES_H
#define TOOLS_EXEC_NODES_H

#include <hybridsched/exec.h>

/** The nodes of --nodes. */
typedef struct exec_nodes {
    hs_exec_node *list;
    size_t        count, room;
    bool          here; /* whether they are processes on this machine */
} exec_nodes;

/**
 * List the nodes of `what`: a number of processes on this machine, "slurm" for the nodes of the job,
 * or a file with a host a line. `launch`: shell command with {} for the host; NULL: the default.
 * Return 0, or an exit code after a message.
 */
int  exec_nodes_list(const char *what, const char *launch, exec_nodes *nodes);
void exec_nodes_free(exec_nodes *nodes);

/** Return the number of nodes that a batch script requests for --nodes=`what`; 0: not given. */
unsigned exec_nodes_of_job(const char *what);

/** Be a node on standard input and output. Return the exit code. */
int exec_nodes_serve(void);

#endif
