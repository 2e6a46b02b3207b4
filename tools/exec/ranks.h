/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_RANKS_H
#define TOOLS_EXEC_RANKS_H

#include "exec/command_line.h"

/* The ranks of --mpi. Without --mpi the handle is NULL, and the functions do nothing. */

/**
 * Refuse options that ranks do not serve, initialise MPI, and let ranks other than 0 write nothing
 * but messages. Without --mpi, warn if mpirun has started several processes. Return 0, or an exit
 * code after a message.
 */
int exec_ranks_open(command_line *line);

/** Refuse an instance that each rank would plan on its own: their plans might differ. Return the
 * exit code. */
int exec_ranks_refuse_instance(const plan *p);

/** Return the largest exit code of all ranks before the run. */
int exec_ranks_agree(hs_mpi *ranks, int code);

/** Return whether other ranks wait for this one, whose run has failed. */
bool exec_ranks_wait(const exec_job *job);

/** End MPI, or all ranks if they wait for this one. Return the exit code. */
int exec_ranks_close(hs_mpi *ranks, int code, bool others_wait);

/** Print what each rank has done, in the summary or the report. */
void exec_ranks_summary(FILE *out, const exec_job *job);
void exec_ranks_json(FILE *out, const exec_job *job);

#endif
