/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_TREE_H
#define TOOLS_CHECK_TREE_H

#include <hybridsched/hybridsched.h>

#include "check/read/read.h"

/**
 * Why the tree does not prove the certificate's value; NULL: it does. The kinds' counts
 * are those of the instance.
 */
const char *tree_flaw(const certificate *c, const hs_instance *in);

#endif
