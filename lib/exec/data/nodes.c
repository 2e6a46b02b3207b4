/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/data/nodes.h"

#include <stdlib.h>
#include <string.h>

typedef struct piece_copy {
    hsi_replica_state holding;
    uint32_t    slot;    /* HS_NONE: none */
    uint32_t    version; /* writes of the piece before this copy was made */
} piece_copy;

/* A slot, linked in a ring by last use; the head of the ring holds no piece and comes after the
 * newest. */
typedef struct gpu_slot {
    size_t   piece; /* HSI_NO_PIECE: free or spare */
    unsigned users;
    uint32_t older, newer;
} gpu_slot;

typedef struct memory_node {
    piece_copy    *copies; /* indexed by piece */
    gpu_slot      *slots;
    uint32_t       count;
    unsigned char *peers; /* indexed by node */
} memory_node;

struct hsi_nodes {
    size_t      pieces;
    unsigned    count;
    memory_node node[];
};

hsi_replica_state hsi_replica_state_after(hsi_replica_state before, hsi_event event)
{
    static const hsi_replica_state table[][5] = {
        /* columns: read here, written here, read elsewhere, written elsewhere, given back */
        [HSI_ABSENT] = {HSI_SHARED, HSI_DIRTY, HSI_ABSENT, HSI_ABSENT, HSI_ABSENT},
        [HSI_SHARED] = {HSI_SHARED, HSI_DIRTY, HSI_SHARED, HSI_ABSENT, HSI_ABSENT},
        [HSI_DIRTY] = {HSI_DIRTY, HSI_DIRTY, HSI_SHARED, HSI_ABSENT, HSI_ABSENT}};

    return table[before][event];
}

hs_status hsi_nodes_create(size_t pieces, unsigned count, hsi_nodes **out)
{
    hsi_nodes *nodes = calloc(1, sizeof *nodes + count * sizeof *nodes->node);
    unsigned   i;

    if (!nodes)
        return HS_ENOMEM;
    nodes->pieces = pieces;
    nodes->count = count;
    for (i = 0; i < count; i++) {
        nodes->node[i].copies = malloc((pieces + 1) * sizeof *nodes->node[i].copies);
        nodes->node[i].peers = calloc(count, 1);
        if (!nodes->node[i].copies || !nodes->node[i].peers) {
            hsi_nodes_free(nodes);
            return HS_ENOMEM;
        }
    }
    hsi_nodes_reset(nodes);
    *out = nodes;
    return HS_OK;
}

void hsi_nodes_free(hsi_nodes *nodes)
{
    unsigned i;

    for (i = 0; nodes && i < nodes->count; i++) {
        free(nodes->node[i].copies);
        free(nodes->node[i].peers);
        free(nodes->node[i].slots);
    }
    free(nodes);
}

static void link_slots(memory_node *n)
{
    uint32_t i;

    for (i = 0; n->slots && i <= n->count; i++)
        n->slots[i] = (gpu_slot){.piece = HSI_NO_PIECE,
                                 .older = i ? i - 1 : n->count,
                                 .newer = i < n->count ? i + 1 : 0};
}

void hsi_nodes_reset(hsi_nodes *nodes)
{
    unsigned i;
    size_t   p;

    for (i = 0; i < nodes->count; i++) {
        link_slots(&nodes->node[i]);
        for (p = 0; p < nodes->pieces; p++)
            nodes->node[i].copies[p] =
                (piece_copy){i == HSI_HOST ? HSI_SHARED : HSI_ABSENT, HS_NONE, 0};
    }
}

hs_status hsi_nodes_open(hsi_nodes *nodes, unsigned number, uint32_t slots)
{
    memory_node *n = &nodes->node[number];

    n->slots = malloc(((size_t)slots + 1) * sizeof *n->slots);
    if (!n->slots)
        return HS_ENOMEM;
    n->count = slots;
    link_slots(n);
    return HS_OK;
}

void hsi_nodes_close(hsi_nodes *nodes, unsigned number)
{
    memory_node *n = &nodes->node[number];
    size_t       p;

    for (p = 0; p < nodes->pieces; p++)
        n->copies[p] = (piece_copy){hsi_replica_state_after(n->copies[p].holding, HSI_GIVEN_BACK),
                                    HS_NONE, n->copies[p].version};
    free(n->slots);
    n->slots = NULL;
    n->count = 0;
}

void hsi_nodes_link_peers(hsi_nodes *nodes, unsigned node1, unsigned node2)
{
    nodes->node[node1].peers[node2] = nodes->node[node2].peers[node1] = 1;
}

