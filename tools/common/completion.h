/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_COMPLETION_H
#define TOOLS_COMPLETION_H

#include "common/options.h"

/** Completion scripts made from a tool's table of options. */
void completion_bash(const tool_spec *tool, FILE *out);
void completion_zsh(const tool_spec *tool, FILE *out);

#endif
