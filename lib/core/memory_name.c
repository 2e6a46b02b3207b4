/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/memory_name.h"

#include <stdio.h>
#include <string.h>

#include <hybridsched/schedule.h>

const char *hsi_memory_node_name(const hs_instance *in, uint32_t node, char name[16])
{
    size_t hosts = hs_instance_nodes(in);

    if (hosts == 1 && node == 0)
        return "host";
    if (node < hosts)
        snprintf(name, 16, "host%u", (unsigned)node);
    else
        hs_worker_name(0, node - (unsigned)hosts, name);
    return name;
}

static bool begins_with(const char *at, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* Read a number without sign or leading zeros. */
static bool read_number(const char *at, size_t length, unsigned *number)
{
    *number = 0;
    if (length == 0 || length > 7 || (length > 1 && at[0] == '0'))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (at[i] < '0' || at[i] > '9')
            return false;
        *number = 10 * *number + (unsigned)(at[i] - '0');
    }
    return true;
}

bool hsi_memory_name_read(const char *at, size_t length, hs_type *type, unsigned *number)
{
    *type = HS_CPU;
    *number = 0;
    if (begins_with(at, length, "host"))
        return length == 4 || read_number(at + 4, length - 4, number);
    *type = HS_GPU;
    return begins_with(at, length, "gpu") && read_number(at + 3, length - 3, number);
}
