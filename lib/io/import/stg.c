/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import of standard task graphs (Kasahara Laboratory): the number of tasks n, then for each of the
 * tasks 0 to n + 1 its number, its time, the number of its predecessors and their list. The first
 * and the last task only mark the begin and the end, and take no time. '#' begins a comment.
 */
#include <stdio.h>

#include "core/error.h"
#include "io/import/import.h"
#include "io/text/field_value.h"

typedef struct stg {
    hsi_import  r;
    const char *at;    /* next byte to read */
    hsi_text    token; /* token last read */
    uint64_t    tasks; /* number of tasks besides the first and the last */
} stg;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Read the next token; empty at the end. */
static void next_token(stg *s)
{
    const char *end = s->r.text.end;

    for (;;) {
        while (s->at < end && is_blank(*s->at))
            s->at++;
        if (s->at == end || *s->at != '#')
            break;
        while (s->at < end && *s->at != '\n')
            s->at++;
    }
    s->token.at = s->at;
    while (s->at < end && !is_blank(*s->at) && *s->at != '#')
        s->at++;
    s->token.length = (size_t)(s->at - s->token.at);
}

static hs_status refuse(stg *s, const char *what, const char *expected)
{
    char shown[HSI_SHOWN];

    if (s->token.length == 0)
        return hsi_import_fail(&s->r.text, s->token.at,
                               "the file ends where %s should be; "
                               "expected %s",
                               what, expected);
    return hsi_import_fail(&s->r.text, s->token.at, "%s %s; expected %s", what,
                           hsi_import_quote(s->token, shown), expected);
}

static hs_status read_whole(stg *s, const char *what, uint64_t most, uint64_t *value)
{
    char expected[64];

    next_token(s);
    if (hsi_text_to_whole(s->token.at, s->token.length, value) && *value <= most)
        return HS_OK;
    snprintf(expected, sizeof expected, "a whole number up to %llu", (unsigned long long)most);
    return refuse(s, what, expected);
}

static hs_status read_time(stg *s, uint64_t task, double *time)
{
    next_token(s);
    if (!hsi_text_to_number(s->token.at, s->token.length, time) || *time < 0)
        return refuse(s, "time", "a number of at least 0");
    if (task >= 1 && task <= s->tasks)
        return hsi_import_check_time(&s->r, s->token.at, "the time", time);
    return *time == 0 ? HS_OK : refuse(s, "time", "0, which the first and the last task take");
}

static hs_status add_task(stg *s, hsi_text id, double time)
{
    hs_task   task;
    size_t    number;
    hs_status st;

    hs_task_init(&task);
    task.cpu = time;
    st = hsi_import_gpu_time(&s->r, id.at, id, time, &task.gpu);
    if (st == HS_OK)
        st = hsi_words_find_or_add(&s->r.tasks, id, &number);
    return st == HS_OK ? hsi_import_add_task(&s->r, id.at, id, &task) : st;
}

/*
 * Read the predecessors of a task. Edges from the first task and to the last carry no information.
 */
static hs_status read_before(stg *s, uint64_t task)
{
    uint64_t  count, before;
    hs_status st = read_whole(s, "number of predecessors", s->tasks + 1, &count);

    while (st == HS_OK && count-- > 0) {
        st = read_whole(s, "predecessor", s->tasks + 1, &before);
        if (st == HS_OK && (task == 0 || before == s->tasks + 1))
            return refuse(s, "predecessor", "none before the first task, nor the last before any");
        if (st == HS_OK && task <= s->tasks && before > 0)
            st = hsi_import_add_edge(&s->r, s->token.at, task - 1, before - 1, 0);
    }
    return st;
}

static hs_status read_line(stg *s, uint64_t task)
{
    hsi_text  id;
    uint64_t  number;
    double    time;
    hs_status st = read_whole(s, "task", s->tasks + 1, &number);

    if (st == HS_OK && number != task)
        return refuse(s, "task", "the tasks in order, from 0");
    id = s->token;
    if (st == HS_OK)
        st = read_time(s, task, &time);
    if (st == HS_OK && task >= 1 && task <= s->tasks)
        st = add_task(s, id, time);
    return st == HS_OK ? read_before(s, task) : st;
}

static hs_status read_file(stg *s, hs_instance **out)
{
    hs_status st = read_whole(s, "number of tasks", HS_MAX_TASKS - 2, &s->tasks);

    for (uint64_t i = 0; i < s->tasks + 2 && st == HS_OK; i++)
        st = read_line(s, i);
    if (st != HS_OK)
        return st;
    next_token(s);
    if (s->token.length > 0)
        return refuse(s, "text", "nothing behind the last task but remarks");
    st = hs_builder_set_unit(s->r.builder, s->r.settings.unit);
    return st == HS_OK ? hsi_import_finish(&s->r, "STG", out) : st;
}

hs_status hs_import_stg(int fd, const hs_import_settings *settings, hs_instance **out,
                        hs_error *error)
{
    stg           s;
    hs_status     st;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_import_open(&s.r, fd, settings);
    s.at = s.r.text.at;
    if (st == HS_OK)
        st = read_file(&s, out);
    return hsi_import_close(&s.r, st, error);
}
