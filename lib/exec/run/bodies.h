/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BODIES_H
#define HSI_EXEC_RUN_BODIES_H

#include "exec/data/matrix.h"
#include "exec/machine/machine.h"
#include "exec/work.h"

/* The way in which the tasks of a row run on a type. */
typedef struct hsi_body {
    hs_body *body; /* NULL: the tasks cannot run on the type */
    unsigned slot; /* index of the backend in hsi_bodies.backends */
} hsi_body;

/* The backends, the options for backends, and the bodies made from the rows of the instance. */
typedef struct hsi_bodies {
    hs_backend_options options;
    const hs_backend **backends; /* by slot */
    unsigned           backend_count;
    unsigned char     *used; /* indexed by 2 * slot + type: the backend has bodies */
    hsi_body          *list; /* indexed by 2 * row + type */
    size_t             rows;
    hs_instance       *reduced;   /* estimates, infinite where a body is missing; NULL: no body is
                                     missing */
    hsi_matrix        *matrix;    /* the matrix that kernels factorise; NULL: none */
    hs_error           no_matrix; /* why kernels that access data have no matrix; else HS_OK */
    hs_backend         shared; /* runs kernels on the matrix, on CPUs */
    hs_backend         tiles;  /* runs kernels on the matrix, on GPUs; valid if matrix->sharing */
} hsi_bodies;

/* Fill bodies->options from the settings. */
void hsi_bodies_begin(hsi_bodies *bodies, const hsi_work *work);

hs_status hsi_bodies_make(hsi_bodies *bodies, const hsi_work *work, const hsi_machine *machine,
                          hs_error *error);
void      hsi_bodies_free(hsi_bodies *bodies);

/* Return the options for the backend of `slot`: bodies->options with the backend's own data. */
hs_backend_options hsi_bodies_options(const hsi_bodies *bodies, unsigned slot);

static inline const hsi_body *hsi_body_of(const hsi_bodies *bodies, const hs_instance *in,
                                          uint32_t task, hs_type type)
{
    return &bodies->list[2 * hs_instance_row_of(in, task) + type];
}

#endif
