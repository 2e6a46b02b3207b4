/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_MEMORY_NAME_H
#define HSI_CORE_MEMORY_NAME_H

#include <hybridsched/instance.h>

/* Return the name of a memory node, in `name` or static: "host", with several nodes "host1", or
 * "gpu3". */
const char *hsi_memory_node_name(const hs_instance *in, uint32_t node, char name[16]);

/* Read such a name. Return false if it is none; else the type says whether the memory is a host's
 * or a GPU's, and *number is that of the host or GPU. */
bool hsi_memory_name_read(const char *at, size_t length, hs_type *type, unsigned *number);

#endif
