/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_WINDOW_PRIVATE_H
#define HSI_EXEC_RUN_WINDOW_PRIVATE_H

#include "exec/client/client.h"
#include "exec/device/devices.h"
#include "exec/run/bodies/bodies.h"
#include "exec/run/window/window.h"

/* The lock of the run guards `prefetched`; only the worker's thread uses the other fields. */
struct hsi_window {
    uint32_t prefetched;   /* task whose inputs the GPU is to prefetch; HS_NONE */
    size_t   planned;      /* index of the present task in the worker's part of the plan */
    bool     has_segments; /* the worker's part of the plan has segments */
};

/* Return true if the plan alone decides the order of tasks: no retry, deadline or spoliation can
 * change it. */
bool hsi_plan_decides_order(const hs_exec *exec);

#endif
