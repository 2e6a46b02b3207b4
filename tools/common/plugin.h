/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLUGIN_H
#define TOOLS_PLUGIN_H

#include <hybridsched/policy.h>
#include <hybridsched/solve.h>

/*
 * Algorithms and policies out of files (--plugin FILE). To open a file runs code of its
 * own, which --allow=plugins has to permit.
 */

/** A file that --plugin names; it is opened later, as --allow may come after it. */
void plugin_add(const char *path);

/** Open all of them, or end the program with a message. */
void plugin_open(int allowed);

/** What they offer, file by file; NULL past the last. */
const hs_algorithm   *plugin_algorithm_at(size_t index);
const hs_policy_kind *plugin_policy_at(size_t index);

/** One of the library's or of theirs; NULL if there is none. */
const hs_algorithm   *plugin_algorithm_find(const char *name);
const hs_policy_kind *plugin_policy_find(const char *name);

enum { PLUGIN_RANKED = 80 }; /* bytes that NAME:RANK may take */

/**
 * The algorithm or policy that NAME or NAME:RANK means, and the rank; NULL if there is none of that
 * name, or it does not take that rank.
 */
const hs_algorithm   *plugin_algorithm_ranked(const char *text, hs_rank *rank);
const hs_policy_kind *plugin_policy_ranked(const char *text, hs_rank *rank);

/** usage_error() about the name or the rank of a text of which these made NULL. `where` or NULL. */
_Noreturn void plugin_unknown_algorithm(const char *where, const char *text);
_Noreturn void plugin_unknown_policy(const char *where, const char *text);

#endif
