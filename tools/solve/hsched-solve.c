/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: schedules instances with any of the library's algorithms. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/message.h"
#include "common/options.h"
#include "common/progress.h"
#include "solve/solve.h"
#include "solve/crew.h"

enum { OPT_ALPHA = OPTION_LONG, OPT_AFFINITY, OPT_GANTT, OPT_TRACE, OPT_FORMAT, OPT_LIST,
       OPT_IGNORE_UNKNOWN, OPT_ITERATIONS, OPT_START, OPT_GAP, OPT_CERTIFICATE };

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

static const char *format_word(size_t index) /* in the order of solve_format */
{
    static const char *const words[] = {"text", "csv", "json", NULL};

    return words[index];
}

static const option_spec option_table[] = {
    {'a', "algorithm", ARGUMENT_LIST, "NAME[,NAME...]|all", algorithm_word,
     "run these algorithms (default: best)"},
    {'b', "bound", ARGUMENT_LIST, "NAME[,NAME...]|all", bound_word,
     "compare with the best of these lower bounds (default: deadline), and report each of them"},
    {'m', "cpus", ARGUMENT_TEXT, "N", NULL, "schedule for N CPUs, whatever the instance says"},
    {'k', "gpus", ARGUMENT_TEXT, "N", NULL, "schedule for N GPUs, whatever the instance says"},
    {'o', "output", ARGUMENT_FILE, "PLAN", NULL,
     "write the best schedule found as a plan; '-' is standard output, which then has no table"},
    {'t', "time-limit", ARGUMENT_TEXT, "SECONDS", NULL,
     "the time that best (default: 1) and exact (default: 10) may take for each instance, and "
     "each of the bounds that take time (default: 10)"},
    {OPT_ITERATIONS, "iterations", ARGUMENT_TEXT, "N", NULL,
     "best: end after N moves of its search, rather than by the clock: the same plan everywhere"},
    {'s', "seed", ARGUMENT_TEXT, "N", NULL, "best: begin its random numbers here (default: 0)"},
    {'j', "threads", ARGUMENT_TEXT, "N", NULL,
     "solve N instances at a time; the threads that are left read one long file together, and best "
     "searches in them (default: 1)"},
    {OPT_START, "start", ARGUMENT_FILE, "PLAN", NULL,
     "best: start from this plan of the instance; the result is no worse"},
    {OPT_GAP, "gap", ARGUMENT_TEXT, "G", NULL,
     "best: end as soon as the makespan is proved to be within the factor 1 + G of the optimum "
     "(default: 0); if no schedule is in the end, the exit status is 1"},
    {OPT_ALPHA, "alpha", ARGUMENT_TEXT, "X", NULL,
     "dada: the share of a guess that affinity may use, in [0, 1] (default: 0)"},
    {OPT_AFFINITY, "affinity", ARGUMENT_FILE, "FILE", NULL,
     "dada: read which worker each task prefers"},
    {OPT_CERTIFICATE, "certificate", ARGUMENT_FILE, "FILE", NULL,
     "write what proves the best bound, for hsched-check --certificate"},
    {OPT_GANTT, "gantt", ARGUMENT_FILE, "FILE", NULL, "draw the best schedule found, as SVG"},
    {OPT_TRACE, "trace", ARGUMENT_FILE, "FILE", NULL,
     "write the best schedule found as trace-event JSON, for Perfetto and chrome://tracing"},
    {OPT_FORMAT, "format", ARGUMENT_WORD, "text|csv|json", format_word,
     "how to print the results (default: text)"},
    {OPT_LIST, "list", ARGUMENT_NONE, NULL, NULL,
     "print what algorithms and bounds there are, with guarantee, cost and source, and exit; "
     "-m and -k set the workers that guarantees are for"},
    {OPT_IGNORE_UNKNOWN, "ignore-unknown", ARGUMENT_NONE, NULL, NULL,
     "skip columns of the instance that are not known, rather than refuse them"},
    {0}
};

static const tool_spec tool = {
    .name = "hsched-solve",
    .operands = "INSTANCE...",
    .summary = "Schedule the independent tasks of each INSTANCE ('-': standard input) on its CPUs "
               "and GPUs, and compare the makespans with a lower bound on every schedule's.",
    .options = option_table,
};

/* What the command line says, before names are looked up and files opened. */
typedef struct command_line {
    const char *algorithms, *bounds; /* NULL: the default */
    const char *path[SOLVE_FILES];   /* NULL: not wanted */
    int         list, has_alpha;
} command_line;

