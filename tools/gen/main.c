/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen: makes instances, from families in the literature and from measured kernels. */
#include "common/files.h"
#include "common/message.h"
#include "common/stop.h"
#include "gen/gen.h"

static hs_status write_plan(int fd, const hs_instance *in, const hs_schedule *s, const char *name,
                            const hs_named_bound *bound)
{
    hs_plan_info info;

    hs_plan_info_init(&info);
    if (bound->value > 0)
        info.bounds[info.bound_count++] = *bound;
    snprintf(info.algorithm, sizeof info.algorithm, "%s", name);
    return hs_plan_write(fd, in, s, &info, NULL);
}

static hs_status write_file(int which, int fd, const void *data)
{
    const gen_result *made = data;

    switch (which) {
    case GEN_WITNESS:
        return write_plan(fd, made->instance, made->witness, made->witness_name, &made->bound);
    case GEN_BAD:
        return write_plan(fd, made->instance, made->bad, made->bad_name, &made->bound);
    case GEN_CERTIFICATE:
        return hs_certificate_write(fd, made->certificate);
    default:
        return hs_instance_write(fd, made->instance, NULL);
    }
}

static int generate(const gen_line *line)
{
    gen_result made = {0};
    output    *file[GEN_FILES] = {0};
    int        code = files_open(line->path, file, GEN_FILES);

    if (!code)
        code = gen_make(&line->request, &made);
    if (!code)
        code = files_write(file, GEN_FILES, write_file, &made);
    if (!code && made.message[0] && files_count_stdout(line->path, GEN_FILES) == 0)
        puts(made.message);
    files_discard(file, GEN_FILES);
    gen_result_free(&made);
    return code;
}

int main(int argc, char **argv)
{
    gen_line line;

    gen_read_options(argc, argv, "hsched-gen", &line);
    if (line.list) {
        gen_list();
        return output_finish(EXIT_OK);
    }
    if (line.request.family == GEN_JOBS)
        return output_finish(gen_write_jobs(&line.request, line.path[GEN_INSTANCE]));
    /* an adversary search has a result before its end; other families have none */
    if (line.request.family == GEN_ADVERSARY)
        stop_begin();
    return output_finish(stop_exit_code(generate(&line)));
}
