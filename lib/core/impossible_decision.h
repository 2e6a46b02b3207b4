/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_IMPOSSIBLE_DECISION_H
#define HSI_CORE_IMPOSSIBLE_DECISION_H

#include <hybridsched/policy.h>

/* Reasons why a decision is impossible, for hsi_impossible_decision(). */
#define HSI_NOT_READY       "a predecessor of the task is not done"
#define HSI_TAKEN           "the task is done, or another decision has started it"
#define HSI_CANNOT_RUN      "the task cannot run on this worker"
#define HSI_NO_VICTIM       "the task does not run there"
#define HSI_CANNOT_SPOLIATE "the task may not be aborted, or may not run here"
#define HSI_ONLY_PREFETCHES "the worker is busy, and can only prefetch a task"
#define HSI_NOT_IN_LIST     "its list of own tasks has another task next"
#define HSI_NOT_LATER       "that is not later"
#define HSI_NO_SUCH_KIND    "there is no such kind of decision"

/*
 * Describe an impossible decision of a policy in *error (may be NULL), and return HS_ESCHEDULE:
 * "at 2 the policy starts task 'a' on gpu0, but REASON". If there is no such task, this is the
 * reason instead.
 */
hs_status hsi_impossible_decision(const hs_instance *in, unsigned worker, const hs_decision *d,
                                  double now, const char *reason, hs_error *error);

/* Describe a task that a policy gives up although it is done or runs; return HS_ESCHEDULE. */
hs_status hsi_impossible_loss(const hs_instance *in, uint32_t task, double now, hs_error *error);

/* Describe a task that is left although every worker waits; return HS_ESCHEDULE. */
hs_status hsi_task_is_left(const hs_instance *in, uint32_t task, double now, hs_error *error);

#endif
