/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "bound/divisible.h"
#include "config.h"
#include "core/certificate.h"
#include "core/settings.h"
#ifdef HAVE_GLPK
#include "bound/proof/graph/tree.h"
#endif

int hs_bound_supports_certificate(const hs_bound *bound)
{
    return bound && bound->certify;
}

/* Keep the better of two proofs. */
static void keep_better_proof(hs_certificate *c, double target, double proved,
                              const double *multiplier)
{
    if (!(proved > c->value) || !isfinite(proved))
        return;
    c->value = fmin(proved, target);
    if (c->proof != HSI_PROOF_GRAPH)
        c->proof = HSI_PROOF_MULTIPLIERS;
    c->multiplier[HS_CPU] = multiplier[HS_CPU];
    c->multiplier[HS_GPU] = multiplier[HS_GPU];
}

/*
 * The multipliers for a T just below the value force the same tasks as the value does, which proves
 * deadline's value. If the value came from the area LP without deadline, the multipliers for no
 * deadline prove it. On a graph both multipliers 0 prove the longest path. Both sets may miss a
 * value that other roundings gave by its last bit, which is then lost.
 */
hs_status hsi_certify_value(const hsi_problem *rows, double value, hs_certificate *c)
{
    hsi_divisible d;
    double        deadline[2] = {nextafter(value, 0), DBL_MAX}, multiplier[2];
    hs_status     st;
    int           i;

    c->value = 0;
    c->computed = value;
    c->proof = HSI_PROOF_NONE;
    if (!(value > 0))
        return HS_OK;
    st = hsi_divisible_open(&d, rows);
    if (st == HS_OK) {
        c->value = fmin(value, hsi_divisible_longest_min_span(&d));
        c->proof = rows->graph ? HSI_PROOF_GRAPH : HSI_PROOF_TASK;
    }
    for (i = 0; st == HS_OK && i < 2 && c->value < value; i++) {
        double proved = hsi_divisible_multipliers(&d, deadline[i], multiplier);

        keep_better_proof(c, value, proved, multiplier);
    }
    hsi_divisible_close(&d);
    return st == HS_OK && hsi_poll(rows->token) ? HS_ECANCELED : st;
}

hs_status hsi_certify_divisible(const hs_bound *bound, const hsi_problem *rows,
                                const hs_settings *settings, hs_certificate *c)
{
    double    value;
    hs_status st = hsi_bound_compute_for_rows(bound, rows, settings, &value, NULL);

    return st == HS_OK ? hsi_certify_value(rows, value, c) : st;
}

/* A function that makes a certificate of the rows; `data` is its own argument. */
typedef hs_status (*maker)(const void *data, const hsi_problem *rows, const hs_settings *settings,
                           hs_certificate *c);

/* Make a certificate of the instance by `make_it`, and close the problem. */
static hs_status make_certificate(const hs_instance *in, hsi_problem *rows,
                                  const hs_settings *settings, const char *name, maker make_it,
                                  const void *data, hs_certificate **out)
{
    hs_certificate *c = calloc(1, sizeof *c);
    hs_status       st = c ? make_it(data, rows, settings, c) : HS_ENOMEM;

    if (st == HS_OK) {
        snprintf(c->bound, sizeof c->bound, "%s", name);
        c->computed = fmax(c->computed, c->value);
        c->digest = hs_instance_digest(in);
        *out = c;
        c = NULL;
    }
    hs_certificate_free(c);
    hsi_problem_close(rows);
    return st;
}

static hs_status make_of_bound(const void *data, const hsi_problem *rows,
                               const hs_settings *settings, hs_certificate *c)
{
    const hs_bound *bound = data;

    return bound->certify(bound, rows, settings, c);
}

