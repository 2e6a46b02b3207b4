/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_STARPU_MODELS_H
#define HSI_IO_IMPORT_STARPU_MODELS_H

#include <hybridsched/io.h>

#include "io/import/text.h"
#include "support/arena.h"

/* The times of a model at a footprint, in microseconds; INFINITY: none there. HS_ENOMEM. */
hs_status hsi_starpu_times(const hs_starpu_models *m, hsi_arena *arena, hsi_text model,
                           hsi_text footprint, double times[2]);

/* Workers that the models were measured on; 0 and 0 where the file does not say. */
void hsi_starpu_workers(const hs_starpu_models *m, uint64_t *cpus, uint64_t *gpus);

/* 1, the mean latency in microseconds and the bytes a second; 0: such transfers were not measured.
 */
int hsi_starpu_link(const hs_starpu_models *m, hs_link link, double *latency, double *bandwidth);

#endif
