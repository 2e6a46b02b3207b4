/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random accesses to pieces on several nodes, without a backend. A model of the memories makes each
 * move, so every read must return the value written last, on any node. A list of times of use gives
 * the slot to replace.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "exec/data/nodes.h"
#include "rounds.h"
#include "suite.h"

enum { PIECES = 12, GPUS = 3, NODES = GPUS + 1, SLOTS = 9, STEPS = 400, STALE = -1 };

static uint64_t dice;

static unsigned draw_below(unsigned bound)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % bound;
}

typedef struct memory {
    unsigned slots;
    int      value[SLOTS]; /* present value of the slot */
    int      piece[SLOTS]; /* number of the piece; -1: the slot is free */
    int      used[SLOTS];  /* world.now at the last access */
    int      users[SLOTS];
} memory;

typedef struct world {
    hsi_nodes *nodes;
    unsigned   count;
    int        host[PIECES];
    int        truth[PIECES]; /* latest value: number of writes */
    memory     gpu[NODES];
    int        now;
    unsigned   peers;   /* bit mask, 1 << g: GPUs with direct copies between any two */
    unsigned   between; /* number of direct copies between GPUs */
} world;

static void make_world(world *w)
{
    memset(w, 0, sizeof *w);
    w->count = 1 + draw_below(NODES);
    ck_assert_int_eq(hsi_nodes_create(PIECES, w->count, &w->nodes), HS_OK);
    for (unsigned g = 1; g < w->count; g++) {
        w->gpu[g].slots = 1 + draw_below(SLOTS);
        for (int s = 0; s < SLOTS; s++)
            w->gpu[g].piece[s] = -1;
        ck_assert_int_eq(hsi_nodes_open(w->nodes, g, w->gpu[g].slots), HS_OK);
    }
    w->peers = draw_below(1U << NODES) & ~1U;
    for (unsigned g = 1; g < w->count; g++)
        for (unsigned other = 1; other < g; other++)
            if (w->peers & 1U << g && w->peers & 1U << other)
                hsi_nodes_link_peers(w->nodes, g, other);
}

/* Return a free slot, else the least recently accessed slot without users; -1 if all slots are in
 * use. */
static int expected_slot(const memory *m)
{
    int best = -1;

    for (unsigned s = 0; s < m->slots; s++)
        if (!m->users[s] &&
            (best < 0 || (m->piece[s] < 0 && m->piece[best] >= 0) ||
             ((m->piece[s] < 0) == (m->piece[best] < 0) && m->used[s] < m->used[best])))
            best = (int)s;
    return best;
}

static bool is_free(const memory *m)
{
    for (unsigned s = 0; s < m->slots; s++)
        if (!m->users[s] && m->piece[s] < 0)
            return true;
    return false;
}

static bool is_own_free(const memory *m, int piece)
{
    return piece >= 0 && (unsigned)piece < m->slots && !m->users[piece] && m->piece[piece] < 0;
}

static void make_moves(world *w, const hsi_moves *moves)
{
    for (unsigned i = 0; i < moves->count; i++) {
        const hsi_move *m = &moves->move[i];

        if (m->to == HSI_HOST) {
            ck_assert_int_eq(w->gpu[m->from].piece[m->slot], (int)m->piece);
            w->host[m->piece] = w->gpu[m->from].value[m->slot];
        } else {
            if (m->from == HSI_HOST) {
                w->gpu[m->to].value[m->slot] = w->host[m->piece];
            } else {
                ck_assert(w->peers & 1U << m->from && w->peers & 1U << m->to);
                ck_assert_int_eq(w->gpu[m->from].piece[m->peer_slot], (int)m->piece);
                w->gpu[m->to].value[m->slot] = w->gpu[m->from].value[m->peer_slot];
                w->between++;
            }
        }
    }
}

/*
 * Check the slot chosen for an access, and record the access. A piece keeps its slot; a piece that
 * is new at the node gets the slot of its own number if free, else any free slot, else the least
 * recently used slot.
 */
static void check_slot(world *w, unsigned node, int piece, uint32_t slot)
{
    memory *m = &w->gpu[node];
    int     before = -1;

    for (unsigned s = 0; s < m->slots; s++)
        if (m->piece[s] == piece)
            before = (int)s;
    ck_assert_uint_lt(slot, m->slots);
    if (before >= 0) {
        ck_assert_int_eq((int)slot, before);
    } else {
        ck_assert_int_eq(m->users[slot], 0);
        if (is_own_free(m, piece))
            ck_assert_int_eq((int)slot, piece);
        else if (is_free(m))
            ck_assert_int_lt(m->piece[slot], 0);
        else
            ck_assert_int_eq((int)slot, expected_slot(m));
        m->value[slot] = STALE;
        m->piece[slot] = piece;
    }
    m->used[slot] = ++w->now;
}

