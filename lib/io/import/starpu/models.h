/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_STARPU_MODELS_H
#define HSI_IO_IMPORT_STARPU_MODELS_H

#include <hybridsched/io.h>

#include "io/import/source_text.h"
#include "support/arena.h"

/*
 * Find the measured times of a model at a footprint (a size of its data), in microseconds;
 * INFINITY: not measured on this type. HS_ENOMEM.
 */
hs_status hsi_starpu_times(const hs_starpu_models *m, hsi_arena *arena, hsi_text model,
                           hsi_text footprint, double times[2]);

/*
 * Set the numbers of workers of the machine on which the models were measured; both 0 if unknown.
 */
void hsi_starpu_workers(const hs_starpu_models *m, uint64_t *cpus, uint64_t *gpus);

/*
 * Compute the mean latency in microseconds and the bytes per second of a link. Return false if the
 * link was not measured.
 */
bool hsi_starpu_link(const hs_starpu_models *m, hs_link link, double *latency, double *bandwidth);

#endif
