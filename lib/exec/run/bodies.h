/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BODIES_H
#define HSI_EXEC_RUN_BODIES_H

#include "exec/data/matrix.h"
#include "exec/machine/machine.h"
#include "exec/work.h"

/* What runs the tasks of a row on a type. */
typedef struct hsi_body {
    hs_body *body; /* NULL: they cannot run there */
    unsigned slot; /* of its backend among all */
} hsi_body;

/* The backends, what they are told, and what they made of each row of the instance. */
typedef struct hsi_bodies {
    hs_backend_options options;
    const hs_backend **backends; /* by slot */
    unsigned           backend_count;
    unsigned char     *used; /* by slot and type: it has bodies */
    hsi_body          *list; /* by row and type */
    size_t             rows;
    hs_instance       *reduced;   /* the estimates, where a body is missing; or NULL */
    hsi_matrix        *matrix;    /* that kernels factorise; NULL: none ... */
    hs_status          no_matrix; /* ... for that reason, if they work on data all the same */
    char               why_no_matrix[HS_WHY];
    hs_backend         shared; /* of kernels on the matrix */
    hs_backend         tiles;  /* likewise, on GPUs; if matrix->sharing */
} hsi_bodies;

/* What backends are told, as far as the settings say it. */
void hsi_bodies_begin(hsi_bodies *bodies, const hsi_work *work);

hs_status hsi_bodies_make(hsi_bodies *bodies, const hsi_work *work, const hsi_machine *machine,
                          char why[HS_WHY]);
void      hsi_bodies_free(hsi_bodies *bodies);

/* As the backend of that slot sees them. */
hs_backend_options hsi_bodies_options(const hsi_bodies *bodies, unsigned slot);

static inline const hsi_body *hsi_body_of(const hsi_bodies *bodies, const hs_instance *in,
                                          uint32_t task, hs_type type)
{
    return &bodies->list[2 * hs_instance_row_of(in, task) + type];
}

#endif
