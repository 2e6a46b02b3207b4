/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One file, read by several threads. Each takes the next lines of the text, reads them as
 * if there were no others, and adds what came of them to the instance in its turn. Nothing
 * is refused here: what cannot be read alone (a row in quotes goes on behind its line) or
 * is wrong goes back into the text, with all behind it, for the one reader.
 */
#include <pthread.h>
#include <stdlib.h>

#include "io/text/csv_window.h"
#include "io/instance/reader.h"
#include "support/team.h"

/* A thread, and the piece of text that it has in hand. */
typedef struct hand {
    struct hsi_instance_reader reader; /* of the piece */
    hs_diagnostic              why;    /* nobody is told */
    size_t                     number; /* of the piece */
    int                        has_piece; /* whose rows are not added */
} hand;

typedef struct crew {
    struct hsi_instance_reader *whole;
    pthread_mutex_t             text;   /* for whole->csv's text and `taken` */
    size_t                      taken;  /* pieces */
    int                         is_out; /* of pieces */
    pthread_mutex_t             turns;  /* for the rest but the hands */
    pthread_cond_t              turned;
    size_t                      added;  /* pieces: it is the turn of the one so numbered */
    int                         stopped;
    hs_status                   status;
    unsigned                    count;
    hand                       *hands;
} crew;

/* The next lines into the hand; 0: there are none to be had. */
static int take_piece(crew *c, hand *h)
{
    struct hsi_csv *csv = &c->whole->csv;
    const char     *at;
    size_t          length = 0;

    pthread_mutex_lock(&c->text);
    if (!c->is_out)
        length = hsi_csv_lines(csv, c->whole->sharing.piece, &at);
    if (length > 0 && hsi_csv_hold(&h->reader.csv, at, length) != HS_OK)
        length = 0;
    if (length > 0) {
        hsi_csv_skip(csv, length);
        h->number = c->taken++;
        h->has_piece = 1;
    } else {
        c->is_out = 1;
    }
    pthread_mutex_unlock(&c->text);
    return length > 0;
}

/* All rows of it, unless something is in their way. */
static int read_piece(hand *h)
{
    struct hsi_instance_reader *r = &h->reader;

    hsi_builder_clear(r->builder);
    hsi_places_clear(&r->places);
    r->tasks = 0;
    return hsi_instance_rows(r) == HS_OK;
}

static hs_status add_rows(struct hsi_instance_reader *whole, const struct hsi_instance_reader *part)
{
    uint64_t  before = whole->csv.next_line - 1;
    hs_status st = hsi_places_join(&whole->places, &part->places, before);

    if (st == HS_OK)
        st = hsi_builder_join(whole->builder, part->builder);
    whole->tasks += part->tasks;
    whole->csv.next_line += part->csv.next_line - 1;
    return st;
}

/* Waits until the pieces before are added. 0: one of them will not be. */
static int wait_for_turn(crew *c, const hand *h)
{
    int is_turn;

    pthread_mutex_lock(&c->turns);
    while (c->added != h->number && !c->stopped)
        pthread_cond_wait(&c->turned, &c->turns);
    is_turn = !c->stopped;
    pthread_mutex_unlock(&c->turns);
    return is_turn;
}

/* Adds its rows, if they are good. 0: no more are going to be. */
static int add_piece(crew *c, hand *h, int is_good)
{
    hs_status st = HS_OK;

    if (!wait_for_turn(c, h))
        return 0;
    if (h->reader.tasks > HS_MAX_TASKS - c->whole->tasks)
        is_good = 0;
    if (is_good)
        st = add_rows(c->whole, &h->reader);
    h->has_piece = !is_good;
    pthread_mutex_lock(&c->turns);
    c->added += is_good ? 1 : 0;
    c->stopped = !is_good || st != HS_OK;
    c->status = st;
    pthread_cond_broadcast(&c->turned);
    pthread_mutex_unlock(&c->turns);
    return is_good && st == HS_OK;
}

static void work(void *data, unsigned number)
{
    crew *c = data;
    hand *h = &c->hands[number];

    while (take_piece(c, h) && add_piece(c, h, read_piece(h)))
        ;
}

/* A reader like the whole's, with no text yet. */
static hs_status open_hand(const crew *c, hand *h)
{
    struct hsi_instance_reader *r = &h->reader;
    hs_status                   st;

    *r = *c->whole;
    r->builder = NULL;
    r->places = (struct hsi_places){0};
    r->threads = 1;
    st = hsi_csv_open(&r->csv, -1, &h->why);
    if (st == HS_OK)
        st = hs_builder_create(&r->builder);
    return st;
}

static void close_hand(hand *h)
{
    hsi_csv_close(&h->reader.csv);
    hsi_places_close(&h->reader.places);
    hs_builder_free(h->reader.builder);
}

/* The pieces that were not added back into the text, the last one first. */
static hs_status give_back(crew *c)
{
    hs_status st = c->status;

    while (c->taken > c->added && st == HS_OK) {
        hand *h = c->hands;

        c->taken--;
        while (!h->has_piece || h->number != c->taken)
            h++;
        st = hsi_csv_unread(&c->whole->csv, h->reader.csv.window, h->reader.csv.filled);
    }
    return st;
}

/* HS_OK, too, if there is nothing to do it with: then all is left. */
static hs_status work_together(crew *c)
{
    if (pthread_mutex_init(&c->text, NULL) != 0)
        return HS_OK;
    if (pthread_mutex_init(&c->turns, NULL) != 0)
        goto no_turns;
    if (pthread_cond_init(&c->turned, NULL) != 0)
        goto no_turned;
    hsi_team_run(c->count, work, c);
    pthread_cond_destroy(&c->turned);
    pthread_mutex_destroy(&c->turns);
    pthread_mutex_destroy(&c->text);
    return give_back(c);
no_turned:
    pthread_mutex_destroy(&c->turns);
no_turns:
    pthread_mutex_destroy(&c->text);
    return HS_OK;
}

/* As many as the text that is left, or of a stream what has come, is worth. */
static unsigned worthwhile(const struct hsi_instance_reader *r)
{
    const struct hsi_csv *csv = &r->csv;
    uint64_t              done = csv->dropped + csv->next, count;
    uint64_t              text = csv->total > 0 ? csv->total - done : done;

    if (csv->total > 0 && csv->total < done)
        return 1;
    count = text / r->sharing.least;
    return count < r->threads ? (unsigned)count : r->threads;
}

hs_status hsi_shared_rows(struct hsi_instance_reader *r)
{
    crew      c = {.whole = r, .status = HS_OK};
    unsigned  wanted = worthwhile(r);
    hs_status st = HS_OK;

    if (wanted < 2 || r->places.rows < r->sharing.rows)
        return HS_OK;
    r->threads = 1;
    c.hands = calloc(wanted, sizeof *c.hands);
    while (c.hands && c.count < wanted && st == HS_OK)
        st = open_hand(&c, &c.hands[c.count++]);
    st = c.count == wanted && st == HS_OK ? work_together(&c) : HS_OK;
    for (unsigned i = 0; i < c.count; i++)
        close_hand(&c.hands[i]);
    free(c.hands);
    return st;
}
