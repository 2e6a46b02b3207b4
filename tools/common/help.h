/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "common/options.h"

/**
 * Return option `index` of the tool's own options followed by the standard options; NULL past the
 * last.
 */
const option_spec *option_at(const tool_spec *tool, size_t index);

/** Print the text of --help. `line` is the command line with the options before --help. */
void help_print(const tool_spec *tool, FILE *out, const void *line);

/**
 * Print `text` in lines of at most 80 columns, indented by `indent`; the first begins in column
 * `column`.
 */
void help_wrap(FILE *out, const char *text, int column, int indent);

#endif
