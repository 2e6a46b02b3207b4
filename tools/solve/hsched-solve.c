/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: schedules instances with any of the library's algorithms. */
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/nearest_word.h"
#include "common/options.h"
#include "common/plugin.h"
#include "common/progress.h"
#include "common/stop.h"
#include "solve/solve.h"
#include "solve/jobs.h"

static const char *algorithm_word(size_t index)
{
    if (index < hs_algorithm_count())
        return hs_algorithm_name(hs_algorithm_at(index));
    return index == hs_algorithm_count() ? "all" : NULL;
}

static const char *bound_word(size_t index)
{
    if (index < hs_bound_count())
        return hs_bound_name(hs_bound_at(index));
    return index == hs_bound_count() ? "all" : NULL;
}

/* The parsed command line, before names are looked up and files opened. */
typedef struct command_line {
    solve_request request;
    const char   *algorithms, *bounds, *profile;
    const char   *path[SOLVE_FILES]; /* path of each output file; NULL: not requested */
    int           list, allow;
} command_line;

static void take_plugin(const options *o, void *line)
{
    (void)line;
    plugin_add_file(o->value);
}

static void take_partition(const options *o, void *data)
{
    command_line *line = data;
    const char   *colon = strchr(o->value, ':');
    char          time[64];

    if (colon && (size_t)(colon - o->value) >= sizeof time)
        usage_error("--partition: '%s' is not of the form TIME[:MOST]", o->value);
    snprintf(time, sizeof time, "%.*s", colon ? (int)(colon - o->value) : (int)sizeof time - 1,
             o->value);
    line->request.part_time = parse_time("--partition", time, 1e-9, 1e9);
    line->request.most_parts =
        colon ? (unsigned)parse_unsigned("--partition", colon + 1, 2, 65536) : 0;
}