static void take_option(const options *o, int code, command_line *line, solve_request *request)
{
    switch (code) {
    case 'a':
        line->algorithms = o->value;
        break;
    case 'b':
        line->bounds = o->value;
        break;
    case 'm':
        request->reading.cpus = (unsigned)options_unsigned(o, 0, HS_MAX_WORKERS);
        request->reading.has_cpus = 1;
        break;
    case 'k':
        request->reading.gpus = (unsigned)options_unsigned(o, 0, HS_MAX_WORKERS);
        request->reading.has_gpus = 1;
        break;
    case 'o':
        line->path[SOLVE_PLAN] = o->value;
        break;
    case 't':
        request->settings.time_limit = options_double(o, 1e-3, 1e9);
        break;
    case OPT_ITERATIONS:
        request->settings.iterations = options_unsigned(o, 1, UINT64_MAX);
        break;
    case 's':
        request->settings.seed = options_unsigned(o, 0, UINT64_MAX);
        break;
    case 'j':
        request->settings.threads = (unsigned)options_unsigned(o, 1, 256);
        break;
    case OPT_START:
        request->start = o->value;
        break;
    case OPT_GAP:
        request->settings.gap = options_double(o, 0, 1e9);
        request->has_gap = 1;
        break;
    case OPT_ALPHA:
        request->settings.alpha = options_double(o, 0, 1);
        line->has_alpha = 1;
        break;
    case OPT_AFFINITY:
        request->affinity = o->value;
        break;
    case OPT_CERTIFICATE:
        line->path[SOLVE_CERTIFICATE] = o->value;
        break;
    case OPT_GANTT:
        line->path[SOLVE_GANTT] = o->value;
        break;
    case OPT_TRACE:
        line->path[SOLVE_TRACE] = o->value;
        break;
    case OPT_FORMAT:
        request->format = (solve_format)options_word(o);
        break;
    case OPT_LIST:
        line->list = 1;
        break;
    case OPT_IGNORE_UNKNOWN:
        request->reading.ignore_unknown = 1;
        break;
    }
}

static int has_algorithm(const solve_request *request, const hs_algorithm *alg)
{
    for (size_t i = 0; i < request->algorithm_count; i++)
        if (request->algorithms[i] == alg)
            return 1;
    return 0;
}

static void add_algorithm(solve_request *request, const hs_algorithm *alg)
{
    if (!has_algorithm(request, alg))
        request->algorithms[request->algorithm_count++] = alg;
}

static void select_algorithms(solve_request *request, const char *names)
{
    char name[64];

    request->algorithms = checked_calloc(hs_algorithm_count(), sizeof *request->algorithms);
    while (list_next("--algorithm", &names, name, sizeof name)) {
        const hs_algorithm *alg = hs_algorithm_find(name);

        if (strcmp(name, "all") == 0)
            for (size_t i = 0; i < hs_algorithm_count(); i++)
                add_algorithm(request, hs_algorithm_at(i));
        else if (alg)
            add_algorithm(request, alg);
        else
            usage_error("there is no algorithm '%s'; hsched-solve --list names those there are",
                        name);
    }
}

/* Bounds that only a build with GLPK has. */
static const char *const glpk_bounds[] = {"area", "allocation", "configuration", "mip"};

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
            message("bound '%s' needs GLPK, which this build lacks", name);
            exit(EXIT_RESOURCE);
        }
    }
    usage_error("there is no bound '%s'; hsched-solve --list names those there are", name);
}

static void add_bound(solve_request *request, const hs_bound *bound, int by_name)
{
    size_t i = 0;

    while (i < request->bound_count && request->bounds[i].bound != bound)
        i++;
    if (i == request->bound_count)
        request->bounds[request->bound_count++].bound = bound;
    request->bounds[i].by_name |= by_name;
}

static void select_bounds(solve_request *request, const char *names)
{
    char name[64];

    request->bounds = checked_calloc(hs_bound_count(), sizeof *request->bounds);
    while (list_next("--bound", &names, name, sizeof name)) {
        const hs_bound *bound = hs_bound_find(name);

        if (strcmp(name, "all") == 0) {
            for (size_t i = 0; i < hs_bound_count(); i++)
                add_bound(request, hs_bound_at(i), 0);
            note_missing_bounds();
        } else if (bound) {
            add_bound(request, bound, 1);
        } else {
            unknown_bound(name);
        }
    }
}

