/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKE_NVTOOLSEXT_H
#define FAKE_NVTOOLSEXT_H

/* What the CUDA module uses of NVTX, which is all header: the fake counts the ranges. */

int fake_range_push(const char *name);
int fake_range_pop(void);

static inline int nvtxRangePushA(const char *message)
{
    return fake_range_push(message);
}

static inline int nvtxRangePop(void)
{
    return fake_range_pop();
}

#endif
