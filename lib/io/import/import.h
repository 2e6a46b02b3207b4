/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_IMPORT_H
#define HSI_IO_IMPORT_IMPORT_H

#include <hybridsched/io.h>

#include "core/columns.h"
#include "io/import/speedup.h"
#include "io/import/text.h"
#include "io/import/words.h"
#include "support/vector.h"

/*
 * An instance made of somebody else's format. Each format has a reader of its own, which adds
 * tasks in the order in which it wants them as rows, and edges in any order, each with the place in
 * the text where it stands; what is wrong with them is found and said here.
 */
typedef struct hsi_import {
    struct hsi_import_text text;
    hs_import_options      options; /* all of them */
    hs_builder            *builder;
    hsi_speedup            speedup;
    hsi_words              tasks;  /* ids; those of rows come first, in their order */
    hsi_vector             places; /* size_t: of the rows */
    hsi_vector             edges;  /* hsi_foreign_edge */
    size_t                 rows;
} hsi_import;

typedef struct hsi_foreign_edge {
    uint32_t later, earlier; /* rows */
    double   bytes;
    size_t   at;
} hsi_foreign_edge;

/* Reads all of `fd`. HS_ESYNTAX, HS_EIO, HS_ENOMEM; hsi_import_close() in any case. */
hs_status hsi_import_open(hsi_import *r, int fd, const hs_import_options *options,
                          hs_diagnostic *why);
void      hsi_import_close(hsi_import *r);

/* The next row: its id, and its times. The strings need not stay. */
hs_status hsi_import_task(hsi_import *r, const char *at, hsi_text id, hs_task *task);

/* Its time on GPUs after the rule that `name` falls under. */
hs_status hsi_import_gpu_time(hsi_import *r, const char *at, hsi_text name, double cpu,
                              double *gpu);

/* A time, in the words of `what`: above 0, or at least as long as the options say. */
hs_status hsi_import_time(hsi_import *r, const char *at, const char *what, double *time);

hs_status hsi_import_edge(hsi_import *r, const char *at, size_t later, size_t earlier,
                          double bytes);

/* The edges so far, by later and then earlier row; those that are there twice next to each other.
 */
void hsi_import_sort(hsi_import *r);

/* Is there such an edge? After hsi_import_sort(). */
int hsi_import_has_edge(const hsi_import *r, size_t later, size_t earlier);

/* Leaves out edges that are there already. */
void hsi_import_merge(hsi_import *r);

/* Numbers of workers, for who has not been told otherwise. */
void hsi_import_workers(hsi_import *r, uint64_t cpus, uint64_t gpus);

/* The instance, with a note that says where it comes from. */
hs_status hsi_import_finish(hsi_import *r, const char *format, hs_instance **out);

#endif
