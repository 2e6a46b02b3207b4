/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_SHARE_H
#define TOOLS_EXEC_SHARE_H

#include <stdint.h>

#include "common/plan.h"

/*
 * Shares of a plan or an instance, for processes that run one share each and do not communicate.
 * Tasks that depend on each other are in one share. Every process computes the same shares from the
 * same file.
 */

/** The share `index`, from 1, of `count`; index 0: all of them; count 0: no shares. */
typedef struct exec_share {
    unsigned index, count;
} exec_share;

/** Parse "I/N" or "all/N"; a wrong argument of the option ends the program with exit status 2. */
exec_share exec_share_of(const char *option, const char *text);

/** Return the share, from 0, of a plan's worker. O(log nodes). */
unsigned exec_share_of_worker(const hs_instance *in, unsigned worker, unsigned shares);

/**
 * Compute the share, from 0, of each task. The tasks of a plan belong to the shares of their
 * workers: share I has the workers of the I-th node, or without nodes each worker w with w mod N =
 * I. An instance is dealt: groups of dependent tasks, the longest first, go to the share with the
 * least work for the type on which the group is faster. On success the caller frees *owner. Return
 * 0, or an exit code, after a message unless `quiet`, for example for a plan that places dependent
 * tasks in two shares.
 */
int exec_share_owners(const plan *p, unsigned count, bool quiet, uint32_t **owner);

/**
 * Create the instance of `count` tasks of `whole` under their names, on `cpus` and `gpus` workers.
 * Their predecessors are among them. number[], by task of `whole`, is set for these tasks to their
 * numbers in the new instance. O(count), besides the edges. On HS_OK the caller owns *out.
 */
hs_status exec_share_instance(const hs_instance *whole, const uint32_t *task, size_t count,
                              unsigned cpus, unsigned gpus, uint32_t *number, hs_instance **out,
                              hs_error *error);

/**
 * Return the longest makespan of a share when heteroprio runs each share on `cpus` and `gpus`
 * workers (share_makespan.c); 0: unknown, since a time is unknown or a simulation failed. `owner`
 * NULL: one share has all tasks.
 */
double exec_share_makespan(const hs_instance *in, const uint32_t *owner, unsigned shares,
                           unsigned cpus, unsigned gpus);

/**
 * Replace the plan or instance by its share: an instance of the share's tasks, under their names,
 * and of a plan also the share's workers and their entries. *empty: the share has no task, and the
 * plan is unchanged. Return 0, or an exit code after a message.
 */
int exec_take_share(plan *p, exec_share share, bool *empty);

/**
 * Return the path of the journal of a share, "JOURNAL.3of8"; the caller frees it.
 */
char *exec_share_journal(const char *journal, exec_share share);

/**
 * List the journals of shares, of every number of shares, that exist beside `journal`, and `journal`
 * itself, which need not exist, all without `own`. Return 0, or an exit code after a message. Free the list with
 * exec_share_free_list().
 */
typedef struct exec_journal_list {
    char **path; /* sorted */
    size_t count, room;
} exec_journal_list;

int  exec_share_list(const char *journal, const char *own, exec_journal_list *list);
void exec_share_free_list(exec_journal_list *list);

/**
 * Move the journals of other numbers of shares than `shares` (0: of all shares) to the front, and
 * return their number: a run of another number of shares may run tasks of this one.
 */
size_t exec_share_sort_idle(const char *journal, unsigned shares, exec_journal_list *list);

/** Set the share whose journal `path` is; return false if it is not the journal of a share. */
bool exec_share_of_journal(const char *journal, const char *path, exec_share *share);

#endif
