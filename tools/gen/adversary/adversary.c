/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: search for a worst case of an algorithm, and prove its ratio. */
#include <math.h>
#include <string.h>

#include "common/certified.h"
#include "common/message.h"
#include "common/plugin.h"
#include "common/progress.h"
#include "common/shown_number.h"
#include "common/stop.h"
#include "gen/adversary/prove.h"
#include "gen/adversary/search.h"
#include "gen/gen.h"

enum { MOST_WORKERS = CASE_TASKS / 2, TASKS_A_WORKER = 8, COMMAND_SIZE = 320 };
static const uint64_t usual_iterations = 1000000;

static void take_algorithm(const gen_request *request, case_judge *judge)
{
    const char *name = request->algorithm;

    judge->algorithm = plugin_algorithm_with_rank(name, &judge->settings.rank);
    if (!judge->algorithm)
        plugin_unknown_algorithm(NULL, name);
    if (strcmp(name, "best") == 0 || strcmp(name, "exact") == 0)
        usage_error("adversary: %s searches for the optimum itself, which others are compared with",
                    name);
    if (request->graph && !hs_algorithm_supports_graphs(judge->algorithm))
        usage_error("adversary --graph: %s does not take tasks that depend on each other", name);
}

static void take_request(const gen_request *request, search_request *search)
{
    unsigned cpus = request->has_cpus ? request->cpus : 1;
    unsigned gpus = request->has_gpus ? request->gpus : 1;
    size_t   tasks = (size_t)TASKS_A_WORKER * (cpus + gpus);

    if (cpus > MOST_WORKERS || gpus > MOST_WORKERS)
        usage_error("adversary: at most %d CPUs and %d GPUs", MOST_WORKERS, MOST_WORKERS);
    tasks = tasks > CASE_TASKS ? CASE_TASKS : tasks;
    if (request->has_tasks)
        tasks = request->tasks;
    if (tasks < 1 || tasks > CASE_TASKS)
        usage_error("adversary: -n is from 1 to %d tasks", CASE_TASKS);
    search->limits = (case_limits){tasks, request->most_time, request->graph};
    search->cpus = cpus;
    search->gpus = gpus;
    search->seed = request->seed;
    search->seconds = request->seconds > 0 ? request->seconds : INFINITY;
    search->iterations = request->iterations    ? request->iterations
                         : request->seconds > 0 ? UINT64_MAX
                                                : usual_iterations;
}

/*
 * Format the command that makes the case again. Time limits and signals are noted, but not
 * reproducible.
 */
static void format_command(const gen_request *request, const search_request *s,
                           char text[COMMAND_SIZE])
{
    int used = snprintf(
        text, COMMAND_SIZE, "hsched-gen adversary %s -m %u -k %u -n %zu --max-time %llu -s %llu%s",
        request->algorithm, s->cpus, s->gpus, s->limits.tasks, (unsigned long long)s->limits.time,
        (unsigned long long)s->seed, s->limits.graph ? " --graph" : "");

    if (isinf(s->seconds))
        used += snprintf(text + used, COMMAND_SIZE - (size_t)used, " --iterations %llu",
                         (unsigned long long)s->iterations);
    else
        used += snprintf(text + used, COMMAND_SIZE - (size_t)used, " --time-limit %gs", s->seconds);
    if (s->stopped_at > 0)
        snprintf(text + used, COMMAND_SIZE - (size_t)used, ", stopped after %llu cases",
                 (unsigned long long)s->stopped_at);
}

/* Format the optimum: "13", or "12 to 13" if the search for the optimum met its limit. */
static void format_optimum(const case_proof *proof, char text[80])
{
    char least[32], most[32];

    hs_format_double(proof->bound, least);
    hs_format_double(proof->makespan, most);
    if (proof->optimal)
        snprintf(text, 80, "%s", most);
    else
        snprintf(text, 80, "%s to %s", least, most);
}

/* Return the algorithm's guarantee; INFINITY for a task graph, where guarantees do not hold. */
static double guarantee_of(const case_judge *judge, const bad_case *worst)
{
    return judge->graph ? INFINITY
                        : hs_algorithm_guarantee(judge->algorithm, worst->cpus, worst->gpus,
                                                 &judge->settings);
}

/* Write the line that a person reads: makespan, optimum, ratio and guarantee. */
static void write_message(const gen_request *request, const bad_case *worst, const char *optimum,
                          double ratio, double guarantee, gen_result *result)
{
    char makespan[32], shown_ratio[32], promised[32] = "";

    show_number(worst->makespan, makespan);
    show_number(ratio, shown_ratio);
    if (!isinf(guarantee))
        show_number(guarantee, promised);
    snprintf(result->message, sizeof result->message,
             "%s takes %s where %s is the optimum: ratio %s%s%s", request->algorithm, makespan,
             optimum, shown_ratio, promised[0] ? ", at most " : "", promised);
}

