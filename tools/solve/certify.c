/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: the certificate of the best bound. */
#include <string.h>

#include "common/message.h"
#include "common/shown_number.h"
#include "solve/solve_instance.h"

bool solve_certificate_wanted(const run *r)
{
    return r->request->file[SOLVE_CERTIFICATE] != NULL;
}

/*
 * Keep the new certificate if its value is larger than that of the kept certificate; free the
 * smaller.
 */
static void keep_certificate(run *r, hs_certificate *made)
{
    hs_certificate **kept = &r->result->certificate;

    if (*kept && hs_certificate_proved_value(*kept) >= hs_certificate_proved_value(made)) {
        hs_certificate_free(made);
        return;
    }
    hs_certificate_free(*kept);
    *kept = made;
}

static void print_proved(const run *r, double proved, const char *proved_name, double found,
                         const char *found_name)
{
    char less[32], more[32];

    show_different(proved, found, less, more);
    message("%s: the certificate proves only %s (%s), not %s (%s)", r->result->path, less,
            proved_name, more, found_name);
}

/* Return whether the proved value is lower than the computed value by more than rounding. */
static bool is_less(double proved, double computed)
{
    return proved < computed * (1 - 1e-12);
}

hs_status solve_certify(run *r, const hs_bound *bound, double *value)
{
    hs_certificate *made = NULL;
    hs_status       status = hs_certificate_create(bound, r->in, &r->settings, &made);

    if (status != HS_OK)
        return status;
    *value = hs_certificate_proved_value(made);
    if (is_less(*value, hs_certificate_requested_value(made)))
        print_proved(r, *value, hs_bound_name(bound), hs_certificate_requested_value(made),
                     hs_bound_name(bound));
    keep_certificate(r, made);
    return HS_OK;
}

/*
 * Certify the bound proved by a search: by the bound of the same name, if it has certificates,
 * otherwise by case distinction.
 */
static hs_status certify_found(run *r)
{
    const hs_named_bound *best = &r->result->bound;
    const hs_bound       *bound = hs_bound_find(best->name);
    hs_certificate       *made = NULL;
    hs_status             status = HS_EUNSUPPORTED;
    double                value;

    if (hs_bound_supports_certificate(bound))
        status = solve_certify(r, bound, &value);
    if (status == HS_OK && value >= best->value)
        return status;
    if (status != HS_OK && status != HS_EUNSUPPORTED && status != HS_ETOOBIG)
        return status;
    status = hs_certificate_prove(r->in, best->name, best->value, &r->settings, &made);
    if (status == HS_OK)
        keep_certificate(r, made);
    return status;
}

bool solve_is_certified(const solve_result *result, const solve_row *row)
{
    return row->gap == 0 && result->certificate &&
           hs_certificate_proved_value(result->certificate) >= row->value * (1 - 1e-11);
}

int solve_certify_best(run *r)
{
    const hs_named_bound *best = &r->result->bound;
    hs_certificate      **kept = &r->result->certificate;

    if (!solve_certificate_wanted(r))
        return EXIT_OK;
    if (!*kept || hs_certificate_proved_value(*kept) < best->value) {
        hs_status status = certify_found(r);

        if (status == HS_ECANCELED && *kept)
            /* a signal stopped the search for a certificate: keep the previous certificate */
            status = HS_OK;
        if (status != HS_OK)
            return solve_failed(r, "certificate", status);
        for (size_t i = 0; i < r->result->bound_count; i++)
            if (strcmp(r->result->bounds[i].name, hs_certificate_bound_name(*kept)) == 0)
                r->result->bounds[i].value = hs_certificate_proved_value(*kept);
    }
    if (hs_certificate_proved_value(*kept) < best->value)
        print_proved(r, hs_certificate_proved_value(*kept), hs_certificate_bound_name(*kept),
                     best->value, best->name);
    return solve_check_bound(r, hs_certificate_bound_name(*kept),
                             hs_certificate_proved_value(*kept));
}
