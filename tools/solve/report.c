/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: results as CSV and JSON; text_report.c prints tables. */
#include <math.h>
#include <string.h>

#include "common/escape.h"
#include "solve/solve.h"

static void csv_string(const char *text)
{
    if (!text[strcspn(text, ",\"\r\n#")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void csv_start(const solve_result *result, const char *algorithm)
{
    csv_string(result->path);
    printf(",%zu,%u,%u,%s", hs_instance_tasks(result->in), hs_instance_cpus(result->in),
           hs_instance_gpus(result->in), algorithm);
}

static void csv_number(double value)
{
    char text[32];

    hs_format_double(value, text);
    printf(",%s", text);
}

double solve_idle(const solve_result *result, const solve_row *row, hs_type type)
{
    const hs_instance *in = result->in;
    unsigned           workers = type == HS_CPU ? hs_instance_cpus(in) : hs_instance_gpus(in);
    double             bound = result->bound.value;

    for (size_t i = 0; i < result->bound_count; i++)
        if (strcmp(result->bounds[i].name, "paths") == 0)
            bound = result->bounds[i].value;
    return hs_metrics_idle_share(&row->metrics, type, workers, bound);
}

/* Print a number; NaN prints an empty field. */
static void csv_metric(double value)
{
    if (isnan(value))
        putchar(',');
    else
        csv_number(value);
}

static void csv_metrics(const solve_result *result, const solve_row *row)
{
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        csv_metric(row->metrics.type[type].acceleration);
        csv_metric(solve_idle(result, row, (hs_type)type));
    }
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        printf(",%zu", row->copied.count[type]);
        csv_number(row->copied.bytes[type]);
    }
}

static void csv_algorithm(const solve_request *request, const solve_result *result,
                          const solve_row *row)
{
    csv_start(result, row->name);
    csv_number(row->value);
    csv_number(result->bound.value);
    printf(",%s", result->bound.name);
    csv_number(solve_ratio(row->value, result->bound.value));
    printf(",%zu", row->spoliated);
    if (request->metrics)
        csv_metrics(result, row);
    printf(",%.6f\n", row->seconds);
}

static void csv_bound(const solve_request *request, const solve_result *result,
                      const solve_row *row)
{
    csv_start(result, "");
    putchar(',');
    csv_number(row->value);
    printf(",%s,,,%s%.6f\n", row->name, request->metrics ? ",,,,,,,," : "", row->seconds);
}

static void csv_report(const solve_request *request, const solve_result *result, int first)
{
    if (first)
        printf("instance,tasks,cpus,gpus,algorithm,makespan,bound,bound_name,ratio,spoliated,%s"
               "seconds\n",
               request->metrics ? "cpu_acceleration,cpu_idle,gpu_acceleration,gpu_idle,"
                                  "to_host,to_host_bytes,to_gpus,to_gpus_bytes,"
                                : "");
    for (size_t i = 0; i < result->algorithm_count; i++)
        csv_algorithm(request, result, &result->algorithms[i]);
    for (size_t i = 0; i < result->bound_count && request->reports_bounds; i++)
        csv_bound(request, result, &result->bounds[i]);
}

static void json_start(const solve_result *result)
{
    json_format(stdout, "  {\"instance\": %s, \"tasks\": %zu, \"cpus\": %u, \"gpus\": %u",
                result->path, hs_instance_tasks(result->in), hs_instance_cpus(result->in),
                hs_instance_gpus(result->in));
    if (result->filled)
        printf(", \"guesses\": %zu", result->sources.guesses);
}

/* Print "a,b" as ["a", "b"]. */
static void json_members(const char *members)
{
    fputs(", \"members\": [\"", stdout);
    for (; *members; members++) {
        if (*members == ',')
            fputs("\", \"", stdout);
        else
            putchar(*members);
    }
    fputs("\"]", stdout);
}

static void json_metrics(const solve_result *result, const solve_row *row)
{
    json_format(stdout,
                ", \"cpu_acceleration\": %g, \"cpu_idle\": %g, \"gpu_acceleration\": %g, "
                "\"gpu_idle\": %g",
                row->metrics.type[HS_CPU].acceleration, solve_idle(result, row, HS_CPU),
                row->metrics.type[HS_GPU].acceleration, solve_idle(result, row, HS_GPU));
    json_format(stdout,
                ", \"to_host\": %zu, \"to_host_bytes\": %g, \"to_gpus\": %zu, "
                "\"to_gpus_bytes\": %g",
                row->copied.count[HS_CPU], row->copied.bytes[HS_CPU], row->copied.count[HS_GPU],
                row->copied.bytes[HS_GPU]);
}

static void json_algorithm(const solve_request *request, const solve_result *result,
                           const solve_row *row)
{
    json_start(result);
    json_format(stdout,
                ", \"algorithm\": %s, \"makespan\": %g, \"bound\": %g, \"bound_name\": %s, "
                "\"ratio\": %g",
                row->name, row->value, result->bound.value, result->bound.name,
                solve_ratio(row->value, result->bound.value));
    printf(", \"optimal\": %s, \"certified\": %s", row->gap == 0 ? "true" : "false",
           solve_is_certified(result, row) ? "true" : "false");
    if (row->members[0])
        json_members(row->members);
    if (row->found_by[0])
        printf(", \"found_by\": \"%s\"", row->found_by);
    printf(", \"spoliated\": %zu", row->spoliated);
    if (request->metrics)
        json_metrics(result, row);
    printf(", \"seconds\": %.6f}", row->seconds);
}

static void json_bound(const solve_result *result, const solve_row *row)
{
    json_start(result);
    json_format(stdout,
                ", \"algorithm\": null, \"makespan\": null, \"bound\": %g, \"bound_name\": %s, "
                "\"ratio\": null, \"optimal\": null, \"certified\": null, \"spoliated\": null",
                row->value, row->name);
    printf(", \"seconds\": %.6f}", row->seconds);
}

static void json_report(const solve_request *request, const solve_result *result, int first)
{
    for (size_t i = 0; i < result->algorithm_count; i++) {
        fputs(first && i == 0 ? "[\n" : ",\n", stdout);
        json_algorithm(request, result, &result->algorithms[i]);
    }
    for (size_t i = 0; i < result->bound_count && request->reports_bounds; i++) {
        fputs(",\n", stdout);
        json_bound(result, &result->bounds[i]);
    }
}

double solve_ratio(double makespan, double bound)
{
    return makespan == bound ? 1 : makespan / bound; /* without tasks both are 0: optimal */
}

void solve_report(const solve_request *request, const solve_result *result, int first)
{
    switch (request->format) {
    case SOLVE_TEXT:
        solve_text(request, result, first);
        break;
    case SOLVE_CSV:
        csv_report(request, result, first);
        break;
    case SOLVE_JSON:
        json_report(request, result, first);
        break;
    }
    output_flush(); /* a reader of the pipe gets each instance at once */
}

void solve_report_end(const solve_request *request, int first)
{
    if (request->format == SOLVE_JSON && !first)
        puts("\n]");
}
