/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PLUGIN_MIXER_H
#define TESTS_PLUGIN_MIXER_H

#include <hybridsched/plugin.h>

/* What a task of the plugin mixer.c computes: a hash of everything that it reads, which it writes
 * to everything that it writes. The data are named d0, d1, ...; MIXER_DATA at most. */

enum { MIXER_DATA = 16, MIXER_MOST = 4 };

static inline uint64_t mixer_step(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Return the hash of the task and of the data that it reads; data are multiples of 8 bytes. */
static inline uint64_t mixer_read(uint32_t task, const hs_plugin_data *data, size_t count)
{
    uint64_t hash = task + 1u;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; data[i].mode & HS_READ && j < data[i].bytes / 8; j++)
            hash = mixer_step(hash, ((const uint64_t *)data[i].at)[j]);
    return hash;
}

static inline void mixer_write(uint64_t hash, const hs_plugin_data *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; data[i].mode & HS_WRITE && j < data[i].bytes / 8; j++)
            ((uint64_t *)data[i].at)[j] = mixer_step(hash + i, j);
}

#endif
