/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "common/options.h"

/** The tool's options, then those that every tool has; NULL past the last. */
const option_spec *option_at(const tool_spec *tool, size_t index);

/** The answer to --help, after the options that are stored in `line`. */
void help_print(const tool_spec *tool, FILE *out, const void *line);

/** `text` in lines of at most 80 columns, each after `indent` blanks but the first after `used`. */
void help_wrap(FILE *out, const char *text, int used, int indent);

#endif
