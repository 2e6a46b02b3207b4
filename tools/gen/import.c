/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen import: read instances from foreign formats. */
#include <string.h>
#include <strings.h>

#include "common/files.h"
#include "common/input.h"
#include "common/message.h"
#include "gen/gen.h"

typedef hs_status importer(int fd, const hs_import_settings *options, hs_instance **out,
                           hs_error *error);

/* The formats, in the order of --from. */
static const struct {
    const char *ending, *other_ending;
    importer   *read;
} formats[] = {
    {".stg", NULL, hs_import_stg},
    {".dot", ".gv", hs_import_dot},
    {".json", NULL, hs_import_wfcommons},
    {".rec", NULL, NULL}, /* StarPU: no reader here, because a second file with models is needed */
};

enum { FORMATS = sizeof formats / sizeof *formats };

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = ending ? strlen(ending) : 0;

    return tail > 0 && length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static int format_of(const gen_request *request)
{
    if (request->format >= 0)
        return request->format;
    for (int i = 0; i < FORMATS; i++)
        if (ends_in(request->file, formats[i].ending) ||
            ends_in(request->file, formats[i].other_ending))
            return i;
    usage_error("'%s': the name does not show the format: give it by --from", request->file);
}

/* Read the performance models, the second file of the StarPU format. */
static int open_models(const gen_request *request, hs_starpu_models **models)
{
    hs_error      error = {0};
    input         in;
    int           code;

    if (!request->models)
        usage_error("a tasks.rec needs a second file, the times that starpu_perfmodel_recdump "
                    "writes");
    if (is_dash(request->file) && is_dash(request->models))
        usage_error("only one file can be standard input");
    code = input_open(request->models, &in);
    if (code)
        return code;
    code = input_status(&in, hs_starpu_models_read(in.fd, models, &error), &error);
    input_close(&in);
    return code;
}

static int read_file(const gen_request *request, importer *with, const hs_starpu_models *models,
                     hs_instance **out)
{
    hs_import_settings options = request->import;
    hs_error           error = {0};
    input             in;
    hs_status         st;
    int               code = input_open(request->file, &in);

    if (code)
        return code;
    options.has_cpus = request->has_cpus;
    options.has_gpus = request->has_gpus;
    options.cpus = request->cpus;
    options.gpus = request->gpus;
    st = with ? with(in.fd, &options, out, &error)
              : hs_import_starpu(in.fd, models, &options, out, &error);
    if (st == HS_EINVAL && error.why[0])
        usage_error("%s", error.why);
    code = input_status(&in, st, &error);
    input_close(&in);
    return code;
}

int gen_import(const gen_request *request, gen_result *result)
{
    importer         *with = formats[format_of(request)].read;
    hs_starpu_models *models = NULL;
    int               code = EXIT_OK;

    if (with && request->models)
        usage_error("unexpected '%s' behind %s", request->models, request->file);
    if (!with)
        code = open_models(request, &models);
    if (!code)
        code = read_file(request, with, models, &result->instance);
    hs_starpu_models_free(models);
    return code;
}
