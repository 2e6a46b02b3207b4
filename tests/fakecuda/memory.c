/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory and pinned memory: allocation, uses of each part, and release. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "state.h"

enum { POISON = 0xff }; /* makes NaNs of doubles and floats */

static fake_block **blocks; /* live blocks, unordered */
static size_t       block_count, block_room;

/* Allocate the block's memory. Device addresses are reserved only: an access by the host is a
 * fault. */
static int take_memory(fake_block *block)
{
    void *real = NULL;

    if (posix_memalign(&real, 256, block->size ? block->size : 1))
        return 0;
    block->real = block->base = real;
    if (block->pinned)
        return 1;
    block->base =
        mmap(NULL, block->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block->base != MAP_FAILED)
        return 1;
    free(real);
    return 0;
}

static void give_memory(fake_block *block)
{
    if (block->base && !block->pinned)
        munmap(block->base, block->size);
    if (!block->borrowed)
        free(block->real);
    block->base = block->real = NULL;
}

static void dispose(fake_object *object)
{
    fake_block *block = (fake_block *)(void *)object;

    if (block->object.alive)
        block_count = 0; /* called when every object is discarded */
    give_memory(block);
    free(block->uses);
}

static void list_block(fake_block *block)
{
    if (block_count == block_room) {
        block_room = block_room ? 2 * block_room : 64;
        blocks = realloc(blocks, block_room * sizeof *blocks);
        if (!blocks)
            abort();
    }
    blocks[block_count++] = block;
}

static void unlist_block(const fake_block *block)
{
    size_t i;

    for (i = 0; i < block_count; i++)
        if (blocks[i] == block)
            blocks[i--] = blocks[--block_count];
}

/* Fill memory with NaNs, unless kernels do not compute. */
static void poison(void *base, size_t size)
{
    if (fake.settings.compute)
        memset(base, POISON, size);
}

static fake_block *enlist(const fake_block *taken)
{
    fake_block *block = fake_object_create(FAKE_BLOCK, sizeof *block);
    fake_object object = block->object;

    *block = *taken;
    block->object = object;
    block->object.dispose = dispose;
    list_block(block);
    return block;
}

static fake_block *create_block(size_t size, int pinned)
{
    fake_block taken = {.size = size, .pinned = pinned};

    if (!take_memory(&taken))
        return NULL;
    poison(taken.real, size);
    return enlist(&taken);
}

void fake_block_register_host_memory(void *base, size_t size)
{
    enlist(&(fake_block){.base = base, .real = base, .size = size, .pinned = 1, .borrowed = 1});
}

fake_block *fake_block_of(const void *pointer)
{
    uintptr_t p = (uintptr_t)pointer;
    size_t    i;

    for (i = 0; i < block_count; i++)
        if (p >= (uintptr_t)blocks[i]->base && p - (uintptr_t)blocks[i]->base < blocks[i]->size)
            return blocks[i];
    return NULL;
}

void *fake_host_address(const void *pointer)
{
    const fake_block *block = fake_block_of(pointer);

    return block ? block->real + ((const char *)pointer - block->base) : (void *)(uintptr_t)pointer;
}

void fake_resolve_addresses(fake_operation *operation)
{
    fake_kernel *k = &operation->kernel;

    operation->to = fake_host_address(operation->to);
    operation->from = fake_host_address(operation->from);
    k->a = fake_host_address(k->a);
    k->b = fake_host_address(k->b);
    k->c = fake_host_address(k->c);
    k->work = fake_host_address(k->work);
    k->tau = fake_host_address(k->tau);
    k->pivots = fake_host_address(k->pivots);
    k->info = fake_host_address(k->info);
}

/* Return the block that begins at the pointer; complain if it does not exist. */
static fake_block *block_at(const void *pointer, int pinned, const char *call)
{
    fake_block *block = fake_block_of(pointer);

    if (block && block->base == pointer && block->pinned == pinned)
        return block;
    fake_complain("%s: no such memory, or it is freed already", call);
    return NULL;
}

/* Take the block out of use: later calls with its address are misuses. */
static void retire(fake_block *block)
{
    unlist_block(block);
    fake_object_destroy(&block->object);
    if (!block->pinned)
        fake.device[block->object.device].used -= block->size;
}