static const option_spec option_table[] = {
    {'a', "algorithm", "NAME[:RANK][,NAME...]|all", {OPTION_LIST(algorithm_word, algorithms)},
     "algorithms to run (default: best), each with an optional rank of the tasks: min, avg, "
     "given or fifo"},
    {'b', "bound", "NAME[,NAME...]|all", {OPTION_LIST(bound_word, bounds)},
     "lower bounds to compute (default: deadline); the gap refers to the best one"},
    {'m', "cpus", "N", {OPTION_WHOLE(request.reading.cpus, 0, HS_MAX_WORKERS)},
     "number of CPUs (default: the '# cpus' line of the instance)"},
    {'k', "gpus", "N", {OPTION_WHOLE(request.reading.gpus, 0, HS_MAX_WORKERS)},
     "number of GPUs (default: the '# gpus' line of the instance)"},
    {'o', "output", "PLAN", {OPTION_FILE(path[SOLVE_PLAN])},
     "write the best schedule found as a plan; '-' is standard output, and the table is not "
     "printed"},
    {'t', "time-limit", "TIME", {OPTION_TIME(request.settings.time_limit, 1e-3, 1e9)},
     "time limit per instance, in seconds or as in 5m: of best (default: 1), of exact (default: "
     "10), and of each bound that has one (default: 10)"},
    {0, "iterations", "N", {OPTION_WHOLE(request.settings.iterations, 1, OPTION_ANY)},
     "best: end after N moves of the search instead of a time limit, which gives the same plan "
     "everywhere"},
    {'s', "seed", "N", {OPTION_WHOLE(request.settings.seed, 0, OPTION_ANY)},
     "best, random: seed of the random numbers (default: 0)"},
    {'j', "threads", "N", {OPTION_WHOLE(request.settings.threads, 1, 256)},
     "number of threads: N instances are solved at a time, and best uses the remaining threads "
     "(default: 1)"},
    {0, "start", "PLAN", {OPTION_FILE(request.start)},
     "best: start from this plan of the instance; the result is at least as good"},
    {0, "available", "WORKER=TIME[,...]|@FILE", {OPTION_TEXT(request.available)},
     "times until which workers are busy: cpu3=12.5,gpu0=7 (in the instance's unit); --list "
     "shows the algorithms and bounds that support busy workers"},
    {0, "gap", "G", {OPTION_REAL(request.settings.gap, 0, 1e9)},
     "best: end as soon as the makespan is proved to be within the factor 1 + G of the optimum "
     "(default: 0); exit status 1 if the gap was not reached"},
    {0, "alpha", "X", {OPTION_REAL(request.settings.parameters.alpha, 0, 1)},
     "dada: part of the guessed makespan for tasks with an affinity, in [0, 1] (default: 0)"},
    {0, "affinity", "FILE", {OPTION_FILE(request.affinity)},
     "dada: file with the preferred worker of each task"},
    {0, "band", "X", {OPTION_REAL(request.settings.parameters.band, 1e-9, 1e9)},
     "hp-corrected: acceleration from which GPUs take tasks by rank (default: 8)"},
    {0, "leave", "X", {OPTION_REAL(request.settings.parameters.leave, 1e-9, 1e9)},
     "hp-corrected: acceleration from which GPUs spoliate such tasks (default: 16)"},
    {0, "threshold", "N", {OPTION_WHOLE(request.settings.parameters.threshold, 1, 1e9)},
     "h-ratio, d-rank: maximum of tasks that wait for workers (default: twice the workers)"},
    {0, "metrics", NULL, {OPTION_FLAG(request.metrics)},
     "also print the work and the idle time of each type in percent of the bound (default "
     "bound: paths)"},
    {0, "summary", NULL, {OPTION_FLAG(request.summary)},
     "print one table for all instances, with quantiles of makespan / bound, number of wins and "
     "mean rank of each algorithm"},
    {0, "certificate", "FILE", {OPTION_FILE(path[SOLVE_CERTIFICATE])},
     "write a certificate that proves the best bound, for hsched-check --certificate"},
    {0, "gantt", "FILE", {OPTION_FILE(path[SOLVE_GANTT])}, "draw the best schedule found, as SVG"},
    {0, "trace", "FILE", {OPTION_FILE(path[SOLVE_TRACE])},
     "write the best schedule found as trace-event JSON, for Perfetto and chrome://tracing"},
    {0, "dot", "FILE", {OPTION_FILE(path[SOLVE_DOT])},
     "write the instance's graph for Graphviz"},
    {0, "profile", "FILE", {OPTION_FILE(profile)},
     "predict unknown times from the measurements in this profile"},
    {0, "filled", "FILE", {OPTION_FILE(path[SOLVE_FILLED])},
     "write the instance with the predicted times"},
    {0, "partition", "TIME[:MOST]", {OPTION_CALL(ARGUMENT_TEXT, NULL, take_partition)},
     "divide a task dgemm:N or sgemm:N that takes longer than TIME, such as 0.5 or 2m, into the "
     "least number of tasks that do not, a power of two up to MOST (default: the first "
     "power of two that is at least the number of workers, up to 64)"},
    {0, "format", "text|csv|json", {OPTION_WORD(NULL, request.format)},
     "how to print the results (default: text)"},
    {0, "plugin", "FILE", {OPTION_CALL(ARGUMENT_FILE, NULL, take_plugin)},
     "add the algorithms of the plugin FILE, a shared object; needs --allow=plugins, see "
     "hybridsched-plugin(3)"},
    {0, "allow", "plugins", {OPTION_WORD(NULL, allow)},
     "allow plugins to run"},
    {0, "list", NULL, {OPTION_FLAG(list)},
     "print all algorithms and bounds with guarantee, cost and source, and exit; -m and -k set "
     "the numbers of workers for the guarantees"},
    {0, "ignore-unknown", NULL, {OPTION_FLAG(request.reading.ignore_unknown)},
     "ignore unknown columns of the instance (default: an error)"},
    {0}
};

