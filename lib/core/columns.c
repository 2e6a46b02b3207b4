/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/columns.h"

#include "support/sized.h"

static const char *const yes_no[] = {
    [HS_RESTART_DEFAULT] = "", [HS_RESTART_YES] = "yes", [HS_RESTART_NO] = "no", NULL,
};

static const char *const guess_words[] = {
    [HS_GUESS_NONE] = "", [HS_GUESS_CPU] = "cpu", [HS_GUESS_GPU] = "gpu", [HS_GUESS_BOTH] = "both",
    NULL,
};

#define OFFSET_TIME(field)    offsetof(hs_task, field)
#define OFFSET_NUMBER(field)  offsetof(hs_task, field)
#define OFFSET_INTEGER(field) offsetof(hs_task, field)
#define OFFSET_COUNT(field)   offsetof(hs_task, field)
#define OFFSET_WORD(field)    offsetof(hs_task, field)
#define OFFSET_TEXT(field)    offsetof(hs_task, field)
#define OFFSET_LIST(field)    0

const hsi_column hsi_columns[HSI_COLUMNS] = {
#define X(name, field, type, digest, words) \
    {{#field, HS_COLUMN_##type, OFFSET_##type(field), words}, HSI_DIGEST_##digest},
    HSI_COLUMN_MAP(X)
#undef X
};

_Static_assert(HSI_COLUMNS <= 32, "hsi_row has a bit for each");

const hs_column *hs_column_at(size_t index)
{
    return index < HSI_COLUMNS ? &hsi_columns[index].is : NULL;
}

void hsi_task_set_column(hs_task *task, int column, const hsi_value *value)
{
    void       *field = (char *)task + hsi_columns[column].is.offset;
    uint32_t    small = (uint32_t)value->integer;
    const char *text = value->text.length ? value->text.at : NULL;

    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
    case HS_COLUMN_NUMBER:
        memcpy(field, &value->time, sizeof value->time);
        break;
    case HS_COLUMN_INTEGER:
        memcpy(field, &value->integer, sizeof value->integer);
        break;
    case HS_COLUMN_COUNT:
    case HS_COLUMN_WORD:
        memcpy(field, &small, sizeof small);
        break;
    case HS_COLUMN_TEXT:
        memcpy(field, &text, sizeof text);
        break;
    case HS_COLUMN_LIST:
        break;
    }
}

static bool is_word(const char *const *words, uint32_t number)
{
    for (; *words && number > 0; number--)
        words++;
    return *words != NULL;
}

/*
 * Read a field of a task; returns false for an invalid value. In optional columns 0, as in a
 * cleared struct, means the default.
 */
static bool get_cell(const hs_task *task, int column, hsi_value *value)
{
    const hs_column *is = &hsi_columns[column].is;
    const void      *field = (const char *)task + is->offset;
    uint32_t         small;

    switch (is->type) {
    case HS_COLUMN_TIME:
        memcpy(&value->time, field, sizeof value->time);
        if (value->time == 0 && column >= HSI_REQUIRED)
            *value = hsi_column_default(column);
        return true;
    case HS_COLUMN_NUMBER:
        memcpy(&value->time, field, sizeof value->time);
        return value->time >= 0 && value->time < INFINITY;
    case HS_COLUMN_INTEGER:
        memcpy(&value->integer, field, sizeof value->integer);
        return true;
    case HS_COLUMN_TEXT:
        memcpy(&value->text.at, field, sizeof value->text.at);
        value->text.length = value->text.at ? strlen(value->text.at) : 0;
        return true;
    case HS_COLUMN_LIST:
        *value = hsi_column_default(column);
        return true;
    default:
        memcpy(&small, field, sizeof small);
        value->integer = small == 0 && is->type == HS_COLUMN_COUNT ? 1 : small;
        return is->type == HS_COLUMN_COUNT || is_word(is->words, small);
    }
}

static bool has_text(const hsi_row *row, int column)
{
    return row->given & HSI_BIT(column) && row->value[column].text.length > 0;
}

int hsi_row_column_without_command(const hsi_row *row)
{
    bool on_cpu = has_text(row, HSI_CPU_COMMAND), on_gpu = has_text(row, HSI_GPU_COMMAND);

    if (on_cpu == on_gpu || has_text(row, HSI_KERNEL))
        return -1;
    if (!on_cpu)
        return row->value[HSI_CPU].time != INFINITY ? HSI_CPU : -1;
    return row->value[HSI_GPU].time != INFINITY ? HSI_GPU : -1;
}

#define INITIAL_TIME(field)    .field = INFINITY,
#define INITIAL_NUMBER(field)  .field = 0,
#define INITIAL_COUNT(field)   .field = 1,
#define INITIAL_INTEGER(field) .field = 0,
#define INITIAL_WORD(field)    .field = 0,
#define INITIAL_TEXT(field)    .field = NULL,
#define INITIAL_LIST(field)

const hs_task hsi_task_defaults = {
#define X(name, field, type, digest, words) INITIAL_##type(field)
    HSI_COLUMN_MAP(X)
#undef X
};

void hs_task_init_sized(hs_task *task, size_t size)
{
    hsi_sized_init(task, size, &hsi_task_defaults, sizeof hsi_task_defaults);
}

hs_status hsi_task_to_row(const hs_task *given, hsi_row *row)
{
    hs_task full;

    hs_task_init(&full);
    if (!hsi_sized_copy_in(&full, sizeof full, given))
        return HS_EINVAL;
    for (int c = 0; c < HSI_COLUMNS; c++)
        if (!get_cell(&full, c, &row->value[c]))
            return HS_EINVAL;
    row->given = HSI_BIT(HSI_COLUMNS - 1) * 2 - 1;
    return HS_OK;
}