/* Record a write at a node, and invalidate the copies of all other nodes. */
static void note_written(world *w, unsigned node, int piece, int value)
{
    w->truth[piece]++;
    if (node == HSI_HOST)
        w->host[piece] = value;
    else
        w->host[piece] = STALE;
    for (unsigned g = 1; g < w->count; g++)
        for (unsigned s = 0; s < w->gpu[g].slots; s++)
            if (w->gpu[g].piece[s] == piece && g == node)
                w->gpu[g].value[s] = value;
            else if (w->gpu[g].piece[s] == piece)
                w->gpu[g].piece[s] = -1;
}

static int value_at(const world *w, unsigned node, size_t piece)
{
    return node == HSI_HOST ? w->host[piece]
                            : w->gpu[node].value[hsi_nodes_slot(w->nodes, node, piece)];
}

static void access_piece(world *w, unsigned node, size_t piece, int mode)
{
    bool        filled = mode<2, writes = mode> 0;
    hsi_moves   moves, none = {0};
    memory     *m = &w->gpu[node];
    int         before = expected_slot(m), there;
    hsi_brought how;
    world       seen = *w;

    there = node == HSI_HOST || hsi_nodes_slot(w->nodes, node, piece) != HS_NONE;
    {
        hsi_replica_state holding = hsi_nodes_replica_state(w->nodes, node, piece);
        unsigned          home = hsi_nodes_replica_state(w->nodes, HSI_HOST, piece) != HSI_ABSENT;

        how = hsi_nodes_bring(w->nodes, node, piece, filled, &moves);
        if (holding != HSI_ABSENT)
            ck_assert_uint_eq(moves.count, 0);
        else if (how == HSI_THERE)
            ck_assert_uint_le(moves.count, (filled ? !home + (node != HSI_HOST) : 0) + !there);
    }
    if (how == HSI_NO_ROOM) {
        ck_assert_int_eq(there, 0);
        ck_assert_int_lt(before, 0);
        ck_assert_int_eq(memcmp(&moves, &none, sizeof moves.count), 0);
        ck_assert_int_eq(memcmp(&seen, w, sizeof seen), 0);
        return;
    }
    ck_assert_int_eq(how, HSI_THERE);
    if (node != HSI_HOST) {
        uint32_t slot = hsi_nodes_slot(w->nodes, node, piece);

        /* copy the replaced piece to the host before check_slot() reuses its slot */
        if (moves.count && moves.move[0].from == node && moves.move[0].piece != piece) {
            w->host[moves.move[0].piece] = m->value[moves.move[0].slot];
            ck_assert_uint_eq(moves.move[0].slot, slot);
            ck_assert_int_eq(m->piece[slot], (int)moves.move[0].piece);
            memmove(&moves.move[0], &moves.move[1], sizeof moves.move - sizeof moves.move[0]);
            moves.count--;
        }
        check_slot(w, node, (int)piece, slot);
    }
    make_moves(w, &moves);
    if (filled) {
        ck_assert_int_eq(value_at(w, node, piece), w->truth[piece]);
        ck_assert_uint_eq(hsi_nodes_version(w->nodes, node, piece), (unsigned)w->truth[piece]);
    }
    if (!writes)
        return;
    hsi_nodes_record_write(w->nodes, node, piece);
    note_written(w, node, (int)piece, w->truth[piece] + 1);
    ck_assert_int_eq(hsi_nodes_replica_state(w->nodes, node, piece), HSI_DIRTY);
}

/* Assert that each piece is either dirty at a single node, or shared by the host and any GPUs, and
 * that every copy has the latest value. */
static void check_states(const world *w)
{
    for (size_t p = 0; p < PIECES; p++) {
        unsigned dirty = 0, shared = 0;

        for (unsigned i = 0; i < w->count; i++) {
            dirty += hsi_nodes_replica_state(w->nodes, i, p) == HSI_DIRTY;
            shared += hsi_nodes_replica_state(w->nodes, i, p) == HSI_SHARED;
            if (hsi_nodes_replica_state(w->nodes, i, p) != HSI_ABSENT)
                ck_assert_int_eq(value_at(w, i, p), w->truth[p]);
        }
        ck_assert_uint_le(dirty, 1);
        ck_assert(dirty ? !shared : shared > 0);
        if (shared)
            ck_assert_int_eq(hsi_nodes_replica_state(w->nodes, HSI_HOST, p), HSI_SHARED);
    }
}

