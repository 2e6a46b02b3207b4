/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FAKE_MPI_H
#define TESTS_FAKE_MPI_H

#include "exec/ranks/ranks.h"

/*
 * Ranks that are threads of one process. A message ends at a random later call of test(). Until then the
 * memory of a receipt has NaN, as a real MPI may change it at any time, and the memory of a dispatch is
 * read at the end, so that a change in between is an error. After abort() all calls fail.
 */
typedef struct fake_world fake_world;

fake_world   *fake_world_create(unsigned ranks, uint64_t seed);
const hs_mpi *fake_world_rank(fake_world *world, unsigned rank);
uint64_t      fake_world_left(const fake_world *world); /* messages that have not ended */
void          fake_world_free(fake_world *world);

/* Let the n-th message from now on fail, as the call that begins it; 0: none. */
void fake_world_fail(fake_world *world, unsigned n);

#endif