/* Build the instance, with notes on its origin and on the proved ratio. */
static hs_status build(const gen_request *request, const search_request *search,
                       const bad_case *worst, const case_proof *proof, case_judge *judge,
                       gen_result *result)
{
    char              command[COMMAND_SIZE], optimum[80], makespan[32], ratio[32], promised[32];
    double            guarantee = guarantee_of(judge, worst);
    double            bad = worst->makespan / proof->makespan;
    const char *const notes[] = {"generator",
                                 command,
                                 "adversary-makespan",
                                 makespan,
                                 "adversary-optimum",
                                 optimum,
                                 "adversary-ratio",
                                 ratio,
                                 isinf(guarantee) ? NULL : "adversary-guarantee",
                                 promised,
                                 NULL};

    format_command(request, search, command);
    format_optimum(proof, optimum);
    hs_format_double(worst->makespan, makespan);
    hs_format_double(bad, ratio);
    hs_format_double(guarantee, promised);
    write_message(request, worst, optimum, bad, guarantee, result);
    return case_instance(judge->builder, worst, notes, &result->instance);
}

static void keep_proof(case_proof *proof, gen_result *result)
{
    result->witness = proof->schedule;
    result->certificate = proof->certificate;
    snprintf(result->bound.name, sizeof result->bound.name, "%s", proof->bound_name);
    result->bound.value = proof->bound;
    if (proof->certificate) {
        snprintf(result->bound.name, sizeof result->bound.name, "%s",
                 hs_certificate_bound_name(proof->certificate));
        result->bound.value = hs_certificate_proved_value(proof->certificate);
    }
}

static hs_status finish(const gen_request *request, const search_request *search, bad_case *worst,
                        case_judge *judge, gen_result *result)
{
    case_proof proof = {.schedule = NULL};
    hs_status  status = simplify_case(judge, worst);

    progress_set_done(0, "ratio %.6g: the optimum", case_ratio(worst));
    if (status == HS_OK)
        status = prove_case(judge->builder, worst, request->wants_certificate, &proof);
    if (status == HS_OK)
        status = build(request, search, worst, &proof, judge, result);
    keep_proof(&proof, result);
    if (status == HS_OK && request->wants_bad)
        status = hs_solve(judge->algorithm, result->instance, &judge->settings, &result->bad);
    result->witness_name = "exact";
    result->bad_name = request->algorithm;
    return status;
}

/* Check that the proved bound is not above the makespan of the schedule. */
static int check_proof(const gen_request *request, const search_request *search,
                       const gen_result *result)
{
    char command[COMMAND_SIZE]; /* identifies the instance, which is not in a file */

    format_command(request, search, command);
    return certified_check_bound(
        command, result->instance, certified_time_beside(result->instance, result->witness, 0),
        hs_schedule_entry_count(result->witness), result->bound.name, result->bound.value);
}

/* Search for the case and complete the result. Return 0, or an exit code after a message. */
static int find_case(const gen_request *request, search_request *search, case_judge *judge,
                     gen_result *result)
{
    bad_case  worst;
    hs_status status = search_worst(search, judge, &worst);

    if (status == HS_OK && worst.count == 0 && stop_requested(NULL)) {
        message("adversary: stopped before a case was found");
        return EXIT_WORK;
    }
    if (status == HS_OK)
        status = finish(request, search, &worst, judge, result);
    if (status == HS_EWORKER)
        usage_error("adversary: %s has no worker to run tasks on there", request->algorithm);
    return status == HS_OK ? check_proof(request, search, result)
                           : message_status(status, "adversary");
}

int gen_make_adversary(const gen_request *request, gen_result *result)
{
    search_request search;
    case_judge     judge = {.graph = request->graph};
    hs_status      status;
    int            code;

    hs_settings_init(&judge.settings);
    take_algorithm(request, &judge);
    take_request(request, &search);
    progress_begin(search.iterations < SIZE_MAX ? (size_t)search.iterations : 0);
    if (isfinite(search.seconds))
        progress_set_seconds_left(search.seconds);
    status = case_judge_open(&judge);
    code = status == HS_OK ? find_case(request, &search, &judge, result)
                           : message_status(status, "adversary");
    progress_end();
    case_judge_close(&judge);
    return code;
}