static const tool_spec tool = {
    .name = "hsched-solve",
    .operands = "INSTANCE...",
    .summary = "Schedule the tasks of each INSTANCE ('-': standard input) on its CPUs and GPUs, "
               "and compare the makespans with a lower bound.",
    .options = option_table,
};

static bool has_algorithm(const solve_request *request, const hs_algorithm *alg)
{
    for (size_t i = 0; i < request->algorithm_count; i++)
        if (request->algorithms[i].algorithm == alg)
            return true;
    return false;
}

/* Return whether the request names an algorithm, and not only by `all`. */
static bool names_algorithm(const solve_request *request, const hs_algorithm *algorithm)
{
    for (size_t i = 0; i < request->algorithm_count; i++)
        if (request->algorithms[i].algorithm == algorithm && request->algorithms[i].by_name)
            return true;
    return false;
}

/* Add an algorithm to the request, unless it is there already; the caller provides room. */
static void add_algorithm(solve_request *request, const hs_algorithm *alg, hs_rank rank,
                          bool by_name)
{
    size_t            count = request->algorithm_count;
    wanted_algorithm *wanted = &request->algorithms[count];

    for (size_t i = 0; i < count; i++)
        if (request->algorithms[i].algorithm == alg && request->algorithms[i].rank == rank) {
            request->algorithms[i].by_name |= by_name;
            return;
        }
    *wanted = (wanted_algorithm){.algorithm = alg, .rank = rank, .by_name = by_name};
    if (rank == HS_RANK_DEFAULT)
        snprintf(wanted->name, sizeof wanted->name, "%s", hs_algorithm_name(alg));
    else
        snprintf(wanted->name, sizeof wanted->name, "%s:%s", hs_algorithm_name(alg),
                 hs_rank_name(rank));
    request->algorithm_count++;
}

/* Return an upper bound on the number of algorithms in the list. */
static size_t count_names(const char *names)
{
    size_t count = hs_algorithm_count() + 1;

    for (; *names; names++)
        count += *names == ',';
    for (size_t i = 0; plugin_algorithm_at(i); i++)
        count++;
    return count;
}

static void select_algorithms(solve_request *request, const char *names)
{
    char    name[PLUGIN_RANKED];
    hs_rank rank;

    request->algorithms = checked_calloc(count_names(names), sizeof *request->algorithms);
    while (list_next("--algorithm", &names, name, sizeof name)) {
        const hs_algorithm *alg = plugin_algorithm_with_rank(name, &rank);

        if (strcmp(name, "all") == 0) {
            for (size_t i = 0; i < hs_algorithm_count(); i++)
                add_algorithm(request, hs_algorithm_at(i), HS_RANK_DEFAULT, false);
            for (size_t i = 0; plugin_algorithm_at(i); i++)
                add_algorithm(request, plugin_algorithm_at(i), HS_RANK_DEFAULT, false);
        } else if (alg) {
            add_algorithm(request, alg, rank, true);
        } else {
            plugin_unknown_algorithm(NULL, name);
        }
    }
}

/* Names of the bounds that are left out without GLPK. With GLPK they may take seconds. */
static const char *const glpk_bounds[] = {"allocation", "configuration", "mip"};

static void note_missing_bounds(void)
{
    for (size_t i = 0; i < sizeof glpk_bounds / sizeof *glpk_bounds; i++)
        if (!hs_bound_find(glpk_bounds[i]))
            message("bound '%s' left out: this build has no GLPK", glpk_bounds[i]);
}

static _Noreturn void unknown_bound(const char *name)
{
    for (size_t i = 0; i < sizeof glpk_bounds / sizeof *glpk_bounds; i++) {
        if (strcmp(name, glpk_bounds[i]) == 0) {
            message("bound '%s' needs GLPK, but this build has no GLPK", name);
            exit(EXIT_RESOURCE);
        }
    }
    report_unknown_word(NULL, "bound", name, bound_word, "hsched-solve --list lists all");
}