static int is_dash(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* How many files are wanted; only those that go to standard output, if `to_stdout`. */
static int count_files(const command_line *line, int to_stdout)
{
    int count = 0;

    for (int i = 0; i < SOLVE_FILES; i++)
        count += to_stdout ? is_dash(line->path[i]) : line->path[i] != NULL;
    return count;
}

/* Nothing that is read, or written, is to be written over. */
static void check_files(const command_line *line, const solve_request *request,
                        char *const *instances, size_t count)
{
    for (int i = 0; i < SOLVE_FILES; i++) {
        if (!line->path[i] || is_dash(line->path[i]))
            continue;
        for (int j = 0; j < i; j++)
            if (line->path[j] && same_file(line->path[i], line->path[j]))
                usage_error("%s is to be written twice", line->path[i]);
        for (size_t k = 0; k < count; k++)
            if (same_file(line->path[i], instances[k]))
                usage_error("%s is to be read and written", line->path[i]);
        if (request->affinity && same_file(line->path[i], request->affinity))
            usage_error("%s is to be read and written", line->path[i]);
    }
}

static void check_command_line(const command_line *line, const solve_request *request,
                               char *const *instances, size_t count)
{
    const hs_algorithm    *dada = hs_algorithm_find("dada");
    const hs_read_options *reading = &request->reading;
    int                    inputs = is_dash(request->affinity) + is_dash(request->start);

    if (count == 0)
        usage_error("an instance is needed");
    if (count > 1 && count_files(line, 0))
        usage_error("--output, --certificate, --gantt and --trace are for one instance");
    if (count > 1 && request->start)
        usage_error("--start is for one instance");
    if (request->start && !has_algorithm(request, hs_algorithm_find("best")))
        usage_error("--start is for best, which is not to run");
    for (size_t i = 0; i < count; i++)
        inputs += is_dash(instances[i]);
    if (inputs > 1)
        usage_error("standard input can be read only once");
    if (count_files(line, 1) > 1)
        usage_error("only one result can go to standard output");
    check_files(line, request, instances, count);
    if (reading->has_cpus && reading->has_gpus && reading->cpus + reading->gpus == 0)
        usage_error("no CPU and no GPU: nothing could run");
    if ((line->has_alpha || request->affinity) && !has_algorithm(request, dada))
        usage_error("--alpha and --affinity are for dada, which is not to run");
    if (request->affinity && !(request->settings.alpha > 0))
        usage_error("--affinity counts for nothing without an --alpha above 0");
}

static int open_files(const command_line *line, solve_request *request)
{
    int code = EXIT_OK;

    for (int i = 0; i < SOLVE_FILES && !code; i++)
        if (line->path[i])
            code = output_open(line->path[i], &request->file[i]);
    return code;
}

/* Results are printed as they come; what a bad instance would print is left out. */
static int solve_all(solve_request *request, int table, char *const *instances, size_t count)
{
    int         worst = EXIT_OK, first = 1;
    solve_crew *crew;

    progress_begin(count * solve_steps(request));
    crew = solve_crew_start(request, instances, count);
    for (size_t i = 0; i < count; i++) {
        solve_job *job = solve_crew_next(crew);
        int        code = job->code;

        if (!code)
            code = solve_write(request, &job->result, job->in, job->best);
        if (!code && table) {
            progress_hide();
            solve_report(request, &job->result, first);
            first = 0;
        }
        if (!code)
            code = solve_gap_code(request, &job->result);
        if (code > worst)
            worst = code;
        solve_crew_release(crew, job);
    }
    solve_crew_end(crew);
    progress_end();
    solve_report_end(request, first);
    return worst;
}

int main(int argc, char **argv)
{
    options       o;
    command_line  line = {0};
    solve_request request = {0};
    int           code;

    hs_settings_init(&request.settings);
    hs_read_options_init(&request.reading);
    options_begin(&o, &tool, argc, argv);
    while ((code = options_next(&o)) != -1)
        take_option(&o, code, &line, &request);
    argv += argc - (int)options_operand_count(&o);

    if (line.list) {
        solve_list(&request.reading);
        return output_finish(EXIT_OK);
    }
    select_algorithms(&request, line.algorithms ? line.algorithms : "best");
    select_bounds(&request, line.bounds ? line.bounds : "deadline");
    request.bounds_asked = line.bounds != NULL;
    check_command_line(&line, &request, argv, options_operand_count(&o));
    code = open_files(&line, &request);
    if (!code)
        code = solve_all(&request, !count_files(&line, 1), argv, options_operand_count(&o));

    for (int i = 0; i < SOLVE_FILES; i++)
        output_discard(request.file[i]);
    free(request.algorithms);
    free(request.bounds);
    return output_finish(code);
}
