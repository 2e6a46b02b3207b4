/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen: make an instance from a request. */
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/kernel_table.h"
#include "common/message.h"
#include "gen/gen.h"

void gen_result_free(gen_result *result)
{
    hs_instance_free(result->instance);
    hs_schedule_free(result->witness);
    hs_schedule_free(result->bad);
    hs_certificate_free(result->certificate);
    *result = (gen_result){0};
}

int gen_report_error(hs_status status, const hs_error *error, const gen_request *request)
{
    if (status == HS_OK)
        return EXIT_OK;
    message("%s: %s", gen_family_name(request->family), error->why);
    return status == HS_EUNSUPPORTED ? EXIT_USAGE : exit_code(status);
}

static int make_gamma(const gen_request *request, gen_result *result)
{
    hs_gamma spec = request->gamma;
    hs_error error;

    spec.struct_size = sizeof spec;
    spec.tasks = request->tasks;
    spec.cpus = request->cpus;
    spec.gpus = request->gpus;
    spec.seed = request->seed;
    if (request->kernel_count > 0) {
        hs_similar similar = {.struct_size = sizeof similar,
                              .means = spec,
                              .kernels = request->kernel_count,
                              .cv = request->within_cv};

        return gen_report_error(hs_generate_similar(&similar, &result->instance, &error), &error,
                                request);
    }
    return gen_report_error(hs_generate_gamma(&spec, &result->instance, &error), &error, request);
}

static int make_uniform(const gen_request *request, gen_result *result)
{
    hs_uniform spec = request->uniform;
    hs_error   error;

    spec.struct_size = sizeof spec;
    spec.tasks = request->tasks;
    spec.cpus = request->cpus;
    spec.gpus = request->gpus;
    spec.seed = request->seed;
    return gen_report_error(hs_generate_uniform(&spec, &result->instance, &error), &error, request);
}

static int make_identical(const gen_request *request, gen_result *result)
{
    hs_identical spec = request->identical;
    hs_error     error;

    spec.struct_size = sizeof spec;
    spec.tasks = request->tasks;
    spec.cpus = request->cpus;
    spec.seed = request->seed;
    if (request->has_range) {
        spec.low = request->uniform.cpu_low;
        spec.high = request->uniform.cpu_high;
    }
    return gen_report_error(hs_generate_identical(&spec, &result->instance, &error), &error,
                            request);
}

static hs_factorisation factorisation_of(gen_family family)
{
    switch (family) {
    case GEN_LU:
        return HS_LU;
    case GEN_QR:
        return HS_QR;
    default:
        return HS_CHOLESKY;
    }
}

static hs_status try_table(const gen_request *request, const hs_kernel_table *table,
                           gen_result *result, hs_error *error)
{
    hs_tiled spec = {
        .struct_size = sizeof spec,
        .kind = factorisation_of(request->family),
        .tiles = request->tiles,
        .cpus = request->has_cpus ? request->cpus : table->cpus,
        .gpus = request->has_gpus ? request->gpus : table->gpus,
        .compact = request->compact,
        .graph = request->graph,
        .single = request->single,
        .table = table,
    };

    return hs_generate_tiled(&spec, &result->instance, error);
}

/* Use the first built-in table with all kernels; every factorisation has one. */
static int use_any_table(const gen_request *request, gen_result *result)
{
    const hs_kernel_table *table;
    hs_error               error = {0};
    hs_status              st = HS_EUNSUPPORTED;

    for (size_t i = 0; st == HS_EUNSUPPORTED && (table = hs_kernel_table_at(i)); i++)
        st = try_table(request, table, result, &error);
    return gen_report_error(st, &error, request);
}

static int use_table(const gen_request *request, const hs_kernel_table *table, gen_result *result)
{
    hs_error error;

    if (!request->has_cpus && !request->has_gpus && table->cpus + table->gpus == 0) {
        message("kernel table '%s' does not say for how many workers it is; -m and -k do",
                table->name);
        return EXIT_USAGE;
    }
    return gen_report_error(try_table(request, table, result, &error), &error, request);
}

static int make_tiled(const gen_request *request, gen_result *result)
{
    const hs_kernel_table *table;
    hs_kernel_table       *read = NULL;
    int                    code;

    if (!request->kernels)
        return use_any_table(request, result);
    code = kernel_table_find_or_read(request->kernels, &table, &read);
    if (!code)
        code = use_table(request, table, result);
    hs_kernel_table_free(read);
    return code;
}

static int make_worst(const gen_request *request, gen_result *result)
{
    const char *name = hs_worst_name(request->worst);
    hs_error    error;
    hs_status   st = hs_generate_worst(request->worst, request->argument, &result->instance,
                                     request->wants_witness ? &result->witness : NULL,
                                     request->wants_bad ? &result->bad : NULL, &error);

    result->witness_name = "witness";
    result->bad_name = "worst-list";
    if (st != HS_OK)
        return gen_report_error(st, &error, request);
    if (request->wants_bad && !result->bad)
        usage_error(
            "--worst-plan: worst %s has no such plan; only worst cases of list orders have one",
            name);
    return EXIT_OK;
}

static double memory_there(void)
{
    long          pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double        there = pages > 0 && page > 0 ? (double)pages * (double)page : INFINITY;
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        there = fmin(there, (double)limit.rlim_cur);
    return there;
}

/*
 * Refuse at once if not even the two times of each task fit in memory, instead of failing after
 * minutes.
 */
static int refuse_too_many(const gen_request *request)
{
    const double gigabyte = 1e9, there = memory_there();
    double       needed = 2 * sizeof(double) * (double)request->tasks;

    if (!request->has_tasks || needed < there)
        return EXIT_OK;
    message("%s: the times of %zu tasks alone take %.3g GB of memory, of which there are %.3g; "
            "fewer can be asked for with -n",
            gen_family_name(request->family), (size_t)request->tasks, needed / gigabyte,
            there / gigabyte);
    return EXIT_RESOURCE;
}

static int make_family(const gen_request *request, gen_result *result)
{
    switch (request->family) {
    case GEN_GAMMA:
        return make_gamma(request, result);
    case GEN_UNIFORM:
        return make_uniform(request, result);
    case GEN_IDENTICAL:
        return make_identical(request, result);
    case GEN_WORST:
        return make_worst(request, result);
    case GEN_CHOLESKY:
    case GEN_LU:
    case GEN_QR:
        return make_tiled(request, result);
    case GEN_APPLICATIONS:
        return gen_make_named_applications(request, result);
    case GEN_IMPORT:
        return gen_import(request, result);
    case GEN_ADVERSARY:
        return gen_make_adversary(request, result);
    default:
        return gen_make_shaped(request, result);
    }
}

int gen_make(const gen_request *request, gen_result *result)
{
    int code = refuse_too_many(request);

    if (!code)
        code = make_family(request, result);
    if (!code && request->nodes > 0)
        code = gen_divide_among_nodes(request, result);
    return code;
}