static void unlink_slot(memory_node *n, uint32_t s)
{
    n->slots[n->slots[s].older].newer = n->slots[s].newer;
    n->slots[n->slots[s].newer].older = n->slots[s].older;
}

/* Insert a slot behind `elder`: behind the ring's head is the oldest place, behind the head's elder
 * the newest. */
static void link_behind(memory_node *n, uint32_t s, uint32_t elder)
{
    n->slots[s].older = elder;
    n->slots[s].newer = n->slots[elder].newer;
    n->slots[n->slots[s].newer].older = s;
    n->slots[elder].newer = s;
}

static void make_newest(memory_node *n, uint32_t s)
{
    unlink_slot(n, s);
    link_behind(n, s, n->slots[n->count].older);
}

static void make_free(memory_node *n, uint32_t s)
{
    n->slots[s].piece = HSI_NO_PIECE;
    unlink_slot(n, s);
    link_behind(n, s, n->count);
}

static void forget(memory_node *n, size_t piece, hsi_event event)
{
    piece_copy *c = &n->copies[piece];

    c->holding = hsi_replica_state_after(c->holding, event);
    if (c->holding == HSI_ABSENT && c->slot != HS_NONE) {
        make_free(n, c->slot);
        c->slot = HS_NONE;
    }
}

static void add_move(hsi_moves *out, size_t piece, unsigned from, unsigned to, uint32_t s)
{
    out->move[out->count++] = (hsi_move){piece, from, to, s, HS_NONE};
}

/* Return the GPU that has the only copy; HSI_HOST: no GPU has. */
static unsigned owner_of(const hsi_nodes *nodes, size_t piece)
{
    unsigned i;

    for (i = 1; i < nodes->count; i++)
        if (nodes->node[i].copies[piece].holding == HSI_DIRTY)
            return i;
    return HSI_HOST;
}

/* Copy a piece that only a GPU has to the host. */
static void bring_home(hsi_nodes *nodes, unsigned from, size_t piece, hsi_moves *out)
{
    piece_copy *home = &nodes->node[HSI_HOST].copies[piece],
               *there = &nodes->node[from].copies[piece];

    add_move(out, piece, from, HSI_HOST, there->slot);
    there->holding = hsi_replica_state_after(there->holding, HSI_READ_ELSEWHERE);
    home->holding = hsi_replica_state_after(home->holding, HSI_READ_HERE);
    home->version = there->version;
}

static bool is_free(const gpu_slot *s)
{
    return s->piece == HSI_NO_PIECE && !s->users;
}

/* Return the slot of the piece's number if free, else the oldest unused slot; n->count: none. */
static uint32_t find_slot(const memory_node *n, size_t piece)
{
    uint32_t s;

    if (piece < n->count && is_free(&n->slots[piece]))
        return (uint32_t)piece;
    for (s = n->slots[n->count].newer; s != n->count && n->slots[s].users; s = n->slots[s].newer)
        continue;
    return s;
}

/* Take a slot for a piece, or for HSI_NO_PIECE; a dirty piece in it is copied to the host first.
 * Return HS_NONE if all are in use. */
static uint32_t take_slot(hsi_nodes *nodes, unsigned number, size_t piece, hsi_moves *out)
{
    memory_node *n = &nodes->node[number];
    uint32_t     s;

    if (!n->slots)
        return HS_NONE;
    s = find_slot(n, piece);
    if (s == n->count)
        return HS_NONE;
    if (n->slots[s].piece != HSI_NO_PIECE) {
        if (n->copies[n->slots[s].piece].holding == HSI_DIRTY)
            bring_home(nodes, number, n->slots[s].piece, out);
        forget(n, n->slots[s].piece, HSI_GIVEN_BACK);
    }
    make_newest(n, s);
    return s;
}

/* Return a peer GPU that has the piece, or HSI_HOST. */
static unsigned peer_of(const hsi_nodes *nodes, unsigned number, size_t piece)
{
    unsigned i;

    for (i = 1; i < nodes->count; i++)
        if (nodes->node[number].peers[i] && nodes->node[i].copies[piece].holding != HSI_ABSENT)
            return i;
    return HSI_HOST;
}

