/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DATA_NODES_H
#define HSI_EXEC_DATA_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

/*
 * Where the pieces of a matrix are: in the memory of the host, and in slots of that of GPUs, each
 * of which holds any one piece. It says which copies are to be made, in which order, and takes
 * them for made: nothing is copied here. Copies go from or to the host, and from one GPU to
 * another that is its peer; the host has the piece then, too.
 *
 * Each node has a piece in one of three states. If one node is dirty, no other has the piece; if
 * one shares it, the host does, too.
 */
typedef enum hsi_holding {
    HSI_ABSENT,
    HSI_SHARED, /* as the host has it */
    HSI_DIRTY   /* nobody else has it */
} hsi_holding;

/* What happens to a piece, as one node sees it. */
typedef enum hsi_event {
    HSI_READ_HERE,
    HSI_WRITTEN_HERE,
    HSI_READ_ELSEWHERE,
    HSI_WRITTEN_ELSEWHERE,
    HSI_GIVEN_BACK /* its slot is needed for something else */
} hsi_event;

hsi_holding hsi_holding_after(hsi_holding before, hsi_event event);

enum { HSI_HOST = 0 };
#define HSI_NO_SLOT UINT32_MAX
#define HSI_NO_PIECE SIZE_MAX

/* A copy to be made; the host's side has no slot. */
typedef struct hsi_move {
    size_t   piece;
    unsigned from, to;
    uint32_t slot;      /* of the GPU's side; between GPUs, where it goes to */
    uint32_t peer_slot; /* between GPUs: where it comes from */
} hsi_move;

/* In this order: home of what stood in the way, home of the piece, and to where it is wanted. */
typedef struct hsi_moves {
    unsigned count;
    hsi_move move[3];
} hsi_moves;

typedef enum hsi_brought {
    HSI_THERE,   /* once the moves are made */
    HSI_NO_ROOM, /* every slot is in use */
    HSI_LOST     /* no node has the piece any more */
} hsi_brought;

typedef struct hsi_nodes hsi_nodes;

/* `count` nodes, the host included. All pieces are at home. HS_ENOMEM. */
hs_status hsi_nodes_create(size_t pieces, unsigned count, hsi_nodes **out);
void      hsi_nodes_free(hsi_nodes *nodes);

/* All pieces are at home again, and new: no version was written yet. */
void hsi_nodes_reset(hsi_nodes *nodes);

/* A GPU has so many slots, all free. HS_ENOMEM. And none: what only it has is lost. */
hs_status hsi_nodes_open(hsi_nodes *nodes, unsigned node, uint32_t slots);
void      hsi_nodes_close(hsi_nodes *nodes, unsigned node);

/* These two GPUs copy to and fro without the host, from now on. */
void hsi_nodes_befriend(hsi_nodes *nodes, unsigned one, unsigned other);

/*
 * The piece is to be at the node, to be read, or, not `filled`, to be written from the first
 * element to the last. On a GPU it takes the slot of its own number if that is free, and else the
 * one that was not used for the longest time: where there is a slot for each piece, and none is
 * taken as a spare one, each has its own. O(slots in use).
 */
hsi_brought hsi_nodes_bring(hsi_nodes *nodes, unsigned node, size_t piece, int filled,
                            hsi_moves *out);

/* It was written there: this is the next version, and all others are old. */
void hsi_nodes_written(hsi_nodes *nodes, unsigned node, size_t piece);

/* A slot in use is not given back; as often as it was taken into use it has to be let go. */
void hsi_nodes_use(hsi_nodes *nodes, unsigned node, uint32_t slot);
void hsi_nodes_let_go(hsi_nodes *nodes, unsigned node, uint32_t slot);

/* A slot for something that is nobody's piece yet, in use; it becomes the place of a piece that is
 * there, whose own is free then. HSI_NO_SLOT: no room. */
uint32_t hsi_nodes_spare(hsi_nodes *nodes, unsigned node, hsi_moves *out);
void     hsi_nodes_replace(hsi_nodes *nodes, unsigned node, size_t piece, uint32_t spare);

/* Nobody has it any more, whoever may seem to; until it is written anew. */
void hsi_nodes_lose(hsi_nodes *nodes, size_t piece);
int  hsi_nodes_is_lost(const hsi_nodes *nodes, size_t piece);

/* Of the node that wrote it last. */
uint32_t hsi_nodes_newest(const hsi_nodes *nodes, size_t piece);

hsi_holding hsi_nodes_holding(const hsi_nodes *nodes, unsigned node, size_t piece);
uint32_t    hsi_nodes_slot(const hsi_nodes *nodes, unsigned node, size_t piece);
uint32_t    hsi_nodes_version(const hsi_nodes *nodes, unsigned node, size_t piece);

#endif
