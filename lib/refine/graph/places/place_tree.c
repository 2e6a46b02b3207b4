/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/graph/decode_genes.h"
#include "refine/graph/places/place_leaf.h"
#include "refine/graph/places/place_probe.h"

typedef enum stage {
    DECODE,  /* to be decoded */
    PROBE,   /* to be probed, or ordered if all places are fixed */
    BRANCHED /* its children are in `choices` */
} stage;

/* A node on the path from the root. */
typedef struct node {
    hsi_place_state *state;
    stage            stage;
    size_t           from; /* number of choices that belong to the nodes above */
    double           cutoff; /* cutoff with which the rules were applied */
} node;

struct hsi_place_tree {
    hsi_place_model  model;
    hsi_place_rules  rules;
    hsi_place_prober prober; /* probes the lowest node */
    hsi_place_leaf   leaf;
    hsi_decoder      decoder;
    uint32_t        *place; /* genes to decode */
    double          *weight;
    hsi_vector       nodes;   /* node: the path, and below it states kept for later nodes */
    size_t           depth;   /* number of nodes on the path */
    hsi_vector       choices; /* hsi_place_choice: the children left to search, the last first */
    double           cutoff;
    uint64_t         before; /* steps before the current call */
    hs_schedule     *found;
    bool             begun, ended;
    const hsi_place_frozen *frozen; /* places and orders to keep; NULL: none */
};

static node *node_at(hsi_place_tree *tree, size_t depth)
{
    return (node *)tree->nodes.data + depth;
}

static size_t choice_count(const hsi_place_tree *tree)
{
    return tree->choices.size / sizeof(hsi_place_choice);
}

static hs_status open_parts(hsi_place_tree *tree, const hsi_arcs *arcs)
{
    hs_status st = hsi_place_model_open(&tree->model, arcs);

    if (st == HS_OK)
        st = hsi_place_rules_open(&tree->rules, &tree->model);
    if (st == HS_OK)
        st = hsi_place_prober_open(&tree->prober, &tree->rules);
    if (st == HS_OK)
        st = hsi_place_leaf_open(&tree->leaf, &tree->model);
    if (st == HS_OK)
        st = hsi_decoder_open(&tree->decoder, arcs);
    if (st != HS_OK)
        return st;
    tree->place = hsi_arena_alloc(&tree->model.arena, tree->model.n, sizeof *tree->place);
    tree->weight = hsi_arena_alloc(&tree->model.arena, tree->model.n, sizeof *tree->weight);
    return tree->place && tree->weight ? HS_OK : HS_ENOMEM;
}

hs_status hsi_place_tree_open(const hsi_arcs *arcs, hsi_place_tree **out)
{
    hsi_place_tree *tree = calloc(1, sizeof *tree);
    hs_status       st = tree ? open_parts(tree, arcs) : HS_ENOMEM;

    if (st == HS_OK)
        *out = tree;
    else
        hsi_place_tree_close(tree);
    return st;
}

void hsi_place_tree_close(hsi_place_tree *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->nodes.size / sizeof(node); i++)
        free(node_at(tree, i)->state);
    hsi_vector_free(&tree->nodes);
    hsi_vector_free(&tree->choices);
    hsi_decoder_close(&tree->decoder);
    hsi_place_leaf_close(&tree->leaf);
    hsi_place_prober_close(&tree->prober);
    hsi_place_rules_close(&tree->rules);
    hsi_place_model_close(&tree->model);
    hs_schedule_free(tree->found);
    free(tree);
}

/* Set *out to the state of the next lower node, which is not yet on the path. */
static hs_status next_state(hsi_place_tree *tree, hsi_place_state **out)
{
    if (tree->depth == tree->nodes.size / sizeof(node)) {
        node added = {.state = hsi_place_state_alloc(&tree->model)};

        if (!added.state)
            return HS_ENOMEM;
        if (hsi_vector_append(&tree->nodes, &added, sizeof added)) {
            free(added.state);
            return HS_ENOMEM;
        }
    }
    *out = node_at(tree, tree->depth)->state;
    return HS_OK;
}

/* Apply the rules to the next lower node, and put it on the path unless they refute it. */
static void enter_node(hsi_place_tree *tree)
{
    node *at = node_at(tree, tree->depth);
    bool  same = tree->depth > 0 && at[-1].cutoff == tree->cutoff;

    if (!(same ? hsi_place_rules_apply_to_changes : hsi_place_rules_apply)(&tree->rules, at->state))
        return;
    at->cutoff = tree->cutoff;
    at->stage = DECODE;
    at->from = choice_count(tree);
    tree->depth++;
}

