/* SPDX-License-Identifier: BSD-3-Clause */
/* cudaHostRegister: pin memory that stays the caller's. */
#include "state.h"

/* Tell whether a page or the last byte of the range is pinned already. */
static int is_pinned_in_part(const char *base, size_t size)
{
    size_t i;

    for (i = 0; i < size; i += 4096)
        if (fake_block_of(base + i))
            return 1;
    return fake_block_of(base + size - 1) != NULL;
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    cudaError_t error = fake_begin_call("cudaHostRegister");

    if (!error && fake_is_forbidden("cudaHostRegister"))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error && (!ptr || !size || flags > cudaHostRegisterPortable))
        error = cudaErrorInvalidValue;
    if (!error && is_pinned_in_part(ptr, size))
        error = cudaErrorHostMemoryAlreadyRegistered;
    if (!error)
        fake_block_register_host_memory(ptr, size);
    return fake_end_call(error);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    cudaError_t error = fake_begin_call("cudaHostUnregister"), done = cudaErrorInvalidValue;

    if (fake_is_forbidden("cudaHostUnregister"))
        done = cudaErrorStreamCaptureUnsupported;
    else if (ptr && !fake_block_of(ptr))
        done = cudaErrorHostMemoryNotRegistered;
    else if (ptr)
        done = fake_free_pinned(ptr, 1, "cudaHostUnregister");
    return fake_end_call(error ? error : done);
}
