/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger against memories that really have values: random worlds, and small worlds in all
 * orders of their actions.
 */
#include <check.h>
#include <stdlib.h>

#include "property/dice.h"
#include "property/ledger_world.h"
#include "unit/rounds.h"
#include "suite.h"

static unsigned throw_dice(void *data, unsigned count)
{
    return dice_below(data, count);
}

static world_size draw_size(dice *d)
{
    return (world_size){.handles = dice_between(d, 2, WORLD_HANDLES),
                        .devices = dice_below(d, WORLD_NODES),
                        .cpus = dice_between(d, 1, WORLD_CPUS),
                        .flight = dice_between(d, 1, WORLD_FLIGHT),
                        .uses = dice_between(d, 1, WORLD_USES),
                        .most_units = dice_between(d, 1, WORLD_UNITS),
                        .chunks = dice_between(d, 1, WORLD_CHUNKS),
                        .chunk_units = dice_between(d, WORLD_UNITS + 1, WORLD_CHUNK_UNITS),
                        .has_losses = dice_below(d, 2)};
}

START_TEST(reads_see_the_newest_version)
{
    uint64_t     wanted = (uint64_t)rounds(800000), begins = 0, evictions = 0, losses = 0;
    uint64_t     lost = 0, waits = 0;
    dice         d = {27};
    static world w;

    while (begins < wanted) {
        world_size size = draw_size(&d);

        world_open(&w, &size, throw_dice, &d);
        for (int i = 0; i < 4000; i++) {
            world_act(&w);
            if (i % 500 == 499)
                world_settle(&w);
        }
        world_settle(&w);
        world_close(&w);
        begins += w.begins;
        evictions += w.evictions;
        losses += w.losses;
        lost += w.lost_handles;
        waits += w.waits;
    }
    if (wanted < 10000)
        return;
    ck_assert_uint_gt(evictions, begins / 30);
    ck_assert_uint_gt(losses, begins / 500);
    ck_assert_uint_gt(lost, losses / 20);
    ck_assert_uint_gt(waits, begins / 30);
}
END_TEST

/* A sequence of choices; those behind the end are 0. */
typedef struct choices {
    unsigned chosen[256], count_of[256];
    size_t   count, next;
} choices;

static unsigned take_choice(void *data, unsigned count)
{
    choices *c = data;

    ck_assert_uint_lt(c->next, sizeof c->chosen / sizeof c->chosen[0]);
    if (c->next == c->count)
        c->chosen[c->count++] = 0;
    c->count_of[c->next] = count;
    return c->chosen[c->next++];
}

/* Go to the next sequence in lexical order that differs in the choices made. Return false behind
 * the last one. */
static bool next_sequence(choices *c)
{
    c->count = c->next;
    while (c->count > 0 && c->chosen[c->count - 1] + 1 == c->count_of[c->count - 1])
        c->count--;
    if (c->count == 0)
        return false;
    c->chosen[c->count - 1]++;
    c->next = 0;
    return true;
}

/* The states seen, with the least number of actions that leads to them. */
typedef struct seen_states {
    uint64_t      *hash;
    unsigned char *actions;
    size_t         slots, count;
} seen_states;

/* Return true if the state was seen after as many actions or fewer; else enter it. */
static bool was_seen(seen_states *seen, uint64_t hash, unsigned actions)
{
    size_t at = (size_t)hash & (seen->slots - 1);

    hash |= hash == 0;
    while (seen->hash[at] && seen->hash[at] != hash)
        at = (at + 1) & (seen->slots - 1);
    if (seen->hash[at] && seen->actions[at] <= actions)
        return true;
    seen->count += !seen->hash[at];
    ck_assert_uint_lt(seen->count, seen->slots / 2);
    seen->hash[at] = hash;
    seen->actions[at] = (unsigned char)actions;
    return false;
}

/* Do the actions that the choices name, until a new action leads to a state that was seen. Return
 * true if it was a whole sequence. */
static bool follow(world *w, choices *c, const world_size *size, seen_states *seen,
                   unsigned actions)
{
    size_t given = c->count;
    bool   known = false;

    world_open(w, size, take_choice, c);
    for (unsigned i = 1; i <= actions && !known; i++) {
        world_act(w);
        known = c->next >= given && was_seen(seen, world_hash(w), i);
    }
    if (!known) {
        size_t made = c->next;

        world_settle(w);
        c->next = made; /* the orders of settling are no part of the sequence */
    }
    world_close(w);
    return !known;
}

/* Configurations of two devices: one domain with or without peers, two domains. */
enum { CONFIGURATIONS = 3 };

static unsigned configuration_of(const world *w)
{
    if (w->size.devices < 2)
        return 0;
    return w->domain[1] != w->domain[2] ? 2 : w->peers[2] != 0;
}

static const struct small_world {
    world_size size;
    unsigned   actions;
} small_worlds[] = {
    {{.handles = 2,
      .devices = 1,
      .cpus = 1,
      .flight = 2,
      .uses = 1,
      .most_units = 1,
      .chunks = 1,
      .chunk_units = 2,
      .is_small = true},
     4},
    {{.handles = 2,
      .devices = 1,
      .cpus = 1,
      .flight = 2,
      .uses = 1,
      .most_units = 1,
      .chunks = 1,
      .chunk_units = 2,
      .has_losses = true,
      .is_small = true},
     4},
    {{.handles = 1,
      .devices = 2,
      .cpus = 1,
      .flight = 2,
      .uses = 1,
      .most_units = 1,
      .chunks = 1,
      .chunk_units = 2,
      .has_losses = true,
      .is_small = true},
     5},
};

START_TEST(all_orders_of_actions)
{
    const struct small_world *small = &small_worlds[_i];
    static world              w;
    choices                   c = {.count = 0};
    seen_states               seen = {.slots = (size_t)1 << 22};
    uint64_t                  whole[CONFIGURATIONS] = {0};

    seen.hash = calloc(seen.slots, sizeof *seen.hash);
    seen.actions = calloc(seen.slots, 1);
    ck_assert(seen.hash && seen.actions);
    do {
        if (follow(&w, &c, &small->size, &seen, small->actions))
            whole[configuration_of(&w)]++;
    } while (next_sequence(&c));
    for (int i = 0; i < (small->size.devices < 2 ? 1 : CONFIGURATIONS); i++)
        ck_assert_msg(whole[i] > 0, "configuration %d was not tried", i);
    free(seen.hash);
    free(seen.actions);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ledger in worlds");
    TCase *tc = tcase_create("worlds");

    tcase_add_test(tc, reads_see_the_newest_version);
    tcase_add_loop_test(tc, all_orders_of_actions, 0, sizeof small_worlds / sizeof small_worlds[0]);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
