/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PLUGIN_H
#define TOOLS_PLUGIN_H

#include <hybridsched/policy.h>
#include <hybridsched/solve.h>

/*
 * Algorithms and policies from plugin files (--plugin FILE). Opening a file runs its code, so
 * --allow=plugins is required.
 */

/** Add the file of a --plugin option; plugin_open_files() opens it later, because --allow may
 * follow. */
void plugin_add_file(const char *path);

/** Open all added files, or end the program with a message. */
void plugin_open_files(int allowed);

/**
 * Return algorithm or policy `index` of all plugins, in the order of the files; NULL past the last.
 */
const hs_algorithm   *plugin_algorithm_at(size_t index);
const hs_policy_kind *plugin_policy_at(size_t index);

enum { PLUGIN_RANKED = 80 }; /* buffer size for NAME:RANK */

/**
 * Find the algorithm or policy of NAME or NAME:RANK and set *rank. Return NULL if the name is
 * unknown, or the rank is unknown or not supported by the algorithm or policy.
 */
const hs_algorithm   *plugin_algorithm_with_rank(const char *text, hs_rank *rank);
const hs_policy_kind *plugin_policy_with_rank(const char *text, hs_rank *rank);

/**
 * Call usage_error() about the name or rank in `text`, for which the functions above returned NULL.
 * `where` may be NULL.
 */
_Noreturn void plugin_unknown_algorithm(const char *where, const char *text);
_Noreturn void plugin_unknown_policy(const char *where, const char *text);

#endif
