/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_mpi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

/* A dispatch or a receipt. */
typedef struct message {
    bool            is_receipt, is_over;
    unsigned        rank, other;
    int             tag;
    uint32_t        id;
    size_t          bytes;
    void           *at;
    struct message *next;
} message;

typedef struct fake_rank {
    fake_world *world;
    hs_mpi      mpi;
} fake_rank;

struct fake_world {
    pthread_mutex_t lock;
    pthread_cond_t  shared;
    unsigned        ranks, arrived, failing;
    uint64_t        round, dice, left;
    bool            aborted;
    unsigned char  *board; /* what the ranks share, by rank */
    message        *first, **last;
    fake_rank       rank[];
};

static unsigned roll(fake_world *w, unsigned sides)
{
    w->dice = w->dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->dice >> 33) % sides;
}

static bool refuse(char why[HS_WHY], const char *what)
{
    snprintf(why, HS_WHY, "fake: %s", what);
    return false;
}

static bool begin(void *state, bool is_receipt, void *at, size_t bytes, unsigned other, int tag,
                  uint32_t id, char why[HS_WHY])
{
    fake_rank  *r = state;
    fake_world *w = r->world;
    message    *m = calloc(1, sizeof *m);
    bool        fails;

    ck_assert_uint_lt(other, w->ranks);
    ck_assert_uint_ne(other, r->mpi.rank);
    *m = (message){.is_receipt = is_receipt, .rank = r->mpi.rank, .other = other, .tag = tag,
                   .id = id, .bytes = bytes, .at = at};
    if (is_receipt)
        memset(at, 0xff, bytes);
    pthread_mutex_lock(&w->lock);
    fails = w->failing > 0 && --w->failing == 0;
    *w->last = m;
    w->last = &m->next;
    w->left++;
    pthread_mutex_unlock(&w->lock);
    return !fails || refuse(why, "a message cannot begin");
}

static bool send_fake(void *state, const void *at, size_t bytes, unsigned to, int tag, uint32_t id,
                      char why[HS_WHY])
{
    return begin(state, false, (void *)(uintptr_t)at, bytes, to, tag, id, why);
}

static bool receive_fake(void *state, void *at, size_t bytes, unsigned from, int tag, uint32_t id,
                         char why[HS_WHY])
{
    return begin(state, true, at, bytes, from, tag, id, why);
}

/* Return the first message that fits m at its other end; NULL: none. */
static message *counterpart(const fake_world *w, const message *m)
{
    message *o = w->first;

    while (o && (o->is_over || o->is_receipt == m->is_receipt || o->rank != m->other ||
                 o->other != m->rank || o->tag != m->tag))
        o = o->next;
    return o;
}

/* Deliver some messages. */
static void deliver(fake_world *w)
{
    for (message *m = w->first; m; m = m->next) {
        message *to = m->is_receipt || m->is_over ? NULL : counterpart(w, m);

        if (!to || counterpart(w, to) != m || roll(w, 3) > 0)
            continue;
        ck_assert_uint_eq(to->bytes, m->bytes);
        memcpy(to->at, m->at, m->bytes);
        m->is_over = to->is_over = true;
    }
}

/* Take one of the rank's messages that are over; return false if there is none. */
static bool take_over(fake_world *w, unsigned rank, uint32_t *id)
{
    message **at = &w->first;

    while (*at && (!(*at)->is_over || (*at)->rank != rank))
        at = &(*at)->next;
    if (*at) {
        message *m = *at;

        *id = m->id;
        *at = m->next;
        if (!m->next)
            w->last = at;
        free(m);
        w->left--;
        return true;
    }
    return false;
}

static bool test_fake(void *state, void (*ended)(void *data, uint32_t id), void *data,
                      char why[HS_WHY])
{
    fake_rank  *r = state;
    fake_world *w = r->world;
    uint32_t    id;
    bool        more, aborted;

    pthread_mutex_lock(&w->lock);
    aborted = w->aborted;
    deliver(w);
    more = take_over(w, r->mpi.rank, &id);
    pthread_mutex_unlock(&w->lock);
    while (more && !aborted) {
        ended(data, id);
        pthread_mutex_lock(&w->lock);
        more = roll(w, 4) > 0 && take_over(w, r->mpi.rank, &id);
        pthread_mutex_unlock(&w->lock);
    }
    return !aborted || refuse(why, "another rank has aborted");
}

static bool share_fake(void *state, const void *mine, void *all, size_t bytes, char why[HS_WHY])
{
    enum { ROOM = 1024 };
    fake_rank  *r = state;
    fake_world *w = r->world;
    uint64_t    round;
    bool        aborted;

    ck_assert_uint_le(bytes, ROOM);
    pthread_mutex_lock(&w->lock);
    round = w->round;
    memcpy(w->board + (round % 2 * w->ranks + r->mpi.rank) * ROOM, mine, bytes);
    if (++w->arrived == w->ranks) {
        w->arrived = 0;
        w->round++;
        pthread_cond_broadcast(&w->shared);
    }
    while (w->round == round && !w->aborted)
        pthread_cond_wait(&w->shared, &w->lock);
    aborted = w->round == round;
    for (unsigned i = 0; i < w->ranks; i++)
        memcpy((char *)all + i * bytes, w->board + (round % 2 * w->ranks + i) * ROOM, bytes);
    pthread_mutex_unlock(&w->lock);
    return !aborted || refuse(why, "another rank has aborted");
}

static void abort_fake(void *state, int code)
{
    fake_world *w = ((fake_rank *)state)->world;

    ck_assert_int_ne(code, 0);
    pthread_mutex_lock(&w->lock);
    w->aborted = true;
    pthread_cond_broadcast(&w->shared);
    pthread_mutex_unlock(&w->lock);
}

static const hsi_mpi_ops table = {
    .abi = HSI_MPI_ABI,
    .abort = abort_fake,
    .send = send_fake,
    .receive = receive_fake,
    .test = test_fake,
    .share = share_fake,
};

fake_world *fake_world_create(unsigned ranks, uint64_t seed)
{
    fake_world *w = calloc(1, sizeof *w + ranks * sizeof *w->rank);

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->shared, NULL);
    w->ranks = ranks;
    w->dice = seed;
    w->board = calloc(2 * ranks, 1024);
    w->last = &w->first;
    for (unsigned i = 0; i < ranks; i++)
        w->rank[i] = (fake_rank){w,
                                 {.ops = &table,
                                  .state = &w->rank[i],
                                  .rank = i,
                                  .ranks = ranks,
                                  .most_tag = 32767,
                                  .beside = 1}};
    return w;
}

const hs_mpi *fake_world_rank(fake_world *w, unsigned rank)
{
    return &w->rank[rank].mpi;
}

uint64_t fake_world_left(const fake_world *w)
{
    return w->left;
}

void fake_world_fail(fake_world *w, unsigned n)
{
    w->failing = n;
}

void fake_world_free(fake_world *w)
{
    while (w->first) {
        message *m = w->first;

        w->first = m->next;
        free(m);
    }
    pthread_cond_destroy(&w->shared);
    pthread_mutex_destroy(&w->lock);
    free(w->board);
    free(w);
}
