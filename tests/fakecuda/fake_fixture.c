/* SPDX-License-Identifier: BSD-3-Clause */

#include "fake_fixture.h"

#include <math.h>
#include <string.h>
#include <time.h>

cudaStream_t       one, two;
cublasHandle_t     blas;
cusolverDnHandle_t solver;

void open_with(fake_settings settings)
{
    fake_reset(&settings);
    GOOD(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    GOOD(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    GOOD(cublasCreate(&blas));
    GOOD(cublasSetStream(blas, one));
    GOOD(cusolverDnCreate(&solver));
    GOOD(cusolverDnSetStream(solver, one));
}

void setup(void)
{
    open_with(FAKE_SETTINGS);
}

void teardown(void)
{
    char text[256];

    cusolverDnDestroy(solver);
    cublasDestroy(blas);
    cudaStreamDestroy(two);
    cudaStreamDestroy(one);
    fake_list_live_objects(text, sizeof text);
    ck_assert_msg(fake_live_objects() == 0, "left: %s", text);
}

void assert_no_misuse(void)
{
    ck_assert_msg(fake_misuse_count() == 0, "%s", fake_first_misuse());
}

void misused(const char *how)
{
    ck_assert_uint_ge(fake_misuse_count(), 1);
    ck_assert_msg(strstr(fake_first_misuse(), how) != NULL, "\"%s\" does not say \"%s\"",
                  fake_first_misuse(), how);
}

void *device(size_t bytes)
{
    void *memory = NULL;

    GOOD(cudaMalloc(&memory, bytes));
    return memory;
}

void *pinned(size_t bytes)
{
    void *memory = NULL;

    GOOD(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
    return memory;
}

static double number(int i)
{
    return ((i * 7919) % 1009) / 1009.0 - 0.5;
}

double *matrix(double **there, int first, double weight)
{
    double *here = pinned(CELLS * sizeof *here);
    int     i;

    for (i = 0; i < CELLS; i++)
        here[i] = number(first + i) + (i % (LD + 1) == 0 ? weight : 0);
    *there = device(CELLS * sizeof *here);
    GOOD(cudaMemcpyAsync(*there, here, CELLS * sizeof *here, cudaMemcpyHostToDevice, one));
    return here;
}

double *fetch(const double *there, size_t count)
{
    double *here = pinned(count * sizeof *here);

    GOOD(cudaMemcpyAsync(here, there, count * sizeof *here, cudaMemcpyDeviceToHost, one));
    GOOD(cudaStreamSynchronize(one));
    return here;
}

double at(const double *a, int transposed, int row, int column)
{
    return transposed ? a[row * LD + column] : a[column * LD + row];
}

void near(double got, double want)
{
    ck_assert_msg(fabs(got - want) < 1e-10, "%.17g, not %.17g", got, want);
}

void wait_until(fake_kind kind, unsigned begun, unsigned ended)
{
    const struct timespec nap = {0, 1000000};

    while (fake_begun_count(kind) < begun || fake_ended_count(kind) < ended)
        nanosleep(&nap, NULL);
}
