/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FACTORISATION_H
#define TESTS_FACTORISATION_H

#include <hybridsched/hybridsched.h>

/* All kinds below: an hs_factorisation, or, SINGLE added, that in single precision. */
enum { SINGLE = HS_QR + 1, ALL_FACTORISATIONS = 2 * SINGLE };

/* A graph of kernels (of such a kind) on tiles of any size n, with the times of those of 1600
 * made shorter. */
hs_instance *factorisation(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus);

#endif
