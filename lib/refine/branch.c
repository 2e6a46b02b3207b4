/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why the bound is safe. A node's schedules agree with its types: a task settled for
 * one type cannot run on the other. That is an instance of its own, with infinite
 * times, and the node's bound is a safe bound of it. Children: of c tasks of one kind
 * (alike in both times) the LP runs s on CPUs, not whole; any schedule runs at most
 * floor(s) or at least floor(s) + 1 of them there, and since they are alike, it may
 * be said which. So the leaves together hold the optimum, and the least of their
 * bounds is below it.
 */
#include "refine/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "bound/configuration.h"
#include "refine/refine.h"
#include "bound/refute.h"
#include "support/vector.h"

static const double whole = 1e-4;          /* a share is as good as whole */
static const double patience = 0.05; /* seconds for a node that is to be searched through */

/* HARD: all types are settled, and searching it through has taken too long so far. */
enum { OPEN, CLOSED, SEARCHED, HARD };

typedef struct node {
    double         bound;
    int            state;
    uint32_t       task;        /* to be branched on: a free task, or n: none is fractional */
    uint32_t       on_cpu;      /* tasks of its kind that the LP runs on CPUs, rounded down */
    int            proved;
    hsi_configuration_proof proof;
    unsigned char *type;        /* of each task */
    unsigned char *mostly;      /* where the LP runs it */
    int64_t       *multiplier;  /* of each task */
    double        *worth;       /* what the LP values them at */
} node;

struct hsi_branch {
    const hsi_problem *pb;
    hsi_vector         nodes;      /* of node: the leaves */
    double             from;
    double             cutoff;
    double             patience;
    double            *p, *q;      /* of a node's instance */
    double            *share;
    uint64_t          *scaled;     /* worth in integers */
    unsigned char     *types;      /* of the last LP */
    uint32_t          *found;
    size_t             evaluated;
    int                has_root, has_types, has_found;

    /* The node that is being branched on, if a child is begun or ready. */
    size_t             at, ready;
    int                begun;
    node               child[2];
    hsi_configuration *cf; /* of the node that is being bounded */
};

static node *nodes_of(const hsi_branch *b)
{
    return b->nodes.data;
}

size_t hsi_branch_leaves(const hsi_branch *b)
{
    return b->nodes.size / sizeof(node);
}

/* ---- a node ------------------------------------------------------------------------- */

static void free_node(node *nd)
{
    free(nd->type);
    free(nd->mostly);
    free(nd->multiplier);
    free(nd->worth);
}

static hs_status copy_node(const hsi_branch *b, const node *from, node *to)
{
    size_t n = b->pb->n + 1;

    *to = *from;
    to->state = OPEN;
    to->type = malloc(n);
    to->mostly = calloc(n, 1);
    to->multiplier = calloc(n, sizeof *to->multiplier);
    to->worth = calloc(n, sizeof *to->worth);
    if (!to->type || !to->mostly || !to->multiplier || !to->worth) {
        free_node(to);
        return HS_ENOMEM;
    }
    if (from->type) {
        memcpy(to->type, from->type, b->pb->n);
        memcpy(to->worth, from->worth, b->pb->n * sizeof *to->worth);
        memcpy(to->multiplier, from->multiplier, b->pb->n * sizeof *to->multiplier);
    } else {
        memset(to->type, HSI_FREE, b->pb->n);
    }
    return HS_OK;
}

/* The node's instance: its times are in b. */
static hsi_problem instance_of(hsi_branch *b, const node *nd)
{
    hsi_problem pb = {.n = b->pb->n, .m = b->pb->m, .k = b->pb->k, .p = b->p, .q = b->q};
    size_t      i;

    for (i = 0; i < pb.n; i++) {
        b->p[i] = nd->type[i] == HS_GPU ? INFINITY : b->pb->p[i];
        b->q[i] = nd->type[i] == HS_CPU ? INFINITY : b->pb->q[i];
    }
    return pb;
}

/*
 * The kind to branch on: the one whose tasks on CPUs are furthest from whole, and of
 * those that are equally far the longest.
 */
static void choose_branch(hsi_branch *b, const hsi_configuration *cf, node *nd)
{
    double best = whole;
    size_t i, j;

    nd->task = (uint32_t)b->pb->n;
    hsi_configuration_cpu_shares(cf, b->share);
    for (i = 0; i < b->pb->n; i++) {
        uint32_t kind = hsi_configuration_kind(cf, i);
        double   count = 0, on_cpu, far;

        b->types[i] = nd->mostly[i] = b->share[kind] >= 0.5 ? HS_CPU : HS_GPU;
        if (isinf(b->p[i]) || isinf(b->q[i]))
            continue;
        for (j = 0; j < b->pb->n; j++)
            count += hsi_configuration_kind(cf, j) == kind;
        on_cpu = count * b->share[kind];
        far = fmin(on_cpu - floor(on_cpu), ceil(on_cpu) - on_cpu);
        if (far > best) {
            best = far;
            nd->task = (uint32_t)i;
            nd->on_cpu = (uint32_t)on_cpu;
        }
    }
    b->has_types = 1;
}