static bool is_slow(const hs_bound *bound)
{
    for (size_t i = 0; i < sizeof glpk_bounds / sizeof *glpk_bounds; i++)
        if (strcmp(hs_bound_name(bound), glpk_bounds[i]) == 0)
            return true;
    return false;
}

static void add_bound(solve_request *request, const hs_bound *bound, bool by_name)
{
    size_t i = 0;

    while (i < request->bound_count && request->bounds[i].bound != bound)
        i++;
    if (i == request->bound_count)
        request->bounds[request->bound_count++].bound = bound;
    request->bounds[i].by_name |= by_name;
    request->bounds[i].slow = is_slow(bound);
}

static void select_bounds(solve_request *request, const char *names)
{
    char name[64];

    request->bounds = checked_calloc(hs_bound_count(), sizeof *request->bounds);
    while (list_next("--bound", &names, name, sizeof name)) {
        const hs_bound *bound = hs_bound_find(name);

        if (strcmp(name, "all") == 0) {
            for (size_t i = 0; i < hs_bound_count(); i++)
                add_bound(request, hs_bound_at(i), false);
            note_missing_bounds();
        } else if (bound) {
            add_bound(request, bound, true);
        } else {
            unknown_bound(name);
        }
    }
}

static bool wants_files(const command_line *line)
{
    for (int i = 0; i < SOLVE_FILES; i++)
        if (line->path[i])
            return true;
    return false;
}

static void check_command_line(const options *o, const command_line *line, char *const *instances,
                               size_t count)
{
    const solve_request   *request = &line->request;
    const hs_read_settings *reading = &request->reading;
    int                    inputs = is_dash(request->affinity) + is_dash(request->start);

    if (count == 0)
        usage_error("an instance is needed: name a file, or '-' for standard input");
    if (count > 1 && wants_files(line))
        usage_error("--output, --certificate, --gantt, --trace, --dot and --filled allow only one "
                    "instance");
    if (request->summary && request->metrics)
        usage_error("--metrics and --summary cannot be used together: metrics are of one instance");
    if (count > 1 && request->start)
        usage_error("--start allows only one instance");
    if (request->start && !has_algorithm(request, hs_algorithm_find("best")))
        usage_error("--start needs the algorithm best");
    for (size_t i = 0; i < count; i++)
        inputs += is_dash(instances[i]);
    if (inputs > 1)
        usage_error("standard input can be read only once");
    files_check_svg("--gantt", line->path[SOLVE_GANTT]);
    files_check(line->path, SOLVE_FILES, (const char *const *)instances, count);
    files_check(line->path, SOLVE_FILES, &request->affinity, 1);
    files_check(line->path, SOLVE_FILES, &line->profile, 1);
    if (is_dash(line->profile))
        usage_error("--profile needs the name of a file, not '-'");
    if (line->path[SOLVE_FILLED] && !line->profile)
        usage_error("--filled needs --profile");
    if (reading->has_cpus && reading->has_gpus && reading->cpus + reading->gpus == 0)
        usage_error("no CPU and no GPU: nothing could run");
    if ((options_given(o, "alpha") || request->affinity) &&
        !has_algorithm(request, hs_algorithm_find("dada")))
        usage_error("--alpha and --affinity need the algorithm dada");
    if ((options_given(o, "band") || options_given(o, "leave")) &&
        !has_algorithm(request, hs_algorithm_find("hp-corrected")))
        usage_error("--band and --leave need the algorithm hp-corrected");
    if (options_given(o, "threshold") && !has_algorithm(request, hs_algorithm_find("h-ratio")) &&
        !has_algorithm(request, hs_algorithm_find("d-rank")))
        usage_error("--threshold needs the algorithm h-ratio or d-rank");
    if (options_given(o, "iterations") && !options_given(o, "time-limit") &&
        names_algorithm(request, hs_algorithm_find("exact")))
        usage_error("--iterations does not limit exact: add --time-limit");
    if (request->affinity && !(request->settings.parameters.alpha > 0))
        usage_error("--affinity needs an --alpha above 0");
}

