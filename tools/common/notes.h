/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_NOTES_H
#define TOOLS_NOTES_H

#include <hybridsched/instance.h>

/** Add the notes of an instance to a builder. */
hs_status notes_copy(const hs_instance *in, hs_builder *b);

#endif
