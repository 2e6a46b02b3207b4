/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen import: instances from other people's formats. */
#include <string.h>
#include <strings.h>

#include "common/files.h"
#include "common/input.h"
#include "common/message.h"
#include "gen/gen.h"

typedef hs_status importer(int fd, const hs_import_options *options, hs_instance **out,
                           hs_diagnostic *why);

/* In the order of --from. */
static const struct {
    const char *ending, *other_ending;
    importer   *read;
} formats[] = {
    {".stg", NULL, hs_import_stg},
    {".dot", ".gv", hs_import_dot},
    {".json", NULL, hs_import_wfcommons},
};

enum { FORMATS = sizeof formats / sizeof *formats };

static int ends_in(const char *path, const char *ending)
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
    usage_error("'%s': the name does not say what format that is; --from does", request->file);
}

int gen_import(const gen_request *request, gen_result *result)
{
    hs_import_options options = request->import;
    hs_diagnostic     why = {0};
    int               format = format_of(request);
    input             in;
    hs_status         st;
    int               code = input_open(request->file, &in);

    if (code)
        return code;
    options.has_cpus = request->has_cpus;
    options.has_gpus = request->has_gpus;
    options.cpus = request->cpus;
    options.gpus = request->gpus;
    st = formats[format].read(in.fd, &options, &result->instance, &why);
    if (st == HS_EINVAL && why.text[0])
        usage_error("%s", why.text);
    code = input_status(&in, st, &why);
    input_close(&in);
    return code;
}
