/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DATA_NODES_H
#define HSI_EXEC_DATA_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/instance.h>

/*
 * Places of the pieces of a matrix: the memory of the host, and slots in the memories of GPUs, each
 * of which holds one piece. The functions only decide which copies to make, in which order, and
 * count each copy as made at once; the caller copies. Copies go from or to the host, and from one
 * GPU to a peer GPU; the host then has the piece, too.
 *
 * A piece has one of three states in each node. If one node is dirty, no other node has the piece;
 * if a node shares the piece, the host has the piece, too.
 */
typedef enum hsi_replica_state {
    HSI_ABSENT,
    HSI_SHARED, /* equal to the host's copy */
    HSI_DIRTY   /* the only copy */
} hsi_replica_state;

/* Events that change the state of a piece's replica at a node. */
typedef enum hsi_event {
    HSI_READ_HERE,
    HSI_WRITTEN_HERE,
    HSI_READ_ELSEWHERE,
    HSI_WRITTEN_ELSEWHERE,
    HSI_GIVEN_BACK /* the slot is needed for another piece */
} hsi_event;

hsi_replica_state hsi_replica_state_after(hsi_replica_state before, hsi_event event);

enum { HSI_HOST = 0 };
#define HSI_NO_PIECE SIZE_MAX

/* A copy to be made; the host has no slots. */
typedef struct hsi_move {
    size_t   piece;
    unsigned from, to;
    uint32_t slot;      /* slot of the GPU; between two GPUs, of the receiver */
    uint32_t peer_slot; /* between two GPUs: slot of the sender */
} hsi_move;

/* Copies in this order: from the replaced slot to the host, of the piece to the host, to the
 * node. */
typedef struct hsi_moves {
    unsigned count;
    hsi_move move[3];
} hsi_moves;

typedef enum hsi_brought {
    HSI_THERE,   /* the piece is at the node once the moves are made */
    HSI_NO_ROOM, /* all slots are in use */
    HSI_LOST     /* no node has the piece any more */
} hsi_brought;

typedef struct hsi_nodes hsi_nodes;

/* Create `count` nodes, the host included, with all pieces at the host. HS_ENOMEM. */
hs_status hsi_nodes_create(size_t pieces, unsigned count, hsi_nodes **out);
void      hsi_nodes_free(hsi_nodes *nodes);

/* Return all pieces to the host, with version 0. */
void hsi_nodes_reset(hsi_nodes *nodes);

/* hsi_nodes_open() gives a GPU free slots; HS_ENOMEM. hsi_nodes_close() removes them: pieces that
 * only this GPU has are lost. */
hs_status hsi_nodes_open(hsi_nodes *nodes, unsigned node, uint32_t slots);
void      hsi_nodes_close(hsi_nodes *nodes, unsigned node);

/* Let two GPUs copy to each other without the host. */
void hsi_nodes_link_peers(hsi_nodes *nodes, unsigned node1, unsigned node2);

/*
 * Bring a piece to a node: to read it, or, not `for_reading`, to overwrite all of its elements. On
 * a GPU the piece takes the slot of its own number if that is free, else the least recently used
 * one. So with a slot for each piece, and no spare slots, each piece stays in its own. O(slots in
 * use).
 */
hsi_brought hsi_nodes_bring(hsi_nodes *nodes, unsigned node, size_t piece, bool for_reading,
                            hsi_moves *out);

/* Count a write at the node: it has the next version, and all other copies become invalid. */
void hsi_nodes_record_write(hsi_nodes *nodes, unsigned node, size_t piece);

/* Count a use of a slot, which is not replaced while it has uses; hsi_nodes_release_slot() ends one
 * use. */
void hsi_nodes_use_slot(hsi_nodes *nodes, unsigned node, uint32_t slot);
void hsi_nodes_release_slot(hsi_nodes *nodes, unsigned node, uint32_t slot);

/*
 * hsi_nodes_take_spare_slot() takes a slot without a piece into use; HS_NONE: no room. With
 * hsi_nodes_replace_slot() this slot becomes the place of a piece at the node, and the piece's old
 * slot is free.
 */
uint32_t hsi_nodes_take_spare_slot(hsi_nodes *nodes, unsigned node, hsi_moves *out);
void     hsi_nodes_replace_slot(hsi_nodes *nodes, unsigned node, size_t piece, uint32_t spare);

/* Mark a piece as lost in all nodes until it is written again. */
void hsi_nodes_mark_lost(hsi_nodes *nodes, size_t piece);
bool hsi_nodes_is_lost(const hsi_nodes *nodes, size_t piece);

/* Return the latest version of a piece. */
uint32_t hsi_nodes_latest_version(const hsi_nodes *nodes, size_t piece);

hsi_replica_state hsi_nodes_replica_state(const hsi_nodes *nodes, unsigned node, size_t piece);
uint32_t    hsi_nodes_slot(const hsi_nodes *nodes, unsigned node, size_t piece);
uint32_t    hsi_nodes_version(const hsi_nodes *nodes, unsigned node, size_t piece);

#endif
