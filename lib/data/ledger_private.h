/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_DATA_LEDGER_PRIVATE_H
#define HSI_DATA_LEDGER_PRIVATE_H

#include "data/ledger_impl.h"

/* space.c: allocate the ranges of a node. HS_ENOMEM. */
hs_status hsi_ledger_space_allocate(hsi_ledger *l, uint32_t node, uint32_t ranges);
void      hsi_ledger_space_free(ledger_node *node);

/* Allocate the ranges of a device, and free its memory. HS_ENOMEM: the node has no ranges. */
hs_status hsi_ledger_space_open(hsi_ledger *l, uint32_t node, const size_t *chunk_bytes,
                                uint32_t chunks);

/* Make all memory of a device free: one range for each chunk. */
void hsi_ledger_space_clear(hsi_ledger *l, uint32_t node);

/* Take a free range of at least `bytes`, which becomes the most recently used one. HS_NONE: no free
 * range is large enough. */
uint32_t hsi_ledger_space_take(hsi_ledger *l, uint32_t node, size_t bytes);

/* Make a range free and merge it with free neighbours. */
void hsi_ledger_space_release(hsi_ledger *l, uint32_t node, uint32_t range);

/* Make a range the most recently used one. */
void hsi_ledger_space_touch(hsi_ledger *l, uint32_t node, uint32_t range);

/* Return the range to be evicted next among those that are not needed by window entries up to
 * `entry`. HS_NONE: none. */
uint32_t hsi_ledger_space_victim(const hsi_ledger *l, uint32_t node, int64_t entry);

/* transfers.c: enter a transfer of a handle. */
hsi_ledger_answer hsi_ledger_enter(hsi_ledger *l, uint32_t handle, uint32_t from, uint32_t to,
                                   hsi_entered *out);

/* order.c: return the stream that executes a transfer. */
uint32_t hsi_ledger_stream_of(const hsi_ledger *l, const hsi_transfer_op *op);

/* Number the step of a transfer between two ranges, list the steps before it, and record
 * it. `out` has room. */
void hsi_ledger_number_transfer(hsi_ledger *l, hsi_transfer_op *op, uint32_t from, uint32_t to,
                                hsi_entered *out);

/* Enter the transfers that make a node's replica valid. The node has a range for it. */
hsi_ledger_answer hsi_ledger_fill(hsi_ledger *l, uint32_t handle, uint32_t node, hsi_entered *out);

/* Return HSI_LEDGER_OK if a step of the node may use the range, HSI_LEDGER_NEED or HSI_LEDGER_WAIT.
 */
hsi_ledger_answer hsi_ledger_allow(const hsi_ledger *l, uint32_t executor, uint32_t node,
                                   uint32_t range, bool write, hsi_entered *out);

/* Take a range of at least `bytes`; evict others that window entries up to `entry` do not need. */
hsi_ledger_answer hsi_ledger_make_room(hsi_ledger *l, uint32_t node, size_t bytes, int64_t entry,
                                       hsi_entered *out, uint32_t *range);

/* loss.c: drop a node's replica. Tasks that have begun see its loss. */
void hsi_ledger_drop(hsi_ledger *l, uint32_t handle, uint32_t node);

/* Choose the owner of a handle that is not valid on the host: the lowest node with a valid replica.
 * The handle is lost if there is none. */
void hsi_ledger_choose_owner(hsi_ledger *l, uint32_t handle);

/* transfers.c: detach a node's replica from its range, which becomes free at its last unpin. */
void hsi_ledger_detach(hsi_ledger *l, uint32_t handle, uint32_t node);

#endif
