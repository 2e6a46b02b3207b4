/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CUDA_RANGE_H
#define HSI_CUDA_RANGE_H

/*
 * Names for Nsight: what a thread calls for between these two is shown under the name, on the GPU
 * as well. NVTX is all header, and does nothing unless a tool is there; a toolkit may lack it.
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