static void use_or_let_go(world *w, unsigned node)
{
    memory  *m = &w->gpu[node];
    uint32_t s = node == HSI_HOST ? 0 : draw_below(m->slots);

    if (node == HSI_HOST || m->piece[s] < 0)
        return;
    if (m->users[s] && draw_below(3)) {
        hsi_nodes_release_slot(w->nodes, node, s);
        m->users[s]--;
    } else if (m->users[s] < 2) {
        hsi_nodes_use_slot(w->nodes, node, s);
        m->users[s]++;
    }
}

/* Copy a piece into a spare slot of its node, and make this slot the place of the piece. */
static void move_to_spare_slot(world *w, unsigned node, size_t piece)
{
    memory   *m = &w->gpu[node];
    uint32_t  old, spare;
    hsi_moves moves;

    if (node == HSI_HOST || hsi_nodes_replica_state(w->nodes, node, piece) == HSI_ABSENT)
        return;
    old = hsi_nodes_slot(w->nodes, node, piece);
    if (m->users[old])
        return;
    hsi_nodes_use_slot(w->nodes, node, old);
    m->users[old]++;
    spare = hsi_nodes_take_spare_slot(w->nodes, node, &moves);
    if (spare == HS_NONE) {
        ck_assert_int_lt(expected_slot(m), 0);
    } else {
        make_moves(w, &moves);
        check_slot(w, node, -2, spare);
        m->value[spare] = m->value[old];
        hsi_nodes_replace_slot(w->nodes, node, piece, spare);
        m->piece[spare] = (int)piece;
        m->piece[old] = -1;
        hsi_nodes_release_slot(w->nodes, node, spare);
    }
    hsi_nodes_release_slot(w->nodes, node, old);
    m->users[old]--;
}

START_TEST(random_accesses_keep_states_and_values)
{
    unsigned between = 0;

    for (int round = 0; round < rounds(2000); round++) {
        world w;

        make_world(&w);
        for (int step = 0; step < STEPS; step++) {
            unsigned node = draw_below(w.count);

            if (draw_below(3))
                access_piece(&w, node, draw_below(PIECES), (int)draw_below(3));
            else if (draw_below(4))
                use_or_let_go(&w, node);
            else
                move_to_spare_slot(&w, node, draw_below(PIECES));
            if (step % 8 == 0)
                check_states(&w);
        }
        hsi_nodes_free(w.nodes);
        between += w.between;
    }
    ck_assert_uint_gt(between, (unsigned)rounds(2000));
}
END_TEST

/* Close a GPU: only pieces without a copy on the host are lost, until they are written again. */
START_TEST(closed_node_loses_only_its_own_data)
{
    hsi_nodes *nodes = NULL;
    hsi_moves  moves;

    ck_assert_int_eq(hsi_nodes_create(3, 2, &nodes), HS_OK);
    ck_assert_int_eq(hsi_nodes_bring(nodes, 1, 0, 1, &moves), HSI_NO_ROOM);
    ck_assert_int_eq(hsi_nodes_open(nodes, 1, 3), HS_OK);
    for (size_t p = 0; p < 2; p++)
        ck_assert_int_eq(hsi_nodes_bring(nodes, 1, p, 1, &moves), HSI_THERE);
    hsi_nodes_record_write(nodes, 1, 0);
    hsi_nodes_close(nodes, 1);
    ck_assert_int_eq(hsi_nodes_bring(nodes, HSI_HOST, 0, 1, &moves), HSI_LOST);
    ck_assert_int_eq(hsi_nodes_bring(nodes, HSI_HOST, 1, 1, &moves), HSI_THERE);
    ck_assert_int_eq(hsi_nodes_bring(nodes, HSI_HOST, 0, 0, &moves), HSI_THERE); /* to overwrite */
    hsi_nodes_record_write(nodes, HSI_HOST, 0);
    ck_assert_int_eq(hsi_nodes_bring(nodes, HSI_HOST, 0, 1, &moves), HSI_THERE);
    ck_assert_uint_eq(hsi_nodes_version(nodes, HSI_HOST, 0), 2);
    hsi_nodes_reset(nodes);
    ck_assert_uint_eq(hsi_nodes_version(nodes, HSI_HOST, 0), 0);
    hsi_nodes_free(nodes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nodes");
    TCase *cases = tcase_create("nodes");

    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, random_accesses_keep_states_and_values);
    tcase_add_test(cases, closed_node_loses_only_its_own_data);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
