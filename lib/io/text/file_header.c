/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/file_header.h"

#include <string.h>

#include "io/text/field_value.h"
#include "support/sized.h"

#define QUOTED(field) hsi_quote((field)->at, (field)->length, (char[HSI_QUOTE]){0})

/* Limit on '#' lines, because looking up a line may take a walk over all lines. */
#define MOST_LINES 10000u

int hsi_unit_find(const struct hsi_field *field)
{
    for (int i = 0; hs_unit_name((hs_unit)i); i++)
        if (hsi_field_is(field, hs_unit_name((hs_unit)i)))
            return i;
    return -1;
}

void hs_read_settings_init_sized(hs_read_settings *settings, size_t size)
{
    memset(settings, 0, size);
    settings->struct_size = size;
}

hs_status hsi_read_settings_resolve(hs_read_settings *full, const hs_read_settings *settings)
{
    hs_read_settings_init(full);
    if (settings && !hsi_sized_copy_in(full, sizeof *full, settings))
        return HS_EINVAL;
    if ((full->has_cpus && full->cpus > HS_MAX_WORKERS) ||
        (full->has_gpus && full->gpus > HS_MAX_WORKERS) ||
        (full->has_cpus && full->has_gpus && full->cpus + full->gpus == 0))
        return HS_EINVAL;
    return HS_OK;
}

void hsi_header_init(struct hsi_header *header, const char *kind)
{
    memset(header, 0, sizeof *header);
    header->kind = kind;
    header->unit = HS_SECONDS;
}

static hs_status twice(struct hsi_csv *csv)
{
    return hsi_csv_fail(csv, &csv->fields[0], "a second '# %.*s' line; expected one",
                        (int)csv->fields[0].length, csv->fields[0].at);
}

static hs_status read_workers(struct hsi_csv *csv, const char *name, int *has, unsigned *workers)
{
    uint64_t  number;
    hs_status st;

    if (*has)
        return twice(csv);
    st = hsi_field_read_whole(csv, &csv->fields[1], name, 0, HS_MAX_WORKERS, &number);
    if (st != HS_OK)
        return st;
    *has = 1;
    *workers = (unsigned)number;
    return HS_OK;
}

static hs_status read_unit(struct hsi_header *header, struct hsi_csv *csv)
{
    int unit = hsi_unit_find(&csv->fields[1]);

    if (header->has_unit)
        return twice(csv);
    if (unit < 0)
        return hsi_csv_fail(csv, &csv->fields[1], "unit %s; expected s, ms, us or ns",
                            QUOTED(&csv->fields[1]));
    header->has_unit = 1;
    header->unit = (hs_unit)unit;
    return HS_OK;
}

/* Read the version line, e.g. "instance 1". */
static hs_status read_version(struct hsi_header *header, struct hsi_csv *csv)
{
    const struct hsi_field *value = &csv->fields[1];
    size_t                  kind = strlen(header->kind), word = 0;

    if (header->has_version)
        return twice(csv);
    header->has_version = 1;
    while (word < value->length && value->at[word] != ' ' && value->at[word] != '\t')
        word++;
    if (word != kind || memcmp(value->at, header->kind, kind) != 0) {
        hsi_csv_fail(csv, value, "this file is a hybridsched %s; expected '%s 1'", QUOTED(value),
                     header->kind);
        return hsi_csv_fail_wrong_kind(csv);
    }
    if (value->length != kind + 2 || memcmp(value->at + kind + 1, "1", 1) != 0)
        return hsi_csv_fail(csv, value, "%s is a version this program does not know; expected "
                            "'%s 1'", QUOTED(value), header->kind);
    return HS_OK;
}

/* Return whether the key is `word`, with or without a colon at its end. */
static bool key_is(const struct hsi_field *key, const char *word)
{
    struct hsi_field bare = *key;

    bare.length -= bare.length > 0 && bare.at[bare.length - 1] == ':';
    return hsi_field_is(&bare, word);
}

hs_status hsi_header_next_line(struct hsi_header *header, struct hsi_csv *csv, int *found)
{
    const struct hsi_field *key;
    hs_status               st;

    for (;;) {
        st = hsi_csv_next_comment(csv, found);
        if (st != HS_OK || !*found)
            return st;
        key = &csv->fields[0];
        if (++header->lines > MOST_LINES)
            return hsi_csv_fail(csv, key, "too many '#' lines; expected at most %u",
                                MOST_LINES);
        if (key_is(key, "cpus"))
            st = read_workers(csv, "cpus", &header->has_cpus, &header->cpus);
        else if (key_is(key, "gpus"))
            st = read_workers(csv, "gpus", &header->has_gpus, &header->gpus);
        else if (key_is(key, "unit"))
            st = read_unit(header, csv);
        else if (hsi_field_is(key, "hybridsched"))
            st = read_version(header, csv);
        else
            return HS_OK;
        if (st != HS_OK)
            return st;
    }
}

static hs_status missing(struct hsi_csv *csv, const char *key, const char *workers)
{
    return hsi_csv_fail_at(csv, csv->line, 1,
                           "no '# %s' line above the header; expected '# %s N', N a whole number "
                           "from 0 to %u, or the number of %s given separately (an option of the "
                           "tool, or hs_read_settings)",
                           key, key, HS_MAX_WORKERS, workers);
}

static unsigned fill_in(const hs_read_settings *settings, hs_type type)
{
    unsigned number = settings->missing_workers(settings->missing_data, type);

    return number < HS_MAX_WORKERS ? number : HS_MAX_WORKERS;
}

hs_status hsi_header_resolve_workers(struct hsi_header *header, struct hsi_csv *csv,
                                     const hs_read_settings *settings)
{
    bool fills_in = settings->missing_workers != NULL;

    if (settings->has_cpus)
        header->cpus = settings->cpus;
    else if (!header->has_cpus && !fills_in)
        return missing(csv, "cpus", "CPUs");
    else if (!header->has_cpus)
        header->cpus = fill_in(settings, HS_CPU);
    if (settings->has_gpus)
        header->gpus = settings->gpus;
    else if (!header->has_gpus && !fills_in)
        return missing(csv, "gpus", "GPUs");
    else if (!header->has_gpus)
        header->gpus = fill_in(settings, HS_GPU);
    if (header->cpus + header->gpus == 0)
        return hsi_csv_fail_at(csv, csv->line, 1, "no worker: 0 CPUs and 0 GPUs; expected one at "
                               "least");
    return HS_OK;
}
