/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_AVAILABLE_H
#define TOOLS_AVAILABLE_H

#include <hybridsched/instance.h>

/**
 * Read when workers become available, the argument of --available: cpu3=12.5,gpu0=7, or @FILE with
 * such entries between commas, blanks or line ends. A worker without an entry is available at 0.
 * Return 0 and set *out to one time per worker, which the caller frees; or return an exit code
 * after a message. A NULL `list` sets *out to NULL.
 */
int available_read(const char *list, const hs_instance *in, double **out);

#endif
