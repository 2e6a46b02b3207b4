/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the JSON report of an earlier run, which --compare names. */
#include "exec/earlier_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/checked_memory.h"
#include "common/message.h"

static const char remedy[] = "give a file that hsched-exec --report=FILE.json wrote";

static int parse(const char *path, exec_earlier *run)
{
    hs_error      error = {0};
    size_t        length;
    char         *text;
    input         in;
    int           code = input_open(path, &in);

    if (code)
        return code;
    code = input_read_all(&in, SIZE_MAX / 4, &text, &length);
    if (!code && !(run->tree = json_parse(text, length, &error))) {
        message_without_tool("%s:%llu:%llu: not JSON: %s; %s", in.name,
                             (unsigned long long)error.line, (unsigned long long)error.column,
                             error.why, remedy);
        code = EXIT_USAGE;
    }
    run->path = in.name;
    input_close(&in);
    return code;
}

static int refuse(const exec_earlier *run, const char *what)
{
    message_without_tool("%s: not a report of hsched-exec: %s; %s", run->path, what, remedy);
    return EXIT_USAGE;
}

static bool is_count(double number)
{
    return isfinite(number) && number >= 0;
}

/* Check the members needed for a comparison, except the elements of arrays. */
static int check_members(exec_earlier *run)
{
    static const char *const numbers[] = {"cpus",
                                          "gpus",
                                          "tasks",
                                          "done",
                                          "resumed",
                                          "failed",
                                          "aborted",
                                          "achieved_makespan"};
    static const char *const arrays[] = {"workers", "kernels"};
    const char              *unit = json_text_of(run->root, "unit");
    char                     what[64];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!is_count(json_number_of(run->root, numbers[i]))) {
            snprintf(what, sizeof what, "'%s' is not a number", numbers[i]);
            return refuse(run, what);
        }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const json_value *array = json_member(run->root, arrays[i]);

        if (!array || array->kind != JSON_ARRAY) {
            snprintf(what, sizeof what, "'%s' is not an array", arrays[i]);
            return refuse(run, what);
        }
    }
    for (int u = HS_SECONDS; unit && u <= HS_NANOSECONDS; u++)
        if (strcmp(unit, hs_unit_name((hs_unit)u)) == 0) {
            run->unit = (hs_unit)u;
            return EXIT_OK;
        }
    return refuse(run, "'unit' is none of s, ms, us and ns");
}

static size_t count_of(const json_value *first)
{
    size_t count = 0;

    for (; first; first = first->next)
        count++;
    return count;
}

static int check_workers(const exec_earlier *run)
{
    for (const json_value *w = json_first_of(run->root, "workers"); w; w = w->next)
        if (!json_text_of(w, "name") || !is_count(json_number_of(w, "busy")))
            return refuse(run, "a worker lacks 'name' or 'busy'");
    return EXIT_OK;
}

static int by_name_and_type(const void *a, const void *b)
{
    const exec_earlier_kernel *x = a, *y = b;
    int                    order = strcmp(x->name, y->name);

    return order != 0 ? order : (int)x->type - (int)y->type;
}

static int read_kernels(exec_earlier *run)
{
    const json_value *first = json_first_of(run->root, "kernels");

    run->kernels = checked_calloc(count_of(first) + 1, sizeof *run->kernels);
    for (const json_value *k = first; k; k = k->next) {
        const char      *type = json_text_of(k, "type");
        exec_earlier_kernel *own = &run->kernels[run->kernel_count++];

        own->name = json_text_of(k, "name");
        own->type = type && strcmp(type, "gpu") == 0 ? HS_GPU : HS_CPU;
        own->count = json_number_of(k, "count");
        own->mean = json_number_of(json_member(k, "measured"), "mean");
        if (!type || !own->name || !is_count(own->count) || !is_count(own->mean))
            return refuse(run, "a kernel lacks 'name', 'type', 'count' or 'measured'");
    }
    qsort(run->kernels, run->kernel_count, sizeof *run->kernels, by_name_and_type);
    return EXIT_OK;
}

static int by_name(const void *a, const void *b)
{
    const exec_earlier_task *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Read the finished attempts; older reports and reports with very many tasks have none. */
static int read_tasks(exec_earlier *run)
{
    const json_value *first = json_first_of(run->root, "attempts");

    run->tasks = checked_calloc(count_of(first) + 1, sizeof *run->tasks);
    for (const json_value *a = first; a; a = a->next) {
        const char    *outcome = json_text_of(a, "outcome");
        exec_earlier_task *own = &run->tasks[run->task_count];

        own->name = json_text_of(a, "task");
        own->worker = json_text_of(a, "worker");
        own->time = json_number_of(a, "end") - json_number_of(a, "start");
        if (!own->name || !own->worker || !outcome || !isfinite(own->time))
            return refuse(run, "an attempt lacks 'task', 'worker', 'outcome', 'start' or 'end'");
        run->task_count += strcmp(outcome, "done") == 0;
    }
    qsort(run->tasks, run->task_count, sizeof *run->tasks, by_name);
    return EXIT_OK;
}

int exec_earlier_read(const char *path, exec_earlier *run)
{
    int code = parse(path, run);

    if (code)
        return code;
    run->root = json_root(run->tree);
    if (run->root->kind != JSON_OBJECT)
        return refuse(run, "the top value is not an object");
    code = check_members(run);
    if (!code)
        code = check_workers(run);
    if (!code)
        code = read_kernels(run);
    return code ? code : read_tasks(run);
}

void exec_earlier_free(exec_earlier *run)
{
    json_free(run->tree);
    free(run->kernels);
    free(run->tasks);
    *run = (exec_earlier){.tree = NULL};
}

const exec_earlier_kernel *exec_earlier_kernel_find(const exec_earlier *run, const char *name,
                                                    hs_type type)
{
    exec_earlier_kernel key = {.name = name, .type = type};

    return bsearch(&key, run->kernels, run->kernel_count, sizeof *run->kernels, by_name_and_type);
}

const exec_earlier_task *exec_earlier_task_find(const exec_earlier *run, const char *name)
{
    exec_earlier_task key = {.name = name};

    return bsearch(&key, run->tasks, run->task_count, sizeof *run->tasks, by_name);
}
