/* SPDX-License-Identifier: BSD-3-Clause */
/* cudaMemcpy2DAsync between a device and pinned memory. */
#include <string.h>

#include "state.h"

/* Copy a rectangle, described by the kernel's arguments: m bytes of each of n rows, with row
 * distances of lda bytes in the source and ldc bytes in the target. */
static void run_rectangle(const fake_operation *operation)
{
    const fake_kernel *k = &operation->kernel;
    char              *to = operation->to;
    const char        *from = operation->from;
    int                i;

    for (i = 0; i < k->n; i++)
        memmove(to + (size_t)i * (size_t)k->ldc, from + (size_t)i * (size_t)k->lda, (size_t)k->m);
}

static int is_pinned(const void *pointer)
{
    const fake_block *block = fake_block_of(pointer);

    return block && block->pinned;
}

/* Return the span from the first byte to the last; gaps between rows count as used. */
static fake_span span_of(const void *base, size_t pitch, size_t width, size_t height, int write)
{
    return (fake_span){base, (height - 1) * pitch + width, write, is_pinned(base), 0};
}

static cudaError_t copy(fake_stream *stream, fake_operation *operation, enum cudaMemcpyKind kind)
{
    const fake_kernel *k = &operation->kernel;
    int                home = kind == cudaMemcpyDeviceToHost;

    if (!fake_is_live_object(stream, FAKE_STREAM, operation->name))
        return cudaErrorInvalidResourceHandle;
    if ((!home && kind != cudaMemcpyHostToDevice) ||
        !is_pinned(home ? operation->to : operation->from)) {
        fake_complain("cudaMemcpy2DAsync: the fake knows pinned memory and devices only");
        return cudaErrorInvalidValue;
    }
    operation->kind = home ? FAKE_COPY_OUT : FAKE_COPY_IN;
    operation->span[operation->spans++] =
        span_of(operation->from, (size_t)k->lda, (size_t)k->m, (size_t)k->n, 0);
    operation->span[operation->spans++] =
        span_of(operation->to, (size_t)k->ldc, (size_t)k->m, (size_t)k->n, 1);
    return fake_enqueue(stream, operation);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    cudaError_t    error = fake_begin_call("cudaMemcpy2DAsync");
    fake_operation operation = {.name = "cudaMemcpy2DAsync",
                                .run = run_rectangle,
                                .to = dst,
                                .from = src,
                                .bytes = width * height};

    if (!error && (width > dpitch || width > spitch))
        error = cudaErrorInvalidValue;
    operation.kernel =
        (fake_kernel){.m = (int)width, .n = (int)height, .lda = (int)spitch, .ldc = (int)dpitch};
    if (!error && operation.bytes)
        error = copy(stream, &operation, kind);
    return fake_end_call(error);
}
