/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AFFINE_H
#define AFFINE_H

#include <hybridsched/policy.h>

/* The policy `affine`: an idle worker takes the ready task with the smallest share of its time
 * elsewhere. */
extern const hs_policy_kind affine;

#endif
