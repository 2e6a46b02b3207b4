/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and cudaMemsetAsync. */
#include <stdlib.h>
#include <string.h>

#include "state.h"

uint64_t fake_checksum(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t             sum = 0xcbf29ce484222325u, word;
    size_t               i;

    for (i = 0; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * 0x100000001b3u;
    }
    for (; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum | 1;
}

/* Tell whether a copy's target device is broken, so that no operation can wait for the copy. */
static int is_for_broken(const fake_operation *operation)
{
    const fake_block *block = fake_block_of(operation->span[0].base);

    return block && fake.device[block->object.device].broken;
}

/* Copy the bytes. The source is read as late as on a device; complain if it has changed since the
 * call. */
static void run_copy(const fake_operation *operation)
{
    if (operation->sum && fake_checksum(operation->from, operation->bytes) != operation->sum) {
        pthread_mutex_lock(&fake_lock);
        if (!is_for_broken(operation))
            fake_complain("cudaMemcpyAsync: its source has changed before it was copied");
        pthread_mutex_unlock(&fake_lock);
    }
    memmove(operation->to, operation->from, operation->bytes);
}

static void run_set(const fake_operation *operation)
{
    memset(operation->to, operation->value, operation->bytes);
}

static int is_pinned(const void *pointer)
{
    const fake_block *block = fake_block_of(pointer);

    return block && block->pinned;
}

static void add_span(fake_operation *operation, const void *base, int write, int pinned)
{
    operation->span[operation->spans++] = (fake_span){base, operation->bytes, write, pinned, 0};
}

/* Fill the destination with NaNs, so that a premature read is noticed. */
static void poison(const fake_operation *operation)
{
    fake_block *block = fake_block_of(operation->to);
    size_t      from = (size_t)((char *)operation->to - block->base);

    if (from + operation->bytes <= block->size &&
        !fake_has_pending(block, from, from + operation->bytes))
        memset(operation->to, 0xff, operation->bytes);
}

/* Tell whether an earlier operation still has to write the source. */
static int is_pending(const fake_operation *operation)
{
    const fake_block *block = fake_block_of(operation->from);
    size_t            from = (size_t)((const char *)operation->from - block->base);

    return fake_has_pending(block, from, from + operation->bytes);
}

/* Prepare a copy to the device; a pageable source is read at once. */
static void copy_in(fake_stream *stream, fake_operation *operation)
{
    add_span(operation, operation->to, 1, 0);
    operation->kind = FAKE_COPY_IN;
    if (is_pinned(operation->from)) {
        add_span(operation, operation->from, 0, 1);
        if (!stream->capture && fake.settings.compute && !is_pending(operation))
            operation->sum = fake_checksum(operation->from, operation->bytes);
        return;
    }
    fake.pageable++;
    if (stream->capture)
        return;
    operation->own = malloc(operation->bytes);
    if (!operation->own)
        abort();
    memcpy(operation->own, operation->from, operation->bytes);
    operation->from = operation->own;
}

static void copy_out(fake_stream *stream, fake_operation *operation)
{
    add_span(operation, operation->from, 0, 0);
    operation->kind = FAKE_COPY_OUT;
    if (!is_pinned(operation->to))
        return;
    add_span(operation, operation->to, 1, 1);
    if (!stream->capture && fake.settings.compute)
        poison(operation);
}

/* Copy to pageable memory: the call returns after the copy. */
static cudaError_t copy_out_now(fake_stream *stream, const fake_operation *operation)
{
    cudaError_t error = fake_enqueue(stream, operation);

    fake.pageable++;
    while (!error && fake_stream_is_busy(stream))
        pthread_cond_wait(&fake_change, &fake_lock);
    return error;
}

static cudaError_t copy(fake_stream *stream, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    fake_operation operation = {.kind = FAKE_COPY_WITHIN,
                                .name = "cudaMemcpyAsync",
                                .run = run_copy,
                                .to = to,
                                .from = from,
                                .bytes = bytes};

    if (!fake_is_live_object(stream, FAKE_STREAM, "cudaMemcpyAsync"))
        return cudaErrorInvalidResourceHandle;
    if (bytes == 0)
        return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        copy_in(stream, &operation);
        return fake_enqueue(stream, &operation);
    case cudaMemcpyDeviceToHost:
        copy_out(stream, &operation);
        return operation.spans == 2 ? fake_enqueue(stream, &operation)
                                    : copy_out_now(stream, &operation);
    case cudaMemcpyDeviceToDevice:
        add_span(&operation, from, 0, 0);
        add_span(&operation, to, 1, 0);
        return fake_enqueue(stream, &operation);
    default:
        fake_complain("cudaMemcpyAsync: the fake does not guess the direction");
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    cudaError_t error = fake_begin_call("cudaMemcpyAsync");

    if (!error)
        error = copy(stream, dst, src, count, kind);
    return fake_end_call(error);
}

/* Copy between devices. A copy through the host, without peer access, is a misuse: the module has
 * to ask first. */
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream)
{
    fake_operation operation = {.kind = FAKE_COPY_PEER,
                                .name = "cudaMemcpyPeerAsync",
                                .run = run_copy,
                                .to = dst,
                                .from = src,
                                .bytes = count};
    cudaError_t    error = fake_begin_call("cudaMemcpyPeerAsync");

    if (!error && !fake_is_live_object(stream, FAKE_STREAM, "cudaMemcpyPeerAsync"))
        error = cudaErrorInvalidResourceHandle;
    if (!error && (dstDevice < 0 || dstDevice >= fake.settings.devices || srcDevice < 0 ||
                   srcDevice >= fake.settings.devices))
        error = cudaErrorInvalidDevice;
    if (error)
        return fake_end_call(error);
    if (!fake.peers[dstDevice][srcDevice])
        fake_complain("cudaMemcpyPeerAsync: by way of the host, since access is not enabled");
    add_span(&operation, src, 0, 0);
    operation.span[0].device = srcDevice + 1;
    add_span(&operation, dst, 1, 0);
    operation.span[1].device = dstDevice + 1;
    return fake_end_call(fake_enqueue(stream, &operation));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    fake_operation operation = {.kind = FAKE_SET,
                                .name = "cudaMemsetAsync",
                                .run = run_set,
                                .to = devPtr,
                                .value = value,
                                .bytes = count};
    cudaError_t    error = fake_begin_call("cudaMemsetAsync");

    if (!error && !fake_is_live_object(stream, FAKE_STREAM, "cudaMemsetAsync"))
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return fake_end_call(error);
    add_span(&operation, devPtr, 1, 0);
    return fake_end_call(fake_enqueue(stream, &operation));
}
