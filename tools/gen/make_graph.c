/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen: graphs by shape, and graphs of applications. */
#include <string.h>

#include "common/kernel_table.h"
#include "common/message.h"
#include "common/nearest_word.h"
#include "common/options.h"
#include "gen/gen.h"

static int draw(const gen_request *request, hs_shaped *spec, gen_result *result)
{
    hs_error  error;
    hs_status st = hs_generate_shaped(spec, &result->instance, &error);

    if (st == HS_EWORKER)
        usage_error("a kernel of '%s' runs on no worker there is", request->kernels);
    return gen_report_error(st, &error, request);
}

static int use_kernels(const gen_request *request, hs_shaped *spec, gen_result *result)
{
    const hs_kernel_table *table;
    hs_kernel_table       *read = NULL;
    int                    code = kernel_table_find_or_read(request->kernels, &table, &read);

    if (code)
        return code;
    spec->law = HS_LAW_KERNELS;
    spec->table = table;
    if (!request->has_cpus && !request->has_gpus && table->cpus + table->gpus > 0) {
        spec->cpus = table->cpus;
        spec->gpus = table->gpus;
    }
    if (table->count == 0) {
        message("kernel table '%s' has no kernel", table->name);
        code = EXIT_USAGE;
    } else {
        code = draw(request, spec, result);
    }
    hs_kernel_table_free(read);
    return code;
}

int gen_make_shaped(const gen_request *request, gen_result *result)
{
    hs_shaped spec = request->shaped;

    spec.shape = (hs_shape)(request->family - GEN_CHAIN);
    spec.tasks = request->tasks;
    spec.cpus = request->cpus;
    spec.gpus = request->gpus;
    spec.seed = request->seed;
    spec.gamma = request->gamma;
    spec.uniform = request->uniform;
    return request->kernels ? use_kernels(request, &spec, result) : draw(request, &spec, result);
}

static const char *application_word(size_t index)
{
    const hs_application *application = hs_application_at(index);

    return application ? hs_application_name(application) : NULL;
}

/* Parse an element of the list, NAME or NAME:COPIES. */
static hs_copies take_part(char *element)
{
    char     *colon = strchr(element, ':');
    hs_copies part = {.copies = 1};

    if (colon) {
        *colon = '\0';
        part.copies = (unsigned)parse_unsigned("copies of an application", colon + 1, 1, 1000000);
    }
    part.application = hs_application_find(element);
    if (!part.application)
        report_unknown_word(NULL, "application", element, application_word,
                            "hsched-gen --list lists all");
    return part;
}

int gen_make_named_applications(const gen_request *request, gen_result *result)
{
    enum { PARTS = 64, ELEMENT = 64 };
    hs_copies   parts[PARTS];
    size_t      count = 0;
    char        element[ELEMENT];
    const char *rest = request->applications;
    hs_error    error;
    hs_status   st;

    while (list_next("applications", &rest, element, sizeof element)) {
        if (count == PARTS)
            usage_error("applications: at most %d in a list; NAME:COPIES is many of one", PARTS);
        parts[count++] = take_part(element);
    }
    st = hs_generate_applications(parts, count, request->problem,
                                  request->has_cpus ? request->cpus : 1,
                                  request->has_gpus ? request->gpus : 1, &result->instance, &error);
    return gen_report_error(st, &error, request);
}
