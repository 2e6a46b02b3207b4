/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of operations in general. */
#include "exec/backend/kernel/kernel.h"
#include "exec/device/devices.h"

/* The libraries do not document the numbers of their kernels. Eight per panel is an estimate. */
unsigned hsi_operation_kernels(const hs_operation *o)
{
    unsigned panels = (unsigned)(o->n + HSI_KERNEL_PANEL - 1) / HSI_KERNEL_PANEL;

    switch (o->kind) {
    case HS_OPERATION_POTRF:
    case HS_OPERATION_GETRF:
        return 8 * panels;
    case HS_OPERATION_GEQRF:
        return (8 + 8) * panels;
    case HS_OPERATION_ORMQR:
        return (8 + 1) * panels;
    case HS_OPERATION_TPQRT:
        return (8 + 3) * panels + 8;
    case HS_OPERATION_TPMQRT:
        return 5 * panels;
    default:
        return 1;
    }
}

/* A stream of CUDA holds about 1,000 launches, which include waits, events and copies. */
unsigned hsi_stream_bound(void)
{
    return 512;
}

const char *hsi_operation_name(hs_operation_kind kind)
{
    static const char *const name[HS_OPERATION_KINDS] = {
        [HS_OPERATION_GEMM] = "gemm",    [HS_OPERATION_SYRK] = "syrk",
        [HS_OPERATION_TRSM] = "trsm",    [HS_OPERATION_POTRF] = "potrf",
        [HS_OPERATION_GETRF] = "getrf",  [HS_OPERATION_GEQRF] = "geqrf",
        [HS_OPERATION_ORMQR] = "ormqr",  [HS_OPERATION_TPQRT] = "tpqrt",
        [HS_OPERATION_TPMQRT] = "tpmqrt"};

    return name[kind];
}

bool hsi_operation_has_info(const hs_operation *o)
{
    return o->kind >= HS_OPERATION_POTRF && o->kind <= HS_OPERATION_TPQRT;
}
