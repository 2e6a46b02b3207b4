/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: write the assignment model, which minimises the largest load of a worker. */
#include <math.h>
#include <stdio.h>

#include "bench/peer/peer.h"

enum { A_LINE = 8 }; /* terms per line, because some readers reject long lines */

static double time_of(const hs_instance *in, size_t task, unsigned worker)
{
    return hs_instance_time(in, task, worker < hs_instance_cpus(in) ? HS_CPU : HS_GPU);
}

static void put_tasks(const hs_instance *in, unsigned workers, FILE *out)
{
    for (size_t i = 0; i < hs_instance_tasks(in); i++) {
        unsigned terms = 0;

        fprintf(out, " a%zu:", i);
        for (unsigned w = 0; w < workers; w++)
            if (isfinite(time_of(in, i, w)))
                fprintf(out, "%s + x%zu_%u", ++terms % A_LINE ? "" : "\n", i, w);
        fputs(" = 1\n", out);
    }
}

static void put_workers(const hs_instance *in, unsigned workers, FILE *out)
{
    for (unsigned w = 0; w < workers; w++) {
        unsigned terms = 0;

        fprintf(out, " w%u: - t", w);
        for (size_t i = 0; i < hs_instance_tasks(in); i++) {
            char text[32];

            if (!isfinite(time_of(in, i, w)))
                continue;
            hs_format_double(time_of(in, i, w), text);
            fprintf(out, "%s + %s x%zu_%u", ++terms % A_LINE ? "" : "\n", text, i, w);
        }
        fputs(" <= 0\n", out);
    }
}

static void put_binaries(const hs_instance *in, unsigned workers, FILE *out)
{
    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        for (unsigned w = 0; w < workers; w++)
            if (isfinite(time_of(in, i, w)))
                fprintf(out, " x%zu_%u\n", i, w);
}

int bench_peer_write_model(const hs_instance *in, const char *path)
{
    unsigned workers = hs_instance_cpus(in) + hs_instance_gpus(in);
    FILE    *out = fopen(path, "we");
    int      failed;

    if (!out)
        return -1;
    fputs("Minimize\n makespan: t\nSubject To\n", out);
    put_tasks(in, workers, out);
    put_workers(in, workers, out);
    fputs("Binary\n", out);
    put_binaries(in, workers, out);
    fputs("End\n", out);
    failed = ferror(out);
    return fclose(out) != 0 || failed ? -1 : 0;
}
