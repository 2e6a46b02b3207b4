/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FACTORISATION_H
#define TESTS_FACTORISATION_H

#include <hybridsched/hybridsched.h>

/* A graph of kernels (an hs_factorisation) on tiles of any size n, with the times of those of 1600
 * made shorter. */
hs_instance *factorisation(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus);

#endif