/* Its own proof, or its parent's, which holds for it too. */
static void keep_proof(const hsi_branch *b, const hsi_configuration *cf, node *nd)
{
    int    has_own = hsi_configuration_proved(cf, &nd->proof);
    size_t i;

    nd->proved |= has_own;
    for (i = 0; i < b->pb->n; i++) {
        if (has_own)
            nd->multiplier[i] = hsi_configuration_multiplier(cf, i);
        nd->worth[i] = hsi_configuration_worth(cf, i);
    }
}

static int nobody_can_run(const hsi_problem *pb)
{
    size_t i;

    for (i = 0; i < pb->n; i++)
        if (isinf(pb->p[i]) && isinf(pb->q[i]))
            return 1;
    return 0;
}

/* Opens the node's configuration bound, unless the node is done without. */
static hs_status begin(hsi_branch *b, node *nd, const hsi_problem *pb, const hsi_stop *stop)
{
    double    deadline;
    hs_status st;

    b->evaluated++;
    if (nobody_can_run(pb)) {
        nd->bound = INFINITY;
        return HS_OK;
    }
    st = hsi_bound_deadline.compute(pb, stop->settings, &deadline);
    if (st != HS_OK)
        return st;
    nd->bound = fmax(nd->bound, deadline);
    if (nd->bound >= b->cutoff)
        return HS_OK;
    st = hsi_configuration_open(pb, nd->bound, &b->cf);
    if (st == HS_OK && b->has_root)
        hsi_configuration_begin_with(b->cf, nd->worth, pb->n);
    return st;
}

static void forget_bounding(hsi_branch *b)
{
    hsi_configuration_close(b->cf);
    b->cf = NULL;
}

/* Bounds the node and chooses its branching; *done = 0 if it has to be called again. */
static hs_status evaluate(hsi_branch *b, node *nd, const hsi_stop *stop, int *done)
{
    hsi_problem pb = instance_of(b, nd);
    hs_status   st = HS_OK;

    *done = 0;
    if (!b->cf)
        st = begin(b, nd, &pb, stop);
    if (st != HS_OK)
        return st;
    if (b->cf) {
        hsi_configuration_enough(b->cf, b->cutoff);
        st = hsi_configuration_step(b->cf, stop);
        nd->bound = hsi_configuration_bound(b->cf);
        if (st == HS_OK && !hsi_configuration_ended(b->cf) && nd->bound < b->cutoff)
            return HS_OK;
        keep_proof(b, b->cf, nd);
        if (st == HS_OK && nd->bound < b->cutoff)
            choose_branch(b, b->cf, nd);
    }
    *done = st == HS_OK;
    forget_bounding(b);
    return st;
}

/* ---- nodes that are to be searched through --------------------------------------------- */

static void scale_worth(hsi_branch *b, const node *nd)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < b->pb->n; i++)
        sum += nd->worth[i];
    for (i = 0; i < b->pb->n; i++)
        b->scaled[i] = sum > 0 ? (uint64_t)(nd->worth[i] / sum * 0x1p58) : 1;
}

/* Branches on the longest task that is free; n if none is. */
static uint32_t longest_free(const hsi_branch *b, const node *nd)
{
    uint32_t best = (uint32_t)b->pb->n, i;
    double   longest = -1;

    for (i = 0; i < b->pb->n; i++) {
        double time = fmin(b->pb->p[i], b->pb->q[i]);

        if (nd->type[i] == HSI_FREE && isfinite(b->pb->p[i]) && isfinite(b->pb->q[i]) &&
            time > longest) {
            longest = time;
            best = i;
        }
    }
    return best;
}

/* The LP's types as they are, packed: is that a schedule below the cutoff? */
static hs_status pack(hsi_branch *b, const node *nd, const hsi_stop *stop)
{
    const hsi_problem *pb = b->pb;
    atomic_int         halt = 0;
    hsi_watch          watch = {.stop = stop, .halt = &halt};
    double            *load = malloc(((size_t)pb->m + pb->k + 1) * sizeof *load);
    hs_status          st = load ? HS_OK : HS_ENOMEM;
    size_t             i;

    for (i = 0; i < pb->n; i++)
        b->found[i] = nd->mostly[i] == HS_CPU ? 0 : pb->m;
    if (st == HS_OK && pb->m)
        st = hsi_pack(pb, HS_CPU, &watch, b->found);
    if (st == HS_OK && pb->k)
        st = hsi_pack(pb, HS_GPU, &watch, b->found);
    if (st == HS_OK && hsi_assignment_makespan(pb, b->found, load) < b->cutoff)
        b->has_found = 1;
    free(load);
    return st;
}

