/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_FAKE_FIXTURE_H
#define FAKECUDA_FAKE_FIXTURE_H

/* A fixture with two streams on the fake, library handles on the first stream, and small matrices.
 * */

#include <cusolverDn.h>

#include "fake.h"
#include "suite.h"

enum { N = 24, LD = 27, CELLS = LD * N };

extern cudaStream_t       one, two;
extern cublasHandle_t     blas;
extern cusolverDnHandle_t solver;

#define GOOD(call) ck_assert_msg((int)(call) == 0, "%s", #call)

/* Open the streams and handles of setup() with given settings. */
void open_with(fake_settings settings);

void setup(void);
void teardown(void);

/* Check that the fake has noticed no misuse, or a misuse with that text. */
void assert_no_misuse(void);
void misused(const char *how);

/* Allocate device memory, or pinned host memory. */
void *device(size_t bytes);
void *pinned(size_t bytes);

/* Return a pinned matrix with `weight` added to the diagonal; *there is its copy on the device. */
double *matrix(double **there, int first, double weight);

/* Return a pinned copy of device memory. */
double *fetch(const double *there, size_t count);

/* Return an element of a matrix with LD rows. */
double at(const double *a, int transposed, int row, int column);

void near(double got, double want);

/* Wait until at least these numbers of operations of a kind have begun and ended. */
void wait_until(fake_kind kind, unsigned begun, unsigned ended);

#endif
