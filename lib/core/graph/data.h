/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_DATA_H
#define HSI_CORE_GRAPH_DATA_H

#include <hybridsched/status.h>

#include "core/columns.h"
#include "support/vector.h"

/*
 * Handles by name, numbered in order of first use: the names in one text, and an open hash table
 * over them. A zeroed structure is empty.
 */
typedef struct hsi_data {
    size_t     count;
    hsi_vector text;  /* names, each with its NUL */
    hsi_vector at;    /* size_t: start of each name in `text` */
    hsi_vector bytes; /* double: size of each handle in bytes; NaN: the default size `usual` */
    double     usual; /* default size */
    hsi_vector memory; /* uint32_t: memory of each handle at the start, see hsi_data_memory();
                          handles past the end are on the first host */
    uint32_t  *slot;  /* slots of the hash table. Low bits, below `slots`: number of the handle
                         plus 1, or 0; high bits: part of the hash. */
    size_t   slots;   /* number of slots, a power of two */
    uint64_t seed;    /* hash seed, set by the owner before the first name; prevents files
                         crafted to be slow */
} hsi_data;

enum { HSI_DATA_BATCH = 64 };

/*
 * Set number[i] to the handle named name[i], creating handles for new names; at most HSI_DATA_BATCH
 * names. HS_ENOMEM, HS_ETOOBIG.
 */
hs_status hsi_data_find_or_add(hsi_data *data, const hsi_text *name, size_t count,
                               uint32_t *number);

void hsi_data_close(hsi_data *data);

enum { HSI_GPU_MEMORY = 1u << 30 /* added to the number of a GPU; a host has its own number */ };

/* Return the memory of a handle at the start: the number of a host, or of a GPU plus
 * HSI_GPU_MEMORY. */
static inline uint32_t hsi_data_memory(const hsi_data *data, size_t number)
{
    const uint32_t *memory = data->memory.data;

    return number < data->memory.size / sizeof *memory ? memory[number] : 0;
}

/* Set the memory of a handle at the start. HS_ENOMEM. */
hs_status hsi_data_set_memory(hsi_data *data, size_t number, uint32_t memory);

static inline const char *hsi_data_name(const hsi_data *data, size_t number)
{
    return (const char *)data->text.data + ((const size_t *)data->at.data)[number];
}

static inline size_t hsi_data_name_length(const hsi_data *data, size_t number)
{
    const size_t *at = data->at.data;

    return (number + 1 < data->count ? at[number + 1] : data->text.size) - at[number] - 1;
}

static inline bool hsi_data_has_bytes(const hsi_data *data, size_t number)
{
    double bytes = ((const double *)data->bytes.data)[number];

    return bytes == bytes;
}

static inline double hsi_data_bytes(const hsi_data *data, size_t number)
{
    return hsi_data_has_bytes(data, number) ? ((const double *)data->bytes.data)[number]
                                            : data->usual;
}

#endif
