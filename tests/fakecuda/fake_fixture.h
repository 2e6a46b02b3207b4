/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_FAKE_FIXTURE_H
#define FAKECUDA_FAKE_FIXTURE_H

/* Two streams on the fake, its libraries on the first of them, and small matrices. */

#include <cusolverDn.h>

#include "fake.h"
#include "suite.h"

enum { N = 24, LD = 27, CELLS = LD * N };

extern cudaStream_t       one, two;
extern cublasHandle_t     blas;
extern cusolverDnHandle_t solver;

#define GOOD(call) ck_assert_msg((int)(call) == 0, "%s", #call)

/* What setup() opens, with other settings. */
void open_with(fake_settings settings);

void setup(void);
void teardown(void);

/* The fake has noticed no misuse; or one, which it tells so. */
void no_misuse(void);
void misused(const char *how);

/* Memory, of the device and of the host. */
void *device(size_t bytes);
void *pinned(size_t bytes);

/* Pinned, and the same on the device: `weight` is added to the diagonal. */
double *matrix(double **there, int first, double weight);

/* A pinned copy. */
double *fetch(const double *there, size_t count);

/* An element of a matrix with LD rows. */
double at(const double *a, int transposed, int row, int column);

void near(double got, double want);

/* Of the operations of a kind, at least so many have begun and ended. */
void wait_until(fake_kind kind, unsigned begun, unsigned ended);

#endif
