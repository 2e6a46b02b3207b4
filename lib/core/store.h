/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_STORE_H
#define HSI_CORE_STORE_H

#include <stdatomic.h>
#include <string.h>

#include <hybridsched/instance.h>

#include "support/vector.h"

typedef struct hsi_text {
    const char *at; /* not terminated; may be NULL when empty */
    size_t      length;
} hsi_text;

/* A column of strings, most of which may be empty: `at` is absent until one is not. */
typedef struct hsi_strings {
    hsi_vector at;   /* size_t a row: where in `text` its string begins; 0 is the empty one */
    hsi_vector text; /* NUL after each */
} hsi_strings;

static inline const char *hsi_strings_get(const hsi_strings *s, size_t row)
{
    const size_t *at = s->at.data;

    return at && at[row] ? (const char *)s->text.data + at[row] : NULL;
}

/* Its length; the strings of an id column stand behind each other as their rows do. */
static inline size_t hsi_strings_length(const hsi_strings *ids, size_t row)
{
    const size_t *at = ids->at.data;
    size_t        rows = ids->at.size / sizeof *at;
    size_t        end = row + 1 < rows ? at[row + 1] : ids->text.size;

    if (at[row] == 0)
        return 0;
    return end ? end - at[row] - 1 : strlen((const char *)ids->text.data + at[row]);
}

/* The columns of an instance; instances on other workers share them. */
typedef struct hsi_store {
    atomic_uint    references;
    size_t         rows, tasks;
    const double  *cpu, *gpu;      /* a row */
    const int64_t *priority;       /* NULL: all 0 */
    const uint32_t *count;         /* NULL: all 1 */
    uint32_t      *first;          /* with count: first task of each row, and `tasks` */
    unsigned char *restartable;    /* an hs_restartable a row; NULL: all default */
    hsi_strings    id, kernel, cpu_command, gpu_command;
    hsi_vector     notes;          /* key NUL value NUL ... */
    hs_unit        unit;
    int            owns_arrays;    /* cpu, gpu, priority, count are ours to free */
} hsi_store;

struct hs_instance {
    hsi_store *store;
    unsigned   cpus, gpus;
};

void hsi_store_release(hsi_store *store);

/* Checks numbers of workers, and every row against them; *row is the one to blame. */
hs_status hsi_store_validate(const hsi_store *store, unsigned cpus, unsigned gpus, size_t *row);

static inline uint32_t hsi_store_count(const hsi_store *store, size_t row)
{
    return store->count ? store->count[row] : 1;
}

/* The given ids, hashed. */
typedef struct hsi_names {
    uint32_t *slot;     /* row + 1, or 0, in the bits of row_mask; above it bits of the hash */
    size_t    size;     /* of slot */
    uint32_t  row_mask;
    uint64_t  seed;
} hsi_names;

/* HS_EDUPLICATE and *row if two tasks have one name. */
hs_status hsi_names_create(const hsi_store *store, hsi_names *names, size_t *row);
void      hsi_names_free(hsi_names *names);

/* The same without keeping them. */
hs_status hsi_names_verify(const hsi_store *store, size_t *row);
int       hsi_names_find(const hsi_store *store, const hsi_names *names, const char *name,
                         size_t length, size_t *task);

/* Task of a row without counts, first task of one with. */
static inline size_t hsi_store_first(const hsi_store *store, size_t row)
{
    return store->first ? store->first[row] : row;
}

#endif