void fake_block_free(fake_block *block)
{
    if (block->disputed)
        return;
    if (!block->borrowed)
        poison(block->real, block->size);
    give_memory(block);
    free(block->uses);
    block->uses = NULL;
    block->use_count = 0;
}

/* Remove uses that the host knows to be over, because they conflict with no later use. */
static void forget_old_uses(fake_block *block)
{
    size_t i, kept = 0;

    for (i = 0; i < block->use_count; i++)
        if (block->uses[i].number > fake_host_clock()->seen[block->uses[i].slot])
            block->uses[kept++] = block->uses[i];
    block->use_count = kept;
}

void fake_record_use(fake_block *block, const fake_use *use)
{
    forget_old_uses(block);
    if (block->use_count == block->use_room) {
        block->use_room = block->use_room ? 2 * block->use_room : 16;
        block->uses = realloc(block->uses, block->use_room * sizeof *block->uses);
        if (!block->uses)
            abort();
    }
    block->uses[block->use_count++] = *use;
}

static int overlap(const fake_use *a, size_t from, size_t to)
{
    return a->from < to && from < a->to;
}

const fake_use *fake_find_conflict(const fake_block *block, const fake_use *use,
                                   const fake_clock *known)
{
    const fake_use *other;

    for (other = block->uses; other && other < block->uses + block->use_count; other++)
        if ((other->write || use->write) && other->slot != use->slot &&
            other->number > known->seen[other->slot] && overlap(other, use->from, use->to))
            return other;
    return NULL;
}

int fake_has_pending(const fake_block *block, size_t from, size_t to)
{
    const fake_use *use;

    for (use = block->uses; use && use < block->uses + block->use_count; use++)
        if (overlap(use, from, to) && fake_is_pending(use->slot, use->number))
            return 1;
    return 0;
}

/* Allocate device memory. The address is valid after the call; streams still need an order to use
 * it. */
static cudaError_t allocate(void **out, size_t size, fake_block **made)
{
    struct fake_device *device = &fake.device[fake_current_device()];
    fake_block         *block;

    if (!out || !size)
        return cudaErrorInvalidValue;
    if (size > fake.settings.memory || device->used > fake.settings.memory - size)
        return cudaErrorMemoryAllocation;
    block = create_block(size, 0);
    if (!block)
        return cudaErrorMemoryAllocation;
    device->used += size;
    device->peak = device->used > device->peak ? device->used : device->peak;
    *out = block->base;
    *made = block;
    return cudaSuccess;
}

/* Wait for the device if settings.hidden is set. CUDA's memory calls wait now and then; the fake
 * always does, to reveal it. */
static void wait_hidden(void)
{
    if (fake.settings.hidden)
        fake_drain_device(fake_current_device());
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    fake_block *block;
    cudaError_t error = fake_begin_call("cudaMalloc");

    if (!error && fake_is_forbidden("cudaMalloc"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error) {
        wait_hidden();
        error = allocate(devPtr, size, &block);
    }
    return fake_end_call(error);
}

/* Free memory after waiting for every operation on the device. */
static cudaError_t free_now(void *pointer)
{
    fake_block *block = block_at(pointer, 0, "cudaFree");

    if (!block)
        return cudaErrorInvalidValue;
    if (fake_object_kept_by_failure(&block->object))
        return cudaSuccess;
    fake_drain_device(block->object.device);
    retire(block);
    fake_block_free(block);
    return cudaSuccess;
}

cudaError_t cudaFree(void *devPtr)
{
    cudaError_t error = fake_begin_call("cudaFree"), done = cudaSuccess;

    if (fake_is_forbidden("cudaFree"))
        done = cudaErrorStreamCaptureUnsupported;
    else if (devPtr)
        done = free_now(devPtr);
    return fake_end_call(error ? error : done);
}

static cudaError_t allocate_in(fake_stream *stream, void **out, size_t size)
{
    fake_operation operation = {.kind = FAKE_KINDS, .name = "cudaMallocAsync"};
    fake_block    *block;
    cudaError_t    error;

    if (!fake_is_live_object(stream, FAKE_STREAM, "cudaMallocAsync"))
        return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
        fake_complain("cudaMallocAsync: captured, which the fake cannot do");
        return cudaErrorStreamCaptureUnsupported;
    }
    error = allocate(out, size, &block);
    if (error)
        return error;
    operation.span[operation.spans++] = (fake_span){block->base, size, 1, 0, 0};
    return fake_enqueue(stream, &operation);
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    cudaError_t error = fake_begin_call("cudaMallocAsync");

    if (!error)
        error = allocate_in(hStream, devPtr, size);
    return fake_end_call(error);
}