hs_status hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                const hs_settings *settings, hs_certificate **out)
{
    hs_settings full;
    hsi_token   token;
    hsi_problem problem;
    hs_status   st;

    if (!bound || !in || !out)
        return HS_EINVAL;
    if (!bound->certify)
        return HS_EUNSUPPORTED;
    st = hsi_settings_resolve(&full, settings);
    if (st == HS_OK)
        st = full.skip ? HS_EINVAL : hsi_settings_check_available(&full, in, 0);
    token = hsi_token_of(&full);
    if (st == HS_OK)
        st = hsi_bound_open_problem(bound, in, &token, &problem);
    return st == HS_OK
               ? make_certificate(in, &problem, &full, bound->name, make_of_bound, bound, out)
               : st;
}

static hs_status make_of_value(const void *data, const hsi_problem *rows,
                               const hs_settings *settings, hs_certificate *c)
{
    hsi_stop stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);

#ifdef HAVE_GLPK
    if (rows->graph)
        return hsi_certify_graph(rows, *(const double *)data, &stop, c);
#endif
    return hsi_certify_by_cases(rows, *(const double *)data, true, &stop, c);
}

/* Return true if the name can be a line in a file. */
static bool is_name(const char *name)
{
    size_t length = strlen(name), i;

    for (i = 0; i < length; i++)
        if (name[i] <= ' ' || name[i] > '~' || name[i] == ',')
            return false;
    return length > 0 && length < sizeof((hs_certificate *)0)->bound;
}

/* Open the tasks and the graph if that is small enough; else the rows, without dependencies. */
static hs_status open_rows(const hs_instance *in, hsi_token *token, hsi_problem *rows)
{
#ifdef HAVE_GLPK
    if (hs_instance_has_graph(in) && hs_instance_tasks(in) <= HSI_TREE_VERTICES) {
        const hs_graph *g;
        hs_status       st = hs_instance_graph(in, &g);

        if (st != HS_OK)
            return st;
        if (hs_graph_vertex_count(g) <= HSI_TREE_VERTICES)
            return hsi_problem_of_tasks(in, token, rows);
    }
#endif
    return hsi_problem_of_rows(in, token, rows);
}

hs_status hs_certificate_prove(const hs_instance *in, const char *name, double value,
                               const hs_settings *settings, hs_certificate **out)
{
    hs_settings full;
    hsi_token   token;
    hsi_problem rows;
    hs_status   st;

    if (!in || !name || !out || !is_name(name) || !isfinite(value))
        return HS_EINVAL;
    st = hsi_settings_resolve(&full, settings);
    if (st == HS_OK)
        st = full.skip ? HS_EINVAL : hsi_settings_check_available(&full, in, 0);
    token = hsi_token_of(&full);
    if (st == HS_OK)
        st = open_rows(in, &token, &rows);
    return st == HS_OK ? make_certificate(in, &rows, &full, name, make_of_value, &value, out) : st;
}

void hsi_proof_paths_free(size_t paths, hsi_proof_path *path)
{
    for (size_t i = 0; path && i < paths; i++)
        free(path[i].step);
    free(path);
}

void hsi_proof_node_free(hsi_proof_node *node)
{
    free(node->worth);
    hsi_proof_paths_free(node->paths, node->path);
    for (size_t i = 0; node->row && i < node->rows; i++)
        free(node->row[i].list);
    free(node->row);
}

void hs_certificate_free(hs_certificate *certificate)
{
    size_t i;

    if (!certificate)
        return;
    for (i = 0; certificate->node && i < certificate->nodes; i++)
        hsi_proof_node_free(&certificate->node[i]);
    free(certificate->node);
    hsi_proof_paths_free(certificate->paths, certificate->path);
    free(certificate->kind);
    free(certificate);
}

double hs_certificate_proved_value(const hs_certificate *certificate)
{
    return certificate->value;
}

double hs_certificate_requested_value(const hs_certificate *certificate)
{
    return certificate->computed;
}

const char *hs_certificate_bound_name(const hs_certificate *certificate)
{
    return certificate->bound;
}
