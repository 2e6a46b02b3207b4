/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: solve a case and certify its optimum. */
#include "gen/adversary/prove.h"

#include <stdio.h>

#include "common/stop.h"

/* Time limit for the optimum after a signal, in seconds. */
#define SHORT_TIME 1.0

/*
 * Set the limits of a step. A signal stops the step; a step that begins after a signal gets a short
 * time limit instead.
 */
static void limit(hs_settings *settings)
{
    int late = stop_requested(NULL);

    settings->cancel = late ? NULL : stop_requested;
    settings->time_limit = late ? SHORT_TIME : 0;
}

/*
 * Certify the bound, by the cheapest sufficient bound first: others take longer and have longer
 * certificates.
 */
static hs_status certify(const hs_instance *in, hs_settings *settings, const char *name,
                         double value, hs_certificate **out)
{
    int             graph = hs_instance_has_graph(in);
    const hs_bound *bound = hs_bound_find(graph ? "paths" : "deadline");
    hs_certificate *made = NULL;
    hs_status       status;

    if (graph && !bound)
        bound = hs_bound_find("deadline");
    settings->cancel = NULL; /* a certificate takes milliseconds: let no signal stop it */
    status = hs_certificate_create(bound, in, settings, out);
    if (status != HS_OK || hs_certificate_proved_value(*out) >= value)
        return status;
    limit(settings);
    status = hs_certificate_prove(in, name, value, settings, &made);
    if (status == HS_ECANCELED)
        return HS_OK; /* the first certificate is a proof too */
    if (status == HS_OK && hs_certificate_proved_value(made) > hs_certificate_proved_value(*out)) {
        hs_certificate_free(*out);
        *out = made;
        made = NULL;
    }
    hs_certificate_free(made);
    return status;
}

static hs_status solve(const hs_instance *in, const bad_case *c, int certified, case_proof *proof)
{
    hs_settings  settings;
    hs_report    report;
    hs_schedule *witness = NULL;
    hs_status    status = case_witness_schedule(c, &witness);

    hs_settings_init(&settings);
    settings.start = witness;
    limit(&settings);
    hs_report_init(&report);
    if (status == HS_OK)
        status =
            hs_solve_reported(hs_algorithm_find("exact"), in, &settings, &proof->schedule, &report);
    hs_schedule_free(witness);
    if (status != HS_OK)
        return status;
    proof->makespan = hs_schedule_makespan(proof->schedule);
    proof->bound = report.bound;
    snprintf(proof->bound_name, sizeof proof->bound_name, "%s", report.bound_name);
    proof->optimal = report.proved;
    settings.start = NULL;
    return certified ? certify(in, &settings, report.bound_name, report.bound, &proof->certificate)
                     : HS_OK;
}

hs_status prove_case(hs_builder *builder, const bad_case *c, int certified, case_proof *proof)
{
    hs_instance *in = NULL;
    hs_status    status = case_instance(builder, c, NULL, &in);

    if (status == HS_OK)
        status = solve(in, c, certified, proof);
    hs_instance_free(in);
    return status;
}
