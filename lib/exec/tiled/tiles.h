/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_TILED_TILES_H
#define HSI_EXEC_TILED_TILES_H

#include "data/ledger.h"
#include "exec/client/client.h"
#include "exec/tiled/matrix.h"

/* The tiles of one matrix on the devices of a run, where CPU workers share them. CPU workers
 * announce the rows that they run, before and after. */
typedef struct hsi_tiles hsi_tiles;

/* The operands of a row while a CPU worker runs its task. */
typedef struct hsi_taken {
    hsi_use use[HSI_OPERANDS];
} hsi_taken;

/* Create the tiles on the devices of the run. The settings limit the tiles on each. */
hs_status hsi_tiles_create(hsi_matrix *matrix, const hsi_client_run *run, hsi_tiles **out,
                           hs_error *error);
void      hsi_tiles_free(hsi_tiles *tiles);

/* Return the devices that share the tiles; the tiles own them. */
hsi_devices *hsi_tiles_devices(hsi_tiles *tiles);

/* Before a run: all tiles are new, at the host. */
void hsi_tiles_renew(hsi_tiles *tiles);

/*
 * Called around a task of this row on a CPU worker. take() brings the operands to the host, and
 * waits until no copy reads what the task overwrites; false: a tile is lost, and `why` says so.
 * give() releases the operands. `done`: the task has written them; otherwise they are lost if
 * it worked in place.
 */
bool hsi_tiles_take(hsi_tiles *tiles, const hsi_matrix_row *row, hsi_taken *taken,
                    char why[HS_WHY]);
void hsi_tiles_give(hsi_tiles *tiles, const hsi_matrix_row *row, const hsi_taken *taken, bool done,
                    bool in_place);

/* Announce that a CPU worker will soon run a task of this row: prefetch the operands that exist
 * already. */
void hsi_tiles_expect(hsi_tiles *tiles, const hsi_matrix_row *row);

#endif
