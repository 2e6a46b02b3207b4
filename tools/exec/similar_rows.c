/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-exec --measured: times for rows without attempts, from rows of the same kernel or program.
 */
#include "exec/similar_rows.h"

#include <stdlib.h>
#include <string.h>

#include "exec/shell_program.h"

/* A row and the text compared with other rows: its kernel, or the name of its program. */
typedef struct trait {
    const char *text;
    size_t      length, row;
} trait;

/* Order by text, then by row, so that sums over equal texts have a fixed order. */
static int by_text(const void *a, const void *b)
{
    const trait *x = a, *y = b;
    int          order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);

    if (order == 0 && x->length != y->length)
        return x->length < y->length ? -1 : 1;
    if (order == 0)
        return x->row < y->row ? -1 : x->row > y->row;
    return order;
}

static bool is_same(const trait *x, const trait *y)
{
    return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

/* Return the length of a row's text and set *text; 0: the row has none. */
typedef size_t trait_of(const hs_task *row, hs_type type, const char **text);

static size_t kernel_of(const hs_task *row, hs_type type, const char **text)
{
    (void)type;
    *text = row->kernel;
    return row->kernel ? strlen(row->kernel) : 0;
}

static size_t program_of(const hs_task *row, hs_type type, const char **text)
{
    const char *command = type == HS_GPU ? row->gpu_command : row->cpu_command;

    return command && kernel_of(row, type, text) == 0 ? program_find(command, text) : 0;
}

static size_t list_traits(const hs_instance *in, trait_of *of, hs_type type, trait *list)
{
    size_t count = 0;

    for (size_t i = 0; i < hs_instance_rows(in); i++) {
        hs_task task;
        trait  *next = &list[count];

        hs_task_init(&task);
        hs_instance_row(in, i, &task);
        *next = (trait){.row = i};
        next->length = of(&task, type, &next->text);
        count += next->length > 0;
    }
    return count;
}

/* Set `alike` of rows without attempts on the type to the mean over all rows of equal text. */
static void lend(const trait *same, size_t count, hs_type type, double least_error, row_times *rows)
{
    double sum = 0, error = 0;
    size_t attempts = 0;

    for (size_t i = 0; i < count; i++) {
        const row_times *row = &rows[same[i].row];

        if (row->emulated[type] > 0)
            continue;
        sum += row->sum[type];
        error += row->error[type];
        attempts += row->count[type];
    }
    if (attempts == 0 || error < least_error * sum)
        return;
    for (size_t i = 0; i < count; i++) {
        row_times *row = &rows[same[i].row];

        if (row->count[type] == 0)
            row->alike[type] = sum / (double)attempts;
    }
}

static void lend_all(const hs_instance *in, trait_of *of, hs_type type, double least_error,
                     trait *list, row_times *rows)
{
    size_t count = list_traits(in, of, type, list), next;

    qsort(list, count, sizeof *list, by_text);
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && is_same(&list[i], &list[next]);)
            next++;
        lend(&list[i], next - i, type, least_error, rows);
    }
}

hs_status rows_alike(const hs_instance *in, row_times *rows)
{
    trait *list = calloc(hs_instance_rows(in) + 1, sizeof *list);

    if (!list)
        return HS_ENOMEM;
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        lend_all(in, kernel_of, (hs_type)type, 0, list, rows);
        lend_all(in, program_of, (hs_type)type, 0.25, list, rows);
    }
    free(list);
    return HS_OK;
}
