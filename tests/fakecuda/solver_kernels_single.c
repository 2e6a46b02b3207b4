/* SPDX-License-Identifier: BSD-3-Clause */
/* The dense factorisations of the fake's cuSOLVER in single precision. */
#define FAKE_SINGLE
#include "solver_kernels.c"
