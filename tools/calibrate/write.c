/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate: output as an instance, a kernel table, or a summary. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "common/message.h"

/* Return the time in the unit of the request, rounded to six digits; more are not significant. */
static double shown(const calibrate_request *request, double seconds)
{
    char text[32];

    if (isinf(seconds))
        return seconds;
    snprintf(text, sizeof text, "%.6g", seconds / hs_unit_seconds(request->unit));
    return strtod(text, NULL);
}

static void processor(char name[96])
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char  line[256], *colon;

    snprintf(name, 96, "this machine");
    while (file && fgets(line, sizeof line, file)) {
        colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, 96, "%.94s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file)
        fclose(file);
}

/* Return whether any kernel was measured in more than one round. */
static bool is_repeated(const calibrate_request *request, const calibrate_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->kernels[i].runs > (size_t)request->cores * request->repeats)
            return true;
    return false;
}

static void describe(const calibrate_request *request, const calibrate_list *list, char *text,
                     size_t size)
{
    char name[96];
    int  used;

    processor(name);
    used = snprintf(text, size,
                    "hsched-calibrate on %s: medians of %u runs%s after %u on each of "
                    "%u core%s at once%s",
                    name, request->repeats, is_repeated(request, list) ? " or more" : "",
                    request->warm_up, request->cores,
                    request->cores == 1 ? "" : "s", request->verify ? ", results verified" : "");
    if (request->on_gpu && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; on a GPU%s",
                 request->resident ? ", without copies" : "");
    if (request->gpu && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; GPU times by the %s of table %s",
                 request->by_ratio ? "accelerations" : "times", request->gpu->name);
}

/* Format the quartiles of a kernel for a note above the header. */
static void spread(const calibrate_request *request, const calibrate_kernel *kernel, char *text,
                   size_t size)
{
    snprintf(text, size, "%s %.6g %.6g", kernel->name, shown(request, kernel->low),
             shown(request, kernel->high));
}

static hs_status add_kernel(const calibrate_request *request, const calibrate_kernel *kernel,
                            hs_builder *b)
{
    hs_task row = {.struct_size = sizeof row, .id = kernel->name,
                   .cpu = shown(request, kernel->median),
                   .gpu = shown(request, kernel->gpu),
                   .kernel = kernel->name,
                   .count = request->count};

    return hs_builder_add_row(b, &row);
}

static hs_status add_notes(const calibrate_request *request, const calibrate_list *list,
                           hs_builder *b)
{
    char      text[512];
    hs_status st;

    describe(request, list, text, sizeof text);
    st = hs_builder_add_note(b, "source", text);
    for (size_t i = 0; i < list->count && st == HS_OK; i++) {
        spread(request, &list->kernels[i], text, sizeof text);
        st = hs_builder_add_note(b, "quartiles", text);
    }
    for (size_t i = 0; i < list->count && st == HS_OK; i++)
        if (list->kernels[i].unsettled)
            st = hs_builder_add_note(b, "unsettled", list->kernels[i].name);
    return st;
}

hs_status calibrate_write_instance(int fd, const calibrate_request *request,
                                   const calibrate_list *list)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_status    st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hs_builder_set_workers(b, request->cpus, request->gpus);
    if (st == HS_OK)
        st = hs_builder_set_unit(b, request->unit);
    if (st == HS_OK)
        st = add_notes(request, list, b);
    for (size_t i = 0; i < list->count && st == HS_OK; i++)
        st = add_kernel(request, &list->kernels[i], b);
    if (st == HS_OK)
        st = hs_builder_finish(b, &in, NULL);
    if (st == HS_OK)
        st = hs_instance_write(fd, in, NULL);
    hs_instance_free(in);
    hs_builder_free(b);
    return st;
}

void calibrate_write_table(FILE *out, const calibrate_request *request, const calibrate_list *list)
{
    char text[512];

    describe(request, list, text, sizeof text);
    fprintf(out, "# hybridsched kernels 1\n# source %s\n# cpus %u\n# gpus %u\n# unit %s\n", text,
            request->cpus, request->gpus, hs_unit_name(request->unit));
    for (size_t i = 0; i < list->count; i++) {
        spread(request, &list->kernels[i], text, sizeof text);
        fprintf(out, "# quartiles %s\n", text);
    }
    for (size_t i = 0; i < list->count; i++)
        if (list->kernels[i].unsettled)
            fprintf(out, "# unsettled %s\n", list->kernels[i].name);
    fputs("kernel,cpu,gpu\n", out);
    for (size_t i = 0; i < list->count; i++)
        fprintf(out, "%s,%.6g,%.6g\n", list->kernels[i].name,
                shown(request, list->kernels[i].median), shown(request, list->kernels[i].gpu));
}

/* The reader of kernel tables checks a draft of the table. */
int calibrate_check_table(const calibrate_request *request, const calibrate_list *list)
{
    hs_kernel_table *table = NULL;
    hs_error         error = {0};
    FILE            *draft = tmpfile();
    hs_status        st = HS_EIO;
    int              failed;

    if (draft)
        calibrate_write_table(draft, request, list);
    if (draft && fflush(draft) == 0 && lseek(fileno(draft), 0, SEEK_SET) == 0)
        st = hs_kernel_table_read(fileno(draft), &table, &error);
    failed = errno;
    if (draft)
        fclose(draft);
    hs_kernel_table_free(table);
    if (st == HS_OK)
        return EXIT_OK;
    message("--table: %s", error.why[0] ? error.why : st == HS_EIO ? strerror(failed) : hs_status_text(st));
    return exit_code(st);
}

void calibrate_print(FILE *out, const calibrate_request *request, const calibrate_list *list)
{
    const char *unit = hs_unit_name(request->unit);

    fprintf(out, "%-20s %12s %12s %12s %8s %12s\n", "kernel", "median", "quartile", "quartile",
            "runs", "GPU");
    for (size_t i = 0; i < list->count; i++) {
        const calibrate_kernel *kernel = &list->kernels[i];

        fprintf(out, "%-20s %9.6g %2s %9.6g %2s %9.6g %2s %8zu %9.6g %2s%s\n", kernel->name,
                shown(request, kernel->median), unit, shown(request, kernel->low), unit,
                shown(request, kernel->high), unit, kernel->runs, shown(request, kernel->gpu),
                isinf(kernel->gpu) ? "" : unit, kernel->unsettled ? "  not settled" : "");
    }
}
