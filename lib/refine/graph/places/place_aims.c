/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_aims.h"

#include <stdlib.h>

#include "refine/graph/places/place_tree.h"

enum { FIRST_STEPS = 500 /* limit of the steps of an aim in the first cycle */ };

/* Aims: shares of the way from the bound to the makespan. */
static const double share[] = {1 / 16.0, 1 / 8.0, 1 / 4.0, 1 / 2.0};

struct hsi_place_aims {
    hsi_place_tree *tree;
    size_t          which; /* index of the aim's share */
    double          aim;   /* the current aim; 0: none */
    uint64_t        left;  /* number of steps left to the aim */
    uint64_t        most;  /* number of steps of each aim of this cycle */
};

hs_status hsi_place_aims_open(const hsi_arcs *arcs, hsi_place_aims **out)
{
    hsi_place_aims *aims = calloc(1, sizeof *aims);
    hs_status       st = aims ? hsi_place_tree_open(arcs, &aims->tree) : HS_ENOMEM;

    if (st == HS_OK) {
        aims->most = FIRST_STEPS;
        *out = aims;
    } else {
        hsi_place_aims_close(aims);
    }
    return st;
}

void hsi_place_aims_close(hsi_place_aims *aims)
{
    if (!aims)
        return;
    hsi_place_tree_close(aims->tree);
    free(aims);
}

/* Choose an aim with the current share. */
static void begin_aim(hsi_place_aims *aims, const hsi_aims_run *run)
{
    aims->aim = run->bound + share[aims->which] * (run->makespan - run->bound);
    aims->left = aims->most;
    hsi_place_tree_restart(aims->tree, NULL);
}

/* Give up the aim for one with the next share. */
static void give_up(hsi_place_aims *aims)
{
    aims->aim = 0;
    if (++aims->which < sizeof share / sizeof *share)
        return;
    aims->which = 0;
    aims->most *= 2;
}

hs_status hsi_place_aims_continue(hsi_place_aims *aims, hsi_aims_run *run,
                                  const hsi_interrupt *interrupt)
{
    hs_status st = HS_OK;

    run->made = 0;
    run->found = NULL;
    while (st == HS_OK && run->made < run->steps && !hsi_interrupted(interrupt) &&
           hsi_has_aims(run->bound, run->makespan)) {
        uint64_t left = run->steps - run->made, made;

        if (!(aims->aim > run->bound) || aims->aim >= run->makespan)
            begin_aim(aims, run);
        st = hsi_place_tree_continue(aims->tree, aims->aim, left < aims->left ? left : aims->left,
                                     interrupt);
        made = hsi_place_tree_steps(aims->tree);
        run->made += made;
        aims->left -= made < aims->left ? made : aims->left;
        run->found = hsi_place_tree_take_found(aims->tree);
        if (st == HS_OK && !run->found && !hsi_place_tree_ended(aims->tree)) {
            if (aims->left == 0)
                give_up(aims);
            continue;
        }
        if (st == HS_OK && !run->found)
            run->bound = aims->aim;
        aims->aim = 0;
        break;
    }
    return st;
}
