/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bound/bound.h"
#include "bound/divisible.h"
#include "core/certificate.h"
#include "core/settings.h"

int hs_bound_has_certificate(const hs_bound *bound)
{
    return bound && bound->certify;
}

/* Keeps the better proof. */
static void keep(hs_certificate *c, double target, double proved, const double *multiplier)
{
    if (!(proved > c->value) || !isfinite(proved))
        return;
    c->value = fmin(proved, target);
    c->proof = HSI_PROOF_MULTIPLIERS;
    c->multiplier[HS_CPU] = multiplier[HS_CPU];
    c->multiplier[HS_GPU] = multiplier[HS_GPU];
}

/*
 * The multipliers for a T just below the value find the tasks forced that the
 * value itself forces, which proves what the deadline bound says; where the area LP
 * without deadline is what gave it, those for no deadline do. In the last bit
 * both may fall short of a value that other roundings gave: then that bit is given up.
 */
hs_status hsi_certify_value(const hsi_problem *rows, double value, hs_certificate *c)
{
    hsi_divisible d;
    double        deadline[2] = {nextafter(value, 0), DBL_MAX}, multiplier[2];
    hs_status     st;
    int           i;

    c->value = 0;
    c->proof = HSI_PROOF_NONE;
    if (!(value > 0))
        return HS_OK;
    c->value = fmin(value, hsi_min_time(rows));
    c->proof = HSI_PROOF_TASK;
    st = hsi_divisible_open(&d, rows);
    for (i = 0; st == HS_OK && i < 2 && c->value < value; i++) {
        double proved = hsi_divisible_multipliers(&d, deadline[i], multiplier);

        keep(c, value, proved, multiplier);
    }
    hsi_divisible_close(&d);
    return st;
}

hs_status hsi_certify_divisible(const hs_bound *bound, const hsi_problem *rows,
                                const hs_settings *settings, hs_certificate *c)
{
    double    value;
    hs_status st = bound->compute(rows, settings, &value);

    return st == HS_OK ? hsi_certify_value(rows, value, c) : st;
}

hs_status hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                const hs_settings *settings, hs_certificate **out)
{
    hs_certificate *c;
    hs_settings     full;
    hsi_problem     rows;
    hs_status       st;

    if (!bound || !in || !out)
        return HS_EINVAL;
    if (!bound->certify)
        return HS_EUNSUPPORTED;
    st = hsi_settings_resolve(&full, settings);
    if (st != HS_OK)
        return st;
    st = hsi_problem_of_rows(in, &rows);
    if (st != HS_OK)
        return st;
    c = calloc(1, sizeof *c);
    st = c ? bound->certify(bound, &rows, &full, c) : HS_ENOMEM;
    if (st == HS_OK) {
        c->bound = bound->name;
        c->digest = hs_instance_digest(in);
        *out = c;
        c = NULL;
    }
    hs_certificate_free(c);
    hsi_problem_close(&rows);
    return st;
}

void hs_certificate_free(hs_certificate *certificate)
{
    if (!certificate)
        return;
    free(certificate->kind);
    free(certificate);
}

double hs_certificate_value(const hs_certificate *certificate)
{
    return certificate->value;
}

const char *hs_certificate_bound(const hs_certificate *certificate)
{
    return certificate->bound;
}
