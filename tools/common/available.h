/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_AVAILABLE_H
#define TOOLS_AVAILABLE_H

#include <hybridsched/instance.h>

/**
 * When workers are available, as --available has it: cpu3=12.5,gpu0=7, or @FILE with the same
 * between commas, blanks or line ends; those not named at 0. 0, or an
 * exit code after a message. On 0 the caller frees *out, one time a worker; NULL `list`: *out is
 * NULL.
 */
int available_read(const char *list, const hs_instance *in, double **out);

#endif
