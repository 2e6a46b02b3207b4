/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate --links: latency and bandwidth of copies to, from and between GPUs. */
#include <stdlib.h>

#include "calibrate/calibrate.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/progress.h"

static const double sizes[] = {4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};

enum { SIZES = sizeof sizes / sizeof *sizes };

enum { MEASURED_LINKS = HS_D2D + 1 }; /* the links of one node */

static const char *const names[MEASURED_LINKS] = {[HS_H2D] = "h2d", [HS_D2H] = "d2h", [HS_D2D] = "d2d"};

/* Measured copies of a link, over all GPUs or pairs of neighbours. */
typedef struct link_copies {
    hs_copy_sample *samples;
    size_t          count;
} link_copies;

/* Measure one path of a link. Return 0, or an exit code after a message. */
static int measure_path(unsigned from, unsigned to, link_copies *copies)
{
    hs_copy_sample *samples = copies->samples + copies->count;
    hs_error        error = {0};
    hs_status       st;

    for (size_t i = 0; i < SIZES; i++)
        samples[i].bytes = sizes[i];
    st = hs_exec_time_copies(NULL, from, to, samples, SIZES, &error);
    if (st != HS_OK) {
        message("%s", error.why);
        return exit_code(st);
    }
    copies->count += SIZES;
    return EXIT_OK;
}

/* Measure the path of a link for each GPU; copies between GPUs go to the next one. */
static int measure_link(hs_link link, unsigned gpus, link_copies *copies)
{
    unsigned paths = link == HS_D2D ? gpus - 1 : gpus;
    int      code = EXIT_OK;

    copies->samples = checked_calloc((size_t)paths * SIZES, sizeof *copies->samples);
    for (unsigned i = 0; i < paths && !code; i++)
        code = measure_path(link == HS_H2D ? HS_NONE : i,
                            link == HS_H2D   ? i
                            : link == HS_D2H ? HS_NONE
                                             : i + 1,
                            copies);
    return code;
}

/* Write the line of a link. Return 0, or an exit code after a message. */
static int write_link(FILE *out, hs_link link, const link_copies *copies, hs_unit unit)
{
    double latency, bandwidth;

    if (copies->count == 0)
        return EXIT_OK;
    if (!hs_fit_link(copies->samples, copies->count, &latency, &bandwidth)) {
        message("link %s: larger copies took no longer than smaller ones; measure again while "
                "nothing else runs here",
                names[link]);
        return EXIT_WORK;
    }
    fprintf(out, "# link %s %.5g %.5g\n", names[link], latency / hs_unit_seconds(unit), bandwidth);
    return EXIT_OK;
}

int calibrate_links(const char *path, unsigned gpus, hs_unit unit)
{
    link_copies copies[MEASURED_LINKS] = {{.count = 0}};
    output     *file = NULL;
    int         code = output_open(path, &file);

    if (code)
        return code;
    progress_begin(MEASURED_LINKS);
    for (int link = 0; link < MEASURED_LINKS && !code; link++) {
        progress_set_done((size_t)link, "measuring link %s", names[link]);
        code = measure_link((hs_link)link, gpus, &copies[link]);
    }
    progress_end();
    if (!code && !output_stream(file))
        code = message_status(HS_ENOMEM, path);
    for (int link = 0; link < MEASURED_LINKS && !code; link++)
        code = write_link(output_stream(file), (hs_link)link, &copies[link], unit);
    for (int link = 0; link < MEASURED_LINKS; link++)
        free(copies[link].samples);
    if (!code)
        return output_close(file, HS_OK);
    output_discard(file);
    return code;
}
