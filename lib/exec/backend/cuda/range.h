/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CUDA_RANGE_H
#define HSI_CUDA_RANGE_H

/*
 * Named ranges for Nsight, which shows the calls of a thread between begin and end, and their work
 * on the GPU, under the name. NVTX consists of headers and does nothing without a profiler. Some
 * toolkits do not contain NVTX.
 */
#if defined __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HSI_CUDA_NVTX
#endif
#endif

static inline void hsi_cuda_range_begin(const char *name)
{
#ifdef HSI_CUDA_NVTX
    nvtxRangePushA(name);
#else
    (void)name;
#endif
}

static inline void hsi_cuda_range_end(void)
{
#ifdef HSI_CUDA_NVTX
    nvtxRangePop();
#endif
}

#endif