static hs_status search_through(hsi_branch *b, node *nd, const hsi_stop *stop)
{
    hsi_problem    pb = instance_of(b, nd);
    hsi_refutation refutation = {.pb = &pb, .target = nextafter(b->cutoff, 0),
                                 .worth = b->scaled, .worker = b->found};
    hsi_stop       slice = *stop;
    hsi_verdict    verdict = HSI_STOPPED;
    hs_status      st = HS_OK;

    if (nd->state == OPEN) {
        st = pack(b, nd, stop);
        if (st != HS_OK || b->has_found)
            return st;
    }
    slice.end = fmin(stop->end, hsi_now() + b->patience);
    scale_worth(b, nd);
    if (pb.n <= HSI_REFUTE_MOST_TASKS)
        st = hsi_refute(&refutation, &slice, &verdict);
    if (st != HS_OK)
        return st;
    if (nd->state == HARD)
        b->patience *= 2;
    if (verdict == HSI_FOUND) {
        b->has_found = 1;
    } else if (verdict == HSI_REFUTED) {
        nd->state = SEARCHED;
        nd->bound = b->cutoff;
    } else if (nd->state == OPEN) {
        nd->task = longest_free(b, nd);
        nd->on_cpu = 0;
        if (nd->task == pb.n)
            nd->state = HARD;
    }
    return HS_OK;
}

/* ---- the tree --------------------------------------------------------------------------- */

/*
 * The node to go on with: of the open ones that with the least bound, or of the hard
 * ones if none is open; or the number of nodes. Closes those that are done.
 */
static size_t next_node(hsi_branch *b)
{
    size_t count = hsi_branch_leaves(b), best = count, i;

    for (i = 0; i < count; i++) {
        node *nd = &nodes_of(b)[i], *so_far = &nodes_of(b)[best < count ? best : i];

        if (nd->state != OPEN && nd->state != HARD)
            continue;
        if (nd->bound >= b->cutoff)
            nd->state = CLOSED;
        else if (best == count || nd->state < so_far->state ||
                 (nd->state == so_far->state && nd->bound < so_far->bound))
            best = i;
    }
    return best;
}

/* Settles `count` free tasks that are like `task` in both times. */
static void settle(const hsi_branch *b, node *nd, uint32_t task, uint32_t count, hs_type type)
{
    size_t i;

    for (i = 0; i < b->pb->n && count > 0; i++)
        if (nd->type[i] == HSI_FREE && b->pb->p[i] == b->pb->p[task] &&
            b->pb->q[i] == b->pb->q[task]) {
            nd->type[i] = (unsigned char)type;
            count--;
        }
}

static uint32_t free_like(const hsi_branch *b, const node *nd, uint32_t task)
{
    uint32_t count = 0;
    size_t   i;

    for (i = 0; i < b->pb->n; i++)
        count += nd->type[i] == HSI_FREE && b->pb->p[i] == b->pb->p[task] &&
                 b->pb->q[i] == b->pb->q[task];
    return count;
}

static void forget_children(hsi_branch *b)
{
    size_t i, count = b->ready + (b->begun ? 1 : 0);

    for (i = 0; i < count; i++)
        free_node(&b->child[i]);
    b->ready = 0;
    b->begun = 0;
    forget_bounding(b);
}

static hs_status begin_child(hsi_branch *b)
{
    const node *parent = &nodes_of(b)[b->at];
    node       *child = &b->child[b->ready];
    hs_status   st = copy_node(b, parent, child);

    if (st != HS_OK)
        return st;
    if (b->ready == 0)
        settle(b, child, parent->task, parent->on_cpu + 1, HS_CPU);
    else
        settle(b, child, parent->task, free_like(b, parent, parent->task) - parent->on_cpu,
               HS_GPU);
    b->begun = 1;
    return HS_OK;
}

/* Replaces the node by its two children once both are bounded, in this call or another. */
static hs_status branch_on(hsi_branch *b, const hsi_stop *stop)
{
    hs_status st = HS_OK;

    while (st == HS_OK && b->ready < 2) {
        int done = 0;

        if (!b->begun)
            st = begin_child(b);
        if (st == HS_OK)
            st = evaluate(b, &b->child[b->ready], stop, &done);
        if (st == HS_OK && !done)
            return HS_OK;
        if (st == HS_OK) {
            b->begun = 0;
            b->ready++;
        }
    }
    if (st == HS_OK && hsi_vector_reserve(&b->nodes, sizeof(node)))
        st = HS_ENOMEM;
    if (st != HS_OK) {
        forget_children(b);
        return st;
    }
    free_node(&nodes_of(b)[b->at]);
    nodes_of(b)[b->at] = b->child[0];
    nodes_of(b)[hsi_branch_leaves(b)] = b->child[1];
    b->nodes.size += sizeof(node);
    b->ready = 0;
    return HS_OK;
}