/* Copy the piece to the node: to the host first if it lacks the piece, then to a GPU. */
static void fill(hsi_nodes *nodes, unsigned number, size_t piece, unsigned owner, hsi_moves *out)
{
    piece_copy *home = &nodes->node[HSI_HOST].copies[piece],
               *c = &nodes->node[number].copies[piece];
    unsigned peer;

    if (home->holding == HSI_ABSENT)
        bring_home(nodes, owner, piece, out);
    if (number == HSI_HOST)
        return;
    peer = peer_of(nodes, number, piece);
    add_move(out, piece, peer, number, c->slot);
    if (peer != HSI_HOST)
        out->move[out->count - 1].peer_slot = nodes->node[peer].copies[piece].slot;
    home->holding = hsi_replica_state_after(home->holding, HSI_READ_ELSEWHERE);
    c->holding = hsi_replica_state_after(c->holding, HSI_READ_HERE);
    c->version = home->version;
}

hsi_brought hsi_nodes_bring(hsi_nodes *nodes, unsigned number, size_t piece, bool for_reading,
                            hsi_moves *out)
{
    memory_node *n = &nodes->node[number];
    piece_copy  *c = &n->copies[piece];
    unsigned     owner = owner_of(nodes, piece);

    out->count = 0;
    if (c->holding != HSI_ABSENT) {
        if (number != HSI_HOST)
            make_newest(n, c->slot);
        return HSI_THERE;
    }
    if (for_reading && owner == HSI_HOST &&
        nodes->node[HSI_HOST].copies[piece].holding == HSI_ABSENT)
        return HSI_LOST;
    if (number != HSI_HOST && c->slot == HS_NONE) {
        c->slot = take_slot(nodes, number, piece, out);
        if (c->slot == HS_NONE)
            return HSI_NO_ROOM;
        n->slots[c->slot].piece = piece;
    }
    if (for_reading)
        fill(nodes, number, piece, owner, out);
    return HSI_THERE;
}

uint32_t hsi_nodes_latest_version(const hsi_nodes *nodes, size_t piece)
{
    uint32_t version = 0;
    unsigned i;

    for (i = 0; i < nodes->count; i++)
        if (nodes->node[i].copies[piece].version > version)
            version = nodes->node[i].copies[piece].version;
    return version;
}

void hsi_nodes_record_write(hsi_nodes *nodes, unsigned number, size_t piece)
{
    piece_copy *c = &nodes->node[number].copies[piece];
    unsigned    i;

    c->version = hsi_nodes_latest_version(nodes, piece) + 1;
    c->holding = hsi_replica_state_after(c->holding, HSI_WRITTEN_HERE);
    for (i = 0; i < nodes->count; i++)
        if (i != number)
            forget(&nodes->node[i], piece, HSI_WRITTEN_ELSEWHERE);
}

void hsi_nodes_use_slot(hsi_nodes *nodes, unsigned number, uint32_t s)
{
    nodes->node[number].slots[s].users++;
}

void hsi_nodes_release_slot(hsi_nodes *nodes, unsigned number, uint32_t s)
{
    nodes->node[number].slots[s].users--;
}

uint32_t hsi_nodes_take_spare_slot(hsi_nodes *nodes, unsigned number, hsi_moves *out)
{
    uint32_t s;

    out->count = 0;
    s = take_slot(nodes, number, HSI_NO_PIECE, out);
    if (s != HS_NONE)
        hsi_nodes_use_slot(nodes, number, s);
    return s;
}

void hsi_nodes_replace_slot(hsi_nodes *nodes, unsigned number, size_t piece, uint32_t spare)
{
    memory_node *n = &nodes->node[number];
    piece_copy  *c = &n->copies[piece];

    make_free(n, c->slot);
    c->slot = spare;
    n->slots[spare].piece = piece;
}

void hsi_nodes_mark_lost(hsi_nodes *nodes, size_t piece)
{
    unsigned i;

    for (i = 0; i < nodes->count; i++)
        forget(&nodes->node[i], piece, HSI_WRITTEN_ELSEWHERE);
}

bool hsi_nodes_is_lost(const hsi_nodes *nodes, size_t piece)
{
    unsigned i;

    for (i = 0; i < nodes->count; i++)
        if (nodes->node[i].copies[piece].holding != HSI_ABSENT)
            return false;
    return true;
}

hsi_replica_state hsi_nodes_replica_state(const hsi_nodes *nodes, unsigned number, size_t piece)
{
    return nodes->node[number].copies[piece].holding;
}

uint32_t hsi_nodes_slot(const hsi_nodes *nodes, unsigned number, size_t piece)
{
    return nodes->node[number].copies[piece].slot;
}

uint32_t hsi_nodes_version(const hsi_nodes *nodes, unsigned number, size_t piece)
{
    return nodes->node[number].copies[piece].version;
}
