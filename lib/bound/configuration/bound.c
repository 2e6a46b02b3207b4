/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `configuration`: run the search of configuration.h to its end. */
#include <stdlib.h>

#include "bound/bound.h"
#include "bound/configuration/configuration.h"
#include "core/certificate.h"

/* Search until the multipliers no longer improve, or to the time limit. */
static hs_status search(const hsi_problem *rows, const hs_settings *settings,
                        hsi_configuration **out)
{
    hsi_stop           stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    hsi_configuration *cf = NULL;
    double             from;
    hs_status st = hsi_bound_compute_for_rows(&hsi_bound_deadline, rows, settings, &from, NULL);

    if (st == HS_OK)
        st = hsi_configuration_open(rows, from, &cf);
    if (st != HS_OK)
        return st;
    st = hsi_configuration_improve_bound(cf, &stop);
    if (st == HS_OK && hsi_cancelled(settings))
        st = HS_ECANCELED;
    if (st == HS_OK)
        *out = cf;
    else
        hsi_configuration_close(cf);
    return st;
}

/* The value is safe: deadline is, and refuse_makespan.c proves the rest. */
static hs_status compute(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_configuration *cf = NULL;
    hs_status          st = search(rows, settings, &cf);

    if (st != HS_OK)
        return st;
    *value = hsi_configuration_bound(cf);
    report->limit_reached = !hsi_configuration_ended(cf);
    hsi_configuration_close(cf);
    return HS_OK;
}

/* Copy the proof. Kinds are numbered by rising CPU time, then by rising GPU time. */
static hs_status copy_proof(const hsi_configuration *cf, const hsi_configuration_proof *proof,
                            const hsi_problem *rows, hs_certificate *c)
{
    size_t i;

    c->kind = calloc(rows->n + 1, sizeof *c->kind);
    if (!c->kind)
        return HS_ENOMEM;
    for (i = 0; i < rows->n; i++) {
        uint32_t number = hsi_configuration_kind_of_row(cf, i);

        c->kind[number] =
            (hsi_certified_kind){rows->p[i], rows->q[i], hsi_configuration_row_multiplier(cf, i)};
        if (c->kinds <= number)
            c->kinds = number + 1;
    }
    c->proof = HSI_PROOF_CONFIGURATION;
    c->value = proof->bound;
    c->grid = proof->grid;
    c->capacity = proof->capacity;
    c->most[HS_CPU] = proof->most[HS_CPU];
    c->most[HS_GPU] = proof->most[HS_GPU];
    return HS_OK;
}

/* Certify the search's proof, or deadline's value if the search has not raised it. */
static hs_status certify(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c)
{
    hsi_configuration_proof proof;
    hsi_configuration      *cf = NULL;
    double                  value;
    hs_status               st = search(rows, settings, &cf);

    (void)bound;
    if (st != HS_OK)
        return st;
    value = hsi_configuration_bound(cf);
    if (hsi_configuration_get_proof(cf, &proof) && proof.bound >= value)
        st = copy_proof(cf, &proof, rows, c);
    else
        st = hsi_certify_value(rows, value, c);
    hsi_configuration_close(cf);
    return st;
}

const hs_bound hsi_bound_configuration = {
    .name = "configuration",
    .summary = "fractions of sets of tasks that fit on one worker",
    .source = "column generation, priced by knapsacks, with GLPK; safe in integers",
    .cost = "0.1 s for 300 tasks, at most the time limit; up to 5,000 rows",
    .compute = compute,
    .certify = certify,
};
