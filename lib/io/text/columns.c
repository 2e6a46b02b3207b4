/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/field.h"

#define QUOTED(field) hsi_csv_quote((field)->at, (field)->length, (char[HSI_QUOTE]){0})

static hsi_text text_of(const struct hsi_csv *csv, int column)
{
    if (column < 0)
        return (hsi_text){NULL, 0};
    return (hsi_text){csv->fields[column].at, csv->fields[column].length};
}

static hs_status read_restartable(struct hsi_csv *csv, const struct hsi_field *field,
                                  hs_restartable *value)
{
    if (field->length == 0)
        *value = HS_RESTART_DEFAULT;
    else if (hsi_field_is(field, "yes"))
        *value = HS_RESTART_YES;
    else if (hsi_field_is(field, "no"))
        *value = HS_RESTART_NO;
    else
        return hsi_csv_fail(csv, field, "restartable %s; expected yes, no or nothing",
                            QUOTED(field));
    return HS_OK;
}

static hs_status no_worker(struct hsi_csv *csv, const struct hsi_field *cpu,
                           const struct hsi_field *gpu, const hsi_row *row)
{
    if (row->gpu < INFINITY)
        return hsi_csv_fail(csv, cpu, "the task runs on GPUs only and there is none; expected a "
                            "finite cpu time");
    if (row->cpu < INFINITY)
        return hsi_csv_fail(csv, gpu, "the task runs on CPUs only and there is none; expected a "
                            "finite gpu time");
    return hsi_csv_fail(csv, cpu, "the task has no implementation at all; expected a finite cpu "
                        "or gpu time");
}

static hs_status read_times(struct hsi_csv *csv, const int *column, unsigned cpus, unsigned gpus,
                            hsi_row *row)
{
    const struct hsi_field *cpu = &csv->fields[column[HSI_CPU]];
    const struct hsi_field *gpu = &csv->fields[column[HSI_GPU]];
    hs_status               st;

    st = hsi_field_time(csv, cpu, "cpu", &row->cpu);
    if (st != HS_OK)
        return st;
    st = hsi_field_time(csv, gpu, "gpu", &row->gpu);
    if (st != HS_OK)
        return st;
    if ((cpus > 0 && row->cpu < INFINITY) || (gpus > 0 && row->gpu < INFINITY))
        return HS_OK;
    return no_worker(csv, cpu, gpu, row);
}

hs_status hsi_columns_read(struct hsi_csv *csv, const int column[HSI_COLUMNS], unsigned cpus,
                           unsigned gpus, hsi_row *row)
{
    const struct hsi_field *fields = csv->fields;
    hs_status               st = read_times(csv, column, cpus, gpus, row);

    row->priority = 0;
    row->restartable = HS_RESTART_DEFAULT;
    if (st == HS_OK && column[HSI_PRIORITY] >= 0 && fields[column[HSI_PRIORITY]].length > 0)
        st = hsi_field_signed(csv, &fields[column[HSI_PRIORITY]], "priority", &row->priority);
    if (st == HS_OK && column[HSI_RESTARTABLE] >= 0)
        st = read_restartable(csv, &fields[column[HSI_RESTARTABLE]], &row->restartable);
    row->kernel = text_of(csv, column[HSI_KERNEL]);
    row->cpu_command = text_of(csv, column[HSI_CPU_COMMAND]);
    row->gpu_command = text_of(csv, column[HSI_GPU_COMMAND]);
    return st;
}

hs_status hsi_columns_id(struct hsi_csv *csv, const struct hsi_field *field, size_t most,
                         hsi_text *id)
{
    if (field->length > most)
        return hsi_csv_fail(csv, field, "an id of %zu bytes; expected at most %zu", field->length,
                            most);
    *id = (hsi_text){field->at, field->length};
    return HS_OK;
}

unsigned char *hsi_columns_kinds(const int *column, int columns, size_t width)
{
    unsigned char *kind = malloc(width);

    if (!kind)
        return NULL;
    memset(kind, columns, width);
    for (int c = 0; c < columns; c++)
        if (column[c] >= 0)
            kind[column[c]] = (unsigned char)c;
    return kind;
}
