/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the JSON report of an earlier run, which --compare names. */
#include "exec/old.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"

static const char remedy[] = "give a file that hsched-exec --report=FILE.json wrote";

/* Read a whole file into a NUL-terminated string; NULL with errno on failure. */
static char *read_all(int fd, size_t *length)
{
    size_t  room = 1 << 16;
    char   *text = malloc(room), *more;
    ssize_t got = 1;

    for (*length = 0; text && got > 0;) {
        if (*length + 1 == room) {
            more = realloc(text, room *= 2);
            if (!more)
                break;
            text = more;
        }
        got = read(fd, text + *length, room - 1 - *length);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            *length += (size_t)got;
    }
    if (text && got == 0) {
        text[*length] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static int parse(const char *path, exec_old *old)
{
    hs_error      error = {0};
    size_t        length;
    char         *text;
    input         in;
    int           code = input_open(path, &in);

    if (code)
        return code;
    text = read_all(in.fd, &length);
    if (!text)
        code = input_status(&in, errno == ENOMEM ? HS_ENOMEM : HS_EIO, &error);
    else if (!(old->tree = json_parse(text, length, &error))) {
        message_plain("%s:%llu:%llu: not JSON: %s; %s", in.name, (unsigned long long)error.line,
                      (unsigned long long)error.column, error.why, remedy);
        code = EXIT_USAGE;
    }
    old->path = in.name;
    input_close(&in);
    return code;
}

static int refuse(const exec_old *old, const char *what)
{
    message_plain("%s: not a report of hsched-exec: %s; %s", old->path, what, remedy);
    return EXIT_USAGE;
}

static int is_count(double number)
{
    return isfinite(number) && number >= 0;
}

/* Check the members needed for a comparison, except the elements of arrays. */
static int check_members(exec_old *old)
{
    static const char *const numbers[] = {"cpus",
                                          "gpus",
                                          "tasks",
                                          "done",
                                          "resumed",
                                          "failed",
                                          "aborted",
                                          "achieved_makespan",
                                          "predicted_makespan"};
    static const char *const arrays[] = {"workers", "kernels"};
    const char              *unit = json_text_of(old->root, "unit");
    char                     what[64];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!is_count(json_number_of(old->root, numbers[i]))) {
            snprintf(what, sizeof what, "'%s' is no number", numbers[i]);
            return refuse(old, what);
        }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const json_value *array = json_member(old->root, arrays[i]);

        if (!array || array->kind != JSON_ARRAY) {
            snprintf(what, sizeof what, "'%s' is no array", arrays[i]);
            return refuse(old, what);
        }
    }
    for (int u = HS_SECONDS; unit && u <= HS_NANOSECONDS; u++)
        if (strcmp(unit, hs_unit_name((hs_unit)u)) == 0) {
            old->unit = (hs_unit)u;
            return EXIT_OK;
        }
    return refuse(old, "'unit' is none of s, ms, us and ns");
}

static size_t count_of(const json_value *first)
{
    size_t count = 0;

    for (; first; first = first->next)
        count++;
    return count;
}

static int check_workers(const exec_old *old)
{
    for (const json_value *w = json_first_of(old->root, "workers"); w; w = w->next)
        if (!json_text_of(w, "name") || !is_count(json_number_of(w, "busy")))
            return refuse(old, "a worker without 'name' and 'busy'");
    return EXIT_OK;
}

static int by_name_and_type(const void *a, const void *b)
{
    const exec_old_kernel *x = a, *y = b;
    int                    order = strcmp(x->name, y->name);

    return order != 0 ? order : (int)x->type - (int)y->type;
}

static int read_kernels(exec_old *old)
{
    const json_value *first = json_first_of(old->root, "kernels");

    old->kernels = checked_calloc(count_of(first) + 1, sizeof *old->kernels);
    for (const json_value *k = first; k; k = k->next) {
        const char      *type = json_text_of(k, "type");
        exec_old_kernel *own = &old->kernels[old->kernel_count++];

        own->name = json_text_of(k, "name");
        own->type = type && strcmp(type, "gpu") == 0 ? HS_GPU : HS_CPU;
        own->count = json_number_of(k, "count");
        own->mean = json_number_of(json_member(k, "measured"), "mean");
        if (!type || !own->name || !is_count(own->count) || !is_count(own->mean))
            return refuse(old, "a kernel without 'name', 'type', 'count' and 'measured'");
    }
    qsort(old->kernels, old->kernel_count, sizeof *old->kernels, by_name_and_type);
    return EXIT_OK;
}

static int by_name(const void *a, const void *b)
{
    const exec_old_task *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Read the finished attempts; older reports and reports with very many tasks have none. */
static int read_tasks(exec_old *old)
{
    const json_value *first = json_first_of(old->root, "attempts");

    old->tasks = checked_calloc(count_of(first) + 1, sizeof *old->tasks);
    for (const json_value *a = first; a; a = a->next) {
        const char    *outcome = json_text_of(a, "outcome");
        exec_old_task *own = &old->tasks[old->task_count];

        own->name = json_text_of(a, "task");
        own->worker = json_text_of(a, "worker");
        own->time = json_number_of(a, "end") - json_number_of(a, "start");
        if (!own->name || !own->worker || !outcome || !isfinite(own->time))
            return refuse(old, "an attempt without 'task', 'worker', 'outcome', 'start' and 'end'");
        old->task_count += strcmp(outcome, "done") == 0;
    }
    qsort(old->tasks, old->task_count, sizeof *old->tasks, by_name);
    return EXIT_OK;
}

int exec_old_read(const char *path, exec_old *old)
{
    int code = parse(path, old);

    if (code)
        return code;
    old->root = json_root(old->tree);
    if (old->root->kind != JSON_OBJECT)
        return refuse(old, "it is no object");
    code = check_members(old);
    if (!code)
        code = check_workers(old);
    if (!code)
        code = read_kernels(old);
    return code ? code : read_tasks(old);
}

void exec_old_free(exec_old *old)
{
    json_free(old->tree);
    free(old->kernels);
    free(old->tasks);
    *old = (exec_old){.tree = NULL};
}

const exec_old_kernel *exec_old_kernel_find(const exec_old *old, const char *name, hs_type type)
{
    exec_old_kernel key = {.name = name, .type = type};

    return bsearch(&key, old->kernels, old->kernel_count, sizeof *old->kernels, by_name_and_type);
}

const exec_old_task *exec_old_task_find(const exec_old *old, const char *name)
{
    exec_old_task key = {.name = name};

    return bsearch(&key, old->tasks, old->task_count, sizeof *old->tasks, by_name);
}