/* Read the profile. Return 0, or an exit code after a message. */
static int open_profile(const char *path, times_profile *times, solve_request *request)
{
    int code = profile_open(times, path, HS_PROFILE_READ, 1, NULL);

    request->times = times;
    return code ? code : profile_load(times, false);
}

/* The state of the printed report, in text or in the requested --format. */
typedef struct report {
    bool     table; /* whether to print tables: no file goes to standard output */
    int      first; /* whether the report is still empty */
    summary *s;     /* summary of all instances; NULL: a table per instance */
} report;

/* Write the files and the table of an instance. Return an exit code. */
static int conclude(solve_request *request, const solve_result *result, report *to)
{
    int code = solve_write(request, result);

    if (!code && to->s) {
        solve_summary_add(request, result, to->s);
    } else if (!code && to->table) {
        progress_hide();
        solve_report(request, result, to->first);
        to->first = 0;
    }
    return code ? code : solve_gap_code(request, result);
}

static void print_unsolved(size_t unsolved, size_t count)
{
    if (unsolved > 0)
        message("stopped: %zu of %zu instance%s not solved", unsolved, count,
                count == 1 ? " was" : "s were");
}

/* Solve all instances and print the results in order; failed instances print no result. */
static int solve_all(solve_request *request, bool table, char *const *instances, size_t count)
{
    int         worst = EXIT_OK;
    size_t      unsolved = count;
    report      to = {table, 1, request->summary ? solve_summary_create(request) : NULL};
    solve_jobs *all;
    solve_job  *job;

    progress_begin(count * solve_steps(request));
    all = solve_jobs_start(request, instances, count);
    for (size_t i = 0; i < count && (job = solve_jobs_next(all)); i++) {
        int code = job->code;

        /* without a result, a signal came before the first algorithm */
        if (code || job->result.algorithms)
            unsolved--;
        if (!code && job->result.algorithms)
            code = conclude(request, &job->result, &to);
        if (code > worst)
            worst = code;
        solve_jobs_release(all, job);
    }
    solve_jobs_end(all);
    progress_end();
    if (to.s && table && summary_instances(to.s) > 0)
        solve_summary_print(request, to.s);
    summary_free(to.s);
    solve_report_end(request, to.first);
    print_unsolved(unsolved, count);
    return stop_exit_code(worst);
}

int main(int argc, char **argv)
{
    options        o;
    command_line   line = {.algorithms = "best"};
    solve_request *request = &line.request;
    times_profile  times = {0};
    int            code = EXIT_OK;

    hs_settings_init(&request->settings);
    hs_read_settings_init(&request->reading);
    options_read(&o, &tool, argc, argv, &line);
    argv += argc - (int)options_operand_count(&o);
    request->reading.has_cpus = options_given(&o, "cpus");
    request->reading.has_gpus = options_given(&o, "gpus");
    request->has_gap = options_given(&o, "gap");
    request->reports_bounds = options_given(&o, "bound");
    if (!request->reports_bounds)
        line.bounds = request->metrics && hs_bound_find("paths") ? "paths" : "deadline";

    plugin_open_files(options_given(&o, "allow"));
    if (line.list) {
        solve_list(&request->reading);
        return output_finish(EXIT_OK);
    }
    select_algorithms(request, line.algorithms);
    select_bounds(request, line.bounds);
    check_command_line(&o, &line, argv, options_operand_count(&o));
    if (line.profile)
        code = open_profile(line.profile, &times, request);
    if (!code)
        code = files_open(line.path, request->file, SOLVE_FILES);
    if (!code)
        code = solve_all(request, !files_count_stdout(line.path, SOLVE_FILES), argv,
                         options_operand_count(&o));

    files_discard(request->file, SOLVE_FILES);
    profile_close(&times);
    free(request->algorithms);
    free(request->bounds);
    return output_finish(code);
}