/* Tell whether another stream may still use the block. */
static int is_disputed(const fake_stream *stream, const fake_block *block)
{
    const fake_use use = {stream->slot, 1, 0, 0, block->size, NULL};
    fake_clock     known = stream->known;

    fake_clock_merge(&known, fake_host_clock());
    return fake_find_conflict(block, &use, &known) != NULL;
}

/* Free memory in the order of a stream. Its bytes are available at once, because a later allocation
 * would wait for the release. */
static cudaError_t free_in(fake_stream *stream, void *pointer)
{
    fake_operation operation = {.kind = FAKE_FREE, .name = "cudaFreeAsync"};
    fake_block    *block = block_at(pointer, 0, "cudaFreeAsync");
    cudaError_t    error;

    if (!block)
        return cudaErrorInvalidValue;
    if (!fake_is_live_object(stream, FAKE_STREAM, "cudaFreeAsync"))
        return cudaErrorInvalidResourceHandle;
    if (fake_object_kept_by_failure(&block->object))
        return cudaSuccess;
    operation.block = block;
    operation.span[operation.spans++] = (fake_span){block->base, block->size, 1, 0, 0};
    block->disputed = is_disputed(stream, block);
    error = fake_enqueue(stream, &operation);
    retire(block);
    return error;
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    cudaError_t error = fake_begin_call("cudaFreeAsync"), done = cudaSuccess;

    if (devPtr)
        done = free_in(hStream, devPtr);
    return fake_end_call(error ? error : done);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    fake_block *block;
    cudaError_t error = fake_begin_call("cudaHostAlloc");

    (void)flags;
    if (!error && fake_is_forbidden("cudaHostAlloc"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error && (!pHost || !size))
        error = cudaErrorInvalidValue;
    if (error)
        return fake_end_call(error);
    wait_hidden();
    block = create_block(size, 1);
    if (block)
        *pHost = block->base;
    return fake_end_call(block ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Tell whether a device is broken: no call can wait for copies of a broken device. */
static int is_any_broken(void)
{
    int i;

    for (i = 0; i < FAKE_DEVICES && !fake.device[i].broken; i++)
        continue;
    return i < FAKE_DEVICES;
}

cudaError_t fake_free_pinned(void *pointer, int borrowed, const char *call)
{
    fake_block *block = block_at(pointer, 1, call);

    if (block && block->borrowed != borrowed)
        fake_complain("%s: that memory is for the other call that unpins", call);
    if (!block || block->borrowed != borrowed)
        return cudaErrorInvalidValue;
    if (fake_object_kept_by_failure(&block->object))
        return cudaSuccess;
    if (fake_has_pending(block, 0, block->size) && !is_any_broken())
        fake_complain("%s: a copy is still to use it", call);
    while (fake_has_pending(block, 0, block->size))
        pthread_cond_wait(&fake_change, &fake_lock);
    wait_hidden();
    retire(block);
    fake_block_free(block);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *ptr)
{
    cudaError_t error = fake_begin_call("cudaFreeHost"), done = cudaSuccess;

    if (fake_is_forbidden("cudaFreeHost"))
        done = cudaErrorStreamCaptureUnsupported;
    else if (ptr)
        done = fake_free_pinned(ptr, 0, "cudaFreeHost");
    return fake_end_call(error ? error : done);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t error = fake_begin_call("cudaMemGetInfo");

    if (!error) {
        *free_bytes = fake.settings.memory - fake.device[fake_current_device()].used;
        *total = fake.settings.memory;
    }
    return fake_end_call(error);
}