static bool has_open_task(const hsi_place_tree *tree, const hsi_place_state *state)
{
    for (uint32_t task = 0; task < tree->model.n; task++)
        if (hsi_fixed_place(state, task) == HS_NONE)
            return true;
    return false;
}

/* Set the place of each task to the open place of the shortest schedule by head and tail. */
static void choose_places(hsi_place_tree *tree, const hsi_place_state *state)
{
    const hsi_place_model *model = &tree->model;

    for (uint32_t task = 0; task < model->n; task++) {
        double shortest = INFINITY;

        for (uint32_t open = state->open[task]; open; open &= open - 1) {
            uint32_t place = (uint32_t)__builtin_ctz(open);
            size_t   at = (size_t)task * model->places + place;
            double   length = state->head[at] + model->time[at] + state->tail[at];

            if (length < shortest)
                tree->place[task] = place;
            shortest = fmin(shortest, length);
        }
    }
}

/* Choose weights for decoding by one of three rules: the longest path; the tail with the time; the
 * head, the earliest first. The decoder multiplies the weight by the longest path, its level. */
static void choose_weights(hsi_place_tree *tree, const hsi_place_state *state, int rule)
{
    const hsi_place_model *model = &tree->model;

    for (uint32_t task = 0; task < model->n; task++) {
        size_t at = (size_t)task * model->places + tree->place[task];
        double rank =
            rule == 1 ? state->tail[at] + model->time[at] : fmax(0, tree->cutoff - state->head[at]);

        tree->weight[task] = rule == 0 ? 1 : rank / tree->decoder.level[task];
    }
}

static hs_status decode_node(hsi_place_tree *tree, const hsi_place_state *state)
{
    int rules = has_open_task(tree, state) ? 2 : 3;

    choose_places(tree, state);
    for (int rule = 0; rule < rules; rule++) {
        choose_weights(tree, state, rule);
        if (hsi_decode_genes(&tree->decoder, tree->place, tree->weight, INFINITY) < tree->cutoff)
            return hsi_decoded_build_schedule(&tree->decoder, &tree->found);
    }
    return HS_OK;
}

/* Branch on the order of tasks; without a conflict the starts are the node's only schedule to
 * consider. */
static hs_status order_tasks(hsi_place_tree *tree, node *at)
{
    hsi_place_leaf *leaf = &tree->leaf;
    bool            conflict;
    hs_status       st;

    hsi_place_leaf_compute(leaf, at->state);
    if (!leaf->is_complete || leaf->makespan >= tree->cutoff) {
        tree->depth--;
        return HS_OK;
    }
    st = hsi_place_leaf_branch(leaf, &tree->rules, at->state, &tree->choices, &conflict);
    if (st != HS_OK)
        return st;
    at->stage = BRANCHED;
    return conflict ? HS_OK : hsi_place_leaf_build(leaf, at->state, &tree->found);
}

/* Append the places of the task to branch on, those that raise heads and tails least last. */
static hs_status branch_on_place(hsi_place_tree *tree, node *at)
{
    const hsi_place_prober *prober = &tree->prober;
    uint32_t                left = prober->best_places & at->state->open[prober->best];

    if (hsi_vector_reserve(&tree->choices, HSI_PLACE_TREE_PLACES * sizeof(hsi_place_choice)))
        return HS_ENOMEM;
    while (left) {
        uint32_t         worst = (uint32_t)__builtin_ctz(left);
        hsi_place_choice choice = {.task = prober->best, .other = HS_NONE};

        for (uint32_t others = left & (left - 1); others; others &= others - 1)
            if (prober->best_measure[__builtin_ctz(others)] > prober->best_measure[worst])
                worst = (uint32_t)__builtin_ctz(others);
        choice.place = worst;
        (void)hsi_vector_append(&tree->choices, &choice, sizeof choice);
        left &= ~(1u << worst);
    }
    at->stage = BRANCHED;
    return HS_OK;
}

static hs_status probe_node(hsi_place_tree *tree, node *at)
{
    hsi_place_prober *prober = &tree->prober;

    if (!has_open_task(tree, at->state))
        return order_tasks(tree, at);
    if (!hsi_place_prober_ended(prober)) {
        if (!hsi_place_prober_step(prober, at->state))
            tree->depth--;
        return HS_OK;
    }
    if (prober->best != HS_NONE && hsi_fixed_place(at->state, prober->best) == HS_NONE)
        return branch_on_place(tree, at);
    hsi_place_prober_begin(prober); /* later probes have fixed the task */
    return HS_OK;
}

