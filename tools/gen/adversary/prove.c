/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: the optimum of a case, and what proves it. */
#include "gen/adversary/prove.h"

#include <stdio.h>

#include "common/stop.h"

/* The time for the optimum after a signal, in seconds. */
#define SHORT_TIME 1.0

/* A signal stops what is under way; what begins after it has a short time instead. */
static void limit(hs_settings *settings)
{
    int late = stop_asked(NULL);

    settings->cancel = late ? NULL : stop_asked;
    settings->time_limit = late ? SHORT_TIME : 0;
}

/* The least bound that is enough first: others take longer, and their certificates are longer. */
static hs_status certify(const hs_instance *in, hs_settings *settings, const char *name,
                         double value, hs_certificate **out)
{
    int             graph = hs_instance_has_graph(in);
    const hs_bound *bound = hs_bound_find(graph ? "paths" : "deadline");
    hs_certificate *made = NULL;
    hs_status       status;

    if (graph && !bound)
        bound = hs_bound_find("deadline");
    settings->cancel = NULL; /* it takes milliseconds */
    status = hs_certificate_create(bound, in, settings, out);
    if (status != HS_OK || hs_certificate_value(*out) >= value)
        return status;
    limit(settings);
    status = hs_certificate_prove(in, name, value, settings, &made);
    if (status == HS_ECANCELED)
        return HS_OK; /* the first one is a proof, too */
    if (status == HS_OK && hs_certificate_value(made) > hs_certificate_value(*out)) {
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
    hs_status    status = case_witness(c, &witness);

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
