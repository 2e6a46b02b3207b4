/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BODIES_PRIVATE_H
#define HSI_EXEC_RUN_BODIES_PRIVATE_H

#include "exec/backend/plugin/call.h"
#include "exec/backend/remote/remote.h"
#include "exec/run/bodies/bodies.h"

struct hsi_bodies {
    hs_backend_options options;
    const hs_backend **backends; /* by slot */
    unsigned           backend_count;
    unsigned char     *used; /* indexed by 2 * slot + type: the backend has bodies */
    hsi_body          *list; /* indexed by 2 * row + type */
    size_t             rows;
    bool               lists_modules; /* the GPUs are those of a list of modules */
    hs_instance       *reduced; /* estimates, infinite where a body is missing; NULL: no body is
                                   missing */
    hsi_run_data *data;         /* data of tasks, with the backends that run these tasks */
    hs_backend call;            /* calls functions of the program, those of `calls` */
    hsi_calls  calls;
    hsi_remote        *remote; /* the nodes of a run with nodes; else NULL */
};

#endif
