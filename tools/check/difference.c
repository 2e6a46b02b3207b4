/* SPDX-License-Identifier: BSD-3-Clause */
#include "check/difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Describe the difference of a task, or of the header if `task` is NULL. Return true. */
static bool differ(char *text, const char *task, const char *column, const char *plan,
                   const char *instance)
{
    snprintf(text, DIFFERENCE_SIZE, "%s%.100s%s%s is %.120s in the plan, %.120s in the instance",
             task ? "task " : "", task ? task : "", task ? ": " : "", column, plan, instance);
    return true;
}

static bool compare_numbers(char *text, const char *task, const char *column, double plan,
                            double instance)
{
    char a[32], b[32];

    if (plan == instance)
        return false;
    hs_format_double(plan, a);
    hs_format_double(instance, b);
    return differ(text, task, column, a, b);
}

static bool compare_strings(char *text, const char *task, const char *column, const char *plan,
                            const char *instance)
{
    char a[128], b[128];

    if (strcmp(plan ? plan : "", instance ? instance : "") == 0)
        return false;
    snprintf(a, sizeof a, "'%.110s'", plan ? plan : "");
    snprintf(b, sizeof b, "'%.110s'", instance ? instance : "");
    return differ(text, task, column, a, b);
}

/* Format a field of a task for a message; every type except text, whose length is unlimited. */
static void show(const hs_column *column, const void *field, char text[64])
{
    int64_t  integer = 0;
    uint32_t number = 0;
    double   time = 0;

    switch (column->type) {
    case HS_COLUMN_TIME:
    case HS_COLUMN_NUMBER:
        memcpy(&time, field, sizeof time);
        hs_format_double(time, text);
        break;
    case HS_COLUMN_INTEGER:
        memcpy(&integer, field, sizeof integer);
        snprintf(text, 64, "%lld", (long long)integer);
        break;
    case HS_COLUMN_WORD:
        memcpy(&number, field, sizeof number);
        snprintf(text, 64, "'%s'", column->words[number]);
        break;
    default:
        memcpy(&number, field, sizeof number);
        snprintf(text, 64, "%lu", (unsigned long)number);
    }
}

/* Compare a field of two tasks; different values have different text. */
static bool compare_fields(char *text, const char *task, const hs_column *column,
                           const hs_task *plan, const hs_task *instance)
{
    const void *a = (const char *)plan + column->offset;
    const void *b = (const char *)instance + column->offset;
    const char *string_a, *string_b;
    char        shown_a[64], shown_b[64];

    if (column->type == HS_COLUMN_TEXT) {
        memcpy(&string_a, a, sizeof string_a);
        memcpy(&string_b, b, sizeof string_b);
        return compare_strings(text, task, column->name, string_a, string_b);
    }
    show(column, a, shown_a);
    show(column, b, shown_b);
    return strcmp(shown_a, shown_b) != 0 &&
           differ(text, task, column->name, shown_a, shown_b);
}

/* Compare all columns except the id and the count, which make up the equal names. */
static bool compare_tasks(char *text, const char *task, const hs_task *plan,
                          const hs_task *instance)
{
    const hs_column *column;

    for (size_t i = 0; (column = hs_column_at(i)); i++)
        if (column->type != HS_COLUMN_LIST && column->offset != offsetof(hs_task, id) &&
            column->offset != offsetof(hs_task, count) &&
            compare_fields(text, task, column, plan, instance))
            return true;
    return false;
}

enum { ENTRY_SIZE = HS_MAX_ID + 128 }; /* size of the text of an entry, which has its whole name */

/* Write an entry of `after` as text. */
static void show_after(const hs_instance *in, size_t row, size_t index, char text[ENTRY_SIZE])
{
    char     name[HS_MAX_ID + 16], number[32];
    size_t   earlier;
    uint32_t copy;
    double   bytes;

    if (!hs_instance_predecessor(in, row, index, &earlier, &copy, &bytes)) {
        snprintf(text, ENTRY_SIZE, "nothing");
        return;
    }
    hs_instance_row_name(in, earlier, copy, name, sizeof name);
    hs_format_double(bytes, number);
    snprintf(text, ENTRY_SIZE, "'%s' with %s bytes", name, number);
}

/* Write the memory that has a handle at the start: "", " on host1" or " on gpu0". */
static void show_memory(const hs_instance *in, size_t data, char text[32])
{
    uint32_t memory = hs_instance_handle_memory_node(in, data);
    unsigned hosts = hs_instance_nodes(in) ? (unsigned)hs_instance_nodes(in) : 1;

    text[0] = '\0';
    if (memory >= hosts)
        snprintf(text, 32, " on gpu%lu", (unsigned long)(memory - hosts));
    else if (memory > 0)
        snprintf(text, 32, " on host%lu", (unsigned long)memory);
}

static void show_access(const hs_instance *in, size_t row, size_t index, char text[ENTRY_SIZE])
{
    static const char *const words[] = {"", "r", "w", "rw"};
    size_t                   data;
    hs_access_mode           mode;
    char                     number[32], memory[32];

    if (!hs_instance_access(in, row, index, &data, &mode)) {
        snprintf(text, ENTRY_SIZE, "nothing");
        return;
    }
    hs_format_double(hs_instance_handle_bytes(in, data), number);
    show_memory(in, data, memory);
    snprintf(text, ENTRY_SIZE, "%s of '%s' with %s bytes%s", words[mode],
             hs_instance_handle_name(in, data), number, memory);
}

