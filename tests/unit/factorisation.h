/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FACTORISATION_H
#define TESTS_FACTORISATION_H

#include <hybridsched/hybridsched.h>

/* Kinds from 0: each hs_factorisation in double precision, then each in single precision (plus
 * SINGLE). */
enum { SINGLE = HS_QR + 1, ALL_FACTORISATIONS = 2 * SINGLE };

/* Return the graph of kernels of a factorisation with tiles x tiles tiles of n x n elements. Times
 * are scaled down from tiles of 1600. */
hs_instance *factorisation(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus);

#endif
