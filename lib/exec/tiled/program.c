/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "exec/backend/kernel/kernel.h"
#include "exec/tiled/matrix.h"

size_t hsi_matrix_elements(const hsi_matrix *matrix)
{
    return (size_t)matrix->tile * (size_t)hsi_larger(matrix->tile, HSI_KERNEL_PANEL);
}

size_t hsi_matrix_piece_elements(const hsi_matrix *matrix, char letter)
{
    return (size_t)matrix->tile * (size_t)(letter == 'T' ? HSI_KERNEL_PANEL : matrix->tile);
}

static void order_row(hsi_matrix_row *row, uint32_t number, uint32_t *versions,
                      hsi_operand **writers)
{
    int i;

    for (i = 0; i < row->count; i++) {
        hsi_operand *o = &row->operand[i];

        o->version = versions[o->piece];
        if (o->mode == HS_READ)
            continue;
        versions[o->piece] = number;
        writers[o->piece] = o;
    }
}

hs_status hsi_matrix_set_versions(hsi_matrix *matrix)
{
    uint32_t     *versions = malloc((matrix->pieces + 1) * sizeof *versions);
    hsi_operand **writers = calloc(matrix->pieces + 1, sizeof(hsi_operand *));
    size_t        i;
    bool          there = versions && writers;

    for (i = 0; there && i < matrix->pieces; i++)
        versions[i] = HS_NONE;
    for (i = 0; there && i < matrix->rows; i++)
        order_row(&matrix->row[i], (uint32_t)i, versions, writers);
    for (i = 0; there && i < matrix->pieces; i++)
        if (writers[i])
            writers[i]->last = 1;
    free(versions);
    free(writers);
    return there ? HS_OK : HS_ENOMEM;
}