hs_status hsi_branch_step(hsi_branch *b, double cutoff, const hsi_stop *stop)
{
    hs_status st = HS_OK;

    b->cutoff = cutoff;
    b->has_found = 0;
    if (!b->has_root && !hsi_stop_now(stop))
        st = evaluate(b, &nodes_of(b)[0], stop, &b->has_root);
    while (st == HS_OK && b->has_root && !b->has_found && !hsi_stop_now(stop)) {
        if (b->begun || b->ready) {
            st = branch_on(b, stop);
            continue;
        }
        b->at = next_node(b);
        if (b->at == hsi_branch_leaves(b))
            break;
        if (nodes_of(b)[b->at].task == b->pb->n)
            st = search_through(b, &nodes_of(b)[b->at], stop);
        else
            st = branch_on(b, stop);
    }
    return st;
}

/* ---- opening and asking ------------------------------------------------------------------- */

hs_status hsi_branch_open(const hsi_problem *pb, double from, hsi_branch **out)
{
    hsi_branch *b;
    node        root = {.bound = from};
    size_t      n = pb->n + 1;

    if (pb->n == 0 || pb->n > HSI_BRANCH_MOST_TASKS)
        return HS_ETOOBIG;
    b = calloc(1, sizeof *b);
    if (!b)
        return HS_ENOMEM;
    b->pb = pb;
    b->from = from;
    b->patience = patience;
    b->p = malloc(n * sizeof *b->p);
    b->q = malloc(n * sizeof *b->q);
    b->share = malloc(n * sizeof *b->share);
    b->scaled = malloc(n * sizeof *b->scaled);
    b->types = malloc(n);
    b->found = malloc(n * sizeof *b->found);
    if (!b->p || !b->q || !b->share || !b->scaled || !b->types || !b->found ||
        hsi_vector_reserve(&b->nodes, sizeof root) || copy_node(b, &root, b->nodes.data) != HS_OK) {
        hsi_branch_close(b);
        return HS_ENOMEM;
    }
    b->nodes.size = sizeof root;
    *out = b;
    return HS_OK;
}

void hsi_branch_close(hsi_branch *b)
{
    size_t i;

    if (!b)
        return;
    forget_children(b);
    for (i = 0; i < hsi_branch_leaves(b); i++)
        free_node(&nodes_of(b)[i]);
    hsi_vector_free(&b->nodes);
    free(b->p);
    free(b->q);
    free(b->share);
    free(b->scaled);
    free(b->types);
    free(b->found);
    free(b);
}

double hsi_branch_bound(const hsi_branch *b)
{
    double least = INFINITY;
    size_t i;

    for (i = 0; i < hsi_branch_leaves(b); i++)
        least = fmin(least, nodes_of(b)[i].bound);
    return fmax(least, b->from);
}

int hsi_branch_ended(const hsi_branch *b)
{
    size_t i;

    for (i = 0; i < hsi_branch_leaves(b); i++)
        if ((nodes_of(b)[i].state == OPEN || nodes_of(b)[i].state == HARD) &&
            nodes_of(b)[i].bound < b->cutoff)
            return 0;
    return b->has_root;
}

const uint32_t *hsi_branch_found(const hsi_branch *b)
{
    return b->has_found ? b->found : NULL;
}

const unsigned char *hsi_branch_types(const hsi_branch *b)
{
    return b->has_types ? b->types : NULL;
}

size_t hsi_branch_nodes(const hsi_branch *b)
{
    return b->evaluated;
}

hsi_branch_leaf hsi_branch_leaf_at(const hsi_branch *b, size_t index)
{
    const node     *nd = &nodes_of(b)[index];
    hsi_branch_leaf leaf = {.type = nd->type,
                            .bound = nd->bound,
                            .proved = nd->proved && nd->state != SEARCHED,
                            .searched = nd->state == SEARCHED};

    if (leaf.proved) {
        leaf.grid = nd->proof.grid;
        leaf.capacity = nd->proof.capacity;
        leaf.most[HS_CPU] = nd->proof.most[HS_CPU];
        leaf.most[HS_GPU] = nd->proof.most[HS_GPU];
        leaf.multiplier = nd->multiplier;
    }
    return leaf;
}
