/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_IMPORT_H
#define HSI_IO_IMPORT_IMPORT_H

#include <hybridsched/io.h>

#include "core/columns.h"
#include "io/import/speedup.h"
#include "io/import/source_text.h"
#include "io/import/word_table.h"
#include "support/vector.h"

/*
 * The state of importing an instance from a foreign format. The reader of a format adds tasks in
 * the order of the rows, and edges in any order, each with its place in the text. Errors in the
 * graph are found and reported here.
 */
typedef struct hsi_import {
    struct hsi_import_text text;
    hs_import_settings     settings; /* resolved settings */
    hs_error               error;    /* first fault found; HS_OK: none */
    hs_builder            *builder;
    hsi_speedup            speedup;
    hsi_words              tasks;  /* ids of tasks; the id of row i has number i */
    hsi_vector             places; /* size_t: position of each row in the text */
    hsi_vector             edges;  /* hsi_foreign_edge */
    size_t                 rows;
} hsi_import;

typedef struct hsi_foreign_edge {
    uint32_t later, earlier; /* rows at both ends */
    double   bytes;
    size_t   at;
} hsi_foreign_edge;

/*
 * Read all of `fd`. HS_ESYNTAX, HS_EIO, HS_ENOMEM. Call hsi_import_close() in any case. `importer`
 * must not be copied.
 */
hs_status hsi_import_open(hsi_import *importer, int fd, const hs_import_settings *settings);

/*
 * Free the memory of an import. If `status`, the outcome of the import, is not HS_OK, fill *error
 * (may be NULL) from the fault found. Return `status`.
 */
hs_status hsi_import_close(hsi_import *importer, hs_status status, hs_error *error);

/* Add the next row with its id and times. The strings are copied. */
hs_status hsi_import_add_task(hsi_import *importer, const char *position, hsi_text id,
                              hs_task *task);

/* Compute a GPU time by the speed-up rule for `name`. */
hs_status hsi_import_gpu_time(hsi_import *importer, const char *position, hsi_text name, double cpu,
                              double *gpu);

/*
 * Check a time, `name` in messages: raise it to the least time of the settings; it must be above 0.
 */
hs_status hsi_import_check_time(hsi_import *importer, const char *position, const char *name,
                                double *time);

hs_status hsi_import_add_edge(hsi_import *importer, const char *position, size_t later,
                              size_t earlier, double bytes);

/* Sort the edges by later row, then earlier row; duplicates become neighbours. */
void hsi_import_sort_edges(hsi_import *importer);

/* Return whether an edge exists. Call hsi_import_sort_edges() before. */
bool hsi_import_has_edge(const hsi_import *importer, size_t later, size_t earlier);

/* Sort the edges and remove duplicates. */
void hsi_import_merge_edges(hsi_import *importer);

/* Set the numbers of workers that the settings do not give. */
void hsi_import_set_workers(hsi_import *importer, uint64_t cpus, uint64_t gpus);

/*
 * Make the instance, with a note that names `format` as its origin. On success the caller owns
 * *out.
 */
hs_status hsi_import_finish(hsi_import *importer, const char *format, hs_instance **out);

#endif