/* Go to the next child of the lowest node, or leave the node if it has none. */
static hs_status search_child(hsi_place_tree *tree, const node *at)
{
    const hsi_place_choice *choices = tree->choices.data;
    hsi_place_state        *state, *parent = at->state;
    hs_status               st;

    if (choice_count(tree) == at->from) {
        tree->depth--;
        return HS_OK;
    }
    st = next_state(tree, &state);
    if (st != HS_OK)
        return st;
    hsi_place_state_copy(&tree->model, state, parent);
    hsi_place_decide(&tree->rules, state, &choices[choice_count(tree) - 1]);
    tree->choices.size -= sizeof *choices;
    enter_node(tree);
    return HS_OK;
}

static hs_status search_node(hsi_place_tree *tree)
{
    node *at = node_at(tree, tree->depth - 1);

    if (at->stage == BRANCHED)
        return search_child(tree, at);
    if (at->stage == PROBE)
        return probe_node(tree, at);
    at->stage = PROBE;
    hsi_place_prober_begin(&tree->prober);
    return decode_node(tree, at->state);
}

/* Add what the search keeps to the state before any decision. */
static void freeze(const hsi_place_tree *tree, hsi_place_state *state)
{
    const hsi_place_frozen *frozen = tree->frozen;
    size_t                  words = tree->model.words;

    for (uint32_t task = 0; task < tree->model.n; task++) {
        if (frozen->place[task] == HS_NONE)
            continue;
        state->open[task] = 1u << frozen->place[task];
        state->named |= state->open[task];
        memcpy(state->order + task * words, frozen->order + task * words, words * sizeof(uint64_t));
    }
}

void hsi_place_tree_restart(hsi_place_tree *tree, const hsi_place_frozen *frozen)
{
    tree->frozen = frozen;
    tree->rules.few = frozen;
    tree->depth = tree->choices.size = 0;
    tree->begun = tree->ended = false;
}

static hs_status enter_root(hsi_place_tree *tree)
{
    hsi_place_state *state;
    hs_status        st = next_state(tree, &state);

    if (st != HS_OK)
        return st;
    hsi_place_state_clear(&tree->model, state);
    if (tree->frozen)
        freeze(tree, state);
    enter_node(tree);
    tree->begun = true;
    return HS_OK;
}

/* Lower the cutoff, and apply the rules again to the node that is being probed. */
static void set_cutoff(hsi_place_tree *tree, double cutoff)
{
    node *at;

    if (tree->begun && cutoff == tree->cutoff)
        return;
    tree->cutoff = cutoff;
    hsi_place_rules_set_cutoff(&tree->rules, cutoff);
    if (tree->depth == 0)
        return;
    at = node_at(tree, tree->depth - 1);
    if (at->stage == BRANCHED)
        return;
    at->cutoff = cutoff;
    if (!hsi_place_rules_apply(&tree->rules, at->state))
        tree->depth--;
}

hs_status hsi_place_tree_continue(hsi_place_tree *tree, double cutoff, uint64_t most_steps,
                                  const hsi_interrupt *interrupt)
{
    hs_status st = HS_OK;

    tree->before = tree->rules.applied;
    hs_schedule_free(tree->found);
    tree->found = NULL;
    if (tree->ended)
        return st;
    set_cutoff(tree, cutoff);
    if (!tree->begun)
        st = enter_root(tree);
    while (st == HS_OK && tree->depth > 0 && !tree->found && !hsi_interrupted(interrupt) &&
           (most_steps == 0 || hsi_place_tree_steps(tree) < most_steps))
        st = search_node(tree);
    tree->ended = st == HS_OK && tree->begun && tree->depth == 0;
    return st;
}

bool hsi_place_tree_ended(const hsi_place_tree *tree)
{
    return tree->ended;
}

hs_schedule *hsi_place_tree_take_found(hsi_place_tree *tree)
{
    hs_schedule *found = tree->found;

    tree->found = NULL;
    return found;
}

uint64_t hsi_place_tree_steps(const hsi_place_tree *tree)
{
    return tree->rules.applied - tree->before;
}

double hsi_place_tree_bound(hsi_place_tree *tree, double low, double high,
                            const hsi_interrupt *interrupt)
{
    const double     near_enough = 1e-9;
    hsi_place_state *state = tree->prober.trial;

    while (high - low > near_enough * high && !(interrupt && hsi_interrupted(interrupt))) {
        double middle = low + (high - low) / 2;

        if (!(middle > low))
            break; /* low and high are neighbours among the numbers of nine digits */
        hsi_place_rules_set_cutoff(&tree->rules, middle);
        hsi_place_state_clear(&tree->model, state);
        if (hsi_place_rules_apply(&tree->rules, state))
            high = middle;
        else
            low = middle;
    }
    hsi_place_rules_set_cutoff(&tree->rules, tree->cutoff);
    return low;
}
