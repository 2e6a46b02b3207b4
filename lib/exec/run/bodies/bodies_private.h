/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BODIES_PRIVATE_H
#define HSI_EXEC_RUN_BODIES_PRIVATE_H

#include "exec/backend/plugin/call.h"
#include "exec/run/bodies/bodies.h"

struct hsi_bodies {
    hs_backend_options options;
    const hs_backend **backends; /* by slot */
    unsigned           backend_count;
    unsigned char     *used; /* indexed by 2 * slot + type: the backend has bodies */
    hsi_body          *list; /* indexed by 2 * row + type */
    size_t             rows;
    hs_instance       *reduced; /* estimates, infinite where a body is missing; NULL: no body is
                                   missing */
    hsi_matrix *matrix;         /* the matrix that kernels factorise; NULL: none */
    hs_error    no_matrix;      /* why kernels that access data have no matrix; else HS_OK */
    hs_backend  shared;         /* runs kernels on the matrix, on CPUs */
    hs_backend  tiles;          /* runs kernels on the matrix, on GPUs; valid if matrix->sharing */
    hs_backend  call;           /* calls functions of the program, those of `calls` */
    hsi_calls   calls;
};

#endif