/* Compare two lists entry by entry; different entries have different text. */
static bool compare_lists(char *text, const char *task, const char *column,
                          void (*show_entry)(const hs_instance *in, size_t row, size_t index,
                                             char text[ENTRY_SIZE]),
                          const hs_instance *plan, size_t row, const hs_instance *instance,
                          size_t other)
{
    char a[ENTRY_SIZE], b[ENTRY_SIZE];

    for (size_t i = 0;; i++) {
        show_entry(plan, row, i, a);
        show_entry(instance, other, i, b);
        if (strcmp(a, b) != 0)
            return differ(text, task, column, a, b);
        if (strcmp(a, "nothing") == 0)
            return false;
    }
}

static bool compare_graphs(char *text, const char *task, const hs_instance *plan, size_t row,
                           const hs_instance *instance, size_t other)
{
    if (!hs_instance_has_graph(plan) && !hs_instance_has_graph(instance))
        return false;
    return compare_lists(text, task, "after", show_after, plan, row, instance, other) ||
           compare_lists(text, task, "data", show_access, plan, row, instance, other);
}

static bool compare_links(char *text, const hs_instance *plan, const hs_instance *instance)
{
    static const char *const names[] = {"link h2d", "link d2h", "link d2d", "link n2n"};

    for (hs_link link = HS_H2D; link < HS_LINKS; link++) {
        double a[2] = {0, 0}, b[2] = {0, 0};

        (void)hs_instance_link(plan, link, &a[0], &a[1]);
        (void)hs_instance_link(instance, link, &b[0], &b[1]);
        if (compare_numbers(text, NULL, names[link], a[0], b[0]) ||
            compare_numbers(text, NULL, names[link], a[1], b[1]))
            return true;
    }
    return false;
}

static bool compare_nodes(char *text, const hs_instance *plan, const hs_instance *instance)
{
    for (size_t i = 0;; i++) {
        unsigned    cpus[2] = {0}, gpus[2] = {0};
        const char *a = hs_instance_node(plan, i, &cpus[0], &gpus[0]);
        const char *b = hs_instance_node(instance, i, &cpus[1], &gpus[1]);

        if (compare_strings(text, NULL, "node", a, b) ||
            compare_numbers(text, NULL, "CPUs of a node", cpus[0], cpus[1]) ||
            compare_numbers(text, NULL, "GPUs of a node", gpus[0], gpus[1]))
            return true;
        if (!a || !b)
            return false;
    }
}

static bool compare_headers(char *text, const hs_instance *plan, const hs_instance *instance)
{
    static const char *const units[] = {"s", "ms", "us", "ns"}; /* indexed by hs_unit */

    return compare_numbers(text, NULL, "cpus", hs_instance_cpus(plan),
                           hs_instance_cpus(instance)) ||
           compare_numbers(text, NULL, "gpus", hs_instance_gpus(plan),
                           hs_instance_gpus(instance)) ||
           compare_strings(text, NULL, "unit", units[hs_instance_unit(plan)],
                           units[hs_instance_unit(instance)]) ||
           compare_nodes(text, plan, instance) || compare_links(text, plan, instance);
}

/* Find every task of `tasks` in `others`, whose index is `index`, and compare the two. */
static bool compare_all(char *text, const hs_instance *tasks, const hs_instance *others,
                        const hs_name_index *index)
{
    char   name[HS_MAX_ID + 16];
    size_t count = hs_instance_tasks(tasks);

    for (size_t i = 0; i < count; i++) {
        size_t  length = hs_instance_name(tasks, i, name, sizeof name), other;
        hs_task a, b;

        if (!hs_name_index_find(index, name, length, &other)) {
            snprintf(text, DIFFERENCE_SIZE, "task %.120s is not in the instance", name);
            return true;
        }
        hs_instance_row(tasks, hs_instance_row_of(tasks, i), &a);
        hs_instance_row(others, hs_instance_row_of(others, other), &b);
        if (compare_tasks(text, name, &a, &b) ||
            compare_graphs(text, name, tasks, hs_instance_row_of(tasks, i), others,
                           hs_instance_row_of(others, other)))
            return true;
    }
    return false;
}

/* Find the first task of the instance that the plan lacks. */
static hs_status find_missing(char *text, const hs_instance *plan, const hs_instance *instance)
{
    char       name[HS_MAX_ID + 16];
    hs_name_index *index = NULL;
    hs_status      status = hs_name_index_create(plan, &index);
    size_t     count = hs_instance_tasks(instance), other;

    for (size_t i = 0; status == HS_OK && i < count; i++) {
        size_t length = hs_instance_name(instance, i, name, sizeof name);

        if (!hs_name_index_find(index, name, length, &other)) {
            snprintf(text, DIFFERENCE_SIZE, "task %.120s of the instance is not in the plan",
                     name);
            break;
        }
    }
    hs_name_index_free(index);
    return status;
}

hs_status find_difference(const hs_instance *plan, const hs_instance *instance,
                          char text[DIFFERENCE_SIZE])
{
    hs_name_index *index = NULL;
    hs_status status = HS_OK;

    text[0] = '\0';
    if (compare_headers(text, plan, instance))
        return HS_OK;
    status = hs_name_index_create(instance, &index);
    if (status == HS_OK && !compare_all(text, plan, instance, index) &&
        hs_instance_tasks(plan) < hs_instance_tasks(instance))
        status = find_missing(text, plan, instance);
    hs_name_index_free(index);
    return status;
}
