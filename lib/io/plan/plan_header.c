/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/plan/plan_header.h"

#include <math.h>

#include "io/text/field_value.h"

#define QUOTED(text) hsi_quote((text), strlen(text), (char[HSI_QUOTE]){0})

struct line {
    uint64_t number, column; /* position of the value in the file */
    size_t   key, value;     /* offsets in `text` of NUL-terminated strings */
};

static bool append_text(hsi_vector *v, const struct hsi_field *field)
{
    return hsi_vector_append(v, field->at, field->length) || hsi_vector_append(v, "", 1);
}

hs_status hsi_plan_header_add(struct hsi_plan_header *header, struct hsi_csv *csv)
{
    struct line line;

    hsi_csv_position(csv, &csv->fields[1], &line.number, &line.column);
    line.key = header->text.size;
    line.value = line.key + csv->fields[0].length + 1;
    if (append_text(&header->text, &csv->fields[0]) ||
        append_text(&header->text, &csv->fields[1]) ||
        hsi_vector_append(&header->lines, &line, sizeof line))
        return hsi_csv_fail_status(csv, HS_ENOMEM);
    return HS_OK;
}

void hsi_plan_header_close(struct hsi_plan_header *header)
{
    hsi_vector_free(&header->lines);
    hsi_vector_free(&header->text);
}

/* The parser of a plan's '#' lines: the line to read, and the values found. */
struct own {
    struct hsi_csv    *csv;
    const struct line *line;
    const char        *key, *value;
    hs_plan_info      *info;
};

static hs_status refuse(const struct own *own, const char *expected)
{
    return hsi_csv_fail_at(own->csv, own->line->number, own->line->column,
                           "%s %s; expected %s", own->key, QUOTED(own->value), expected);
}

static hs_status refuse_second(const struct own *own)
{
    return hsi_csv_fail_at(own->csv, own->line->number, 1,
                           "a second '# %s' line of the plan; expected one", own->key);
}

static hs_status own_algorithm(const struct own *own)
{
    if (strlen(own->value) >= sizeof own->info->algorithm)
        return refuse(own, "a name of at most 63 bytes");
    memcpy(own->info->algorithm, own->value, strlen(own->value) + 1);
    return HS_OK;
}

static hs_status own_seed(const struct own *own)
{
    if (own->info->has_seed)
        return refuse_second(own);
    if (!hsi_text_to_whole(own->value, strlen(own->value), &own->info->seed))
        return refuse(own, "a whole number of 64 bits");
    own->info->has_seed = 1;
    return HS_OK;
}

static hs_status own_makespan(const struct own *own)
{
    double makespan;

    if (!isnan(own->info->makespan))
        return refuse_second(own);
    if (!hsi_text_to_number(own->value, strlen(own->value), &makespan) || makespan < 0)
        return refuse(own, "a finite number that is not negative");
    own->info->makespan = makespan;
    return HS_OK;
}

static hs_status own_bound(const struct own *own)
{
    static const char expected[] = "a name of at most 31 bytes and a finite number";
    hs_plan_info     *info = own->info;
    size_t            most = sizeof info->bounds / sizeof info->bounds[0];
    size_t            name = strcspn(own->value, " \t");
    const char       *number = own->value + name + strspn(own->value + name, " \t");
    hs_named_bound   *bound = &info->bounds[info->bound_count];

    if (info->bound_count == most)
        return refuse(own, "at most 16 bounds");
    if (name == 0 || name >= sizeof bound->name ||
        !hsi_text_to_number(number, strlen(number), &bound->value))
        return refuse(own, expected);
    memcpy(bound->name, own->value, name);
    bound->name[name] = '\0';
    info->bound_count++;
    return HS_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static hs_status read_digest(const struct own *own, uint64_t *out, int *has)
{
    uint64_t digest = 0;

    if (*has)
        return refuse_second(own);
    for (const char *at = own->value; *at; at++) {
        if (hex_digit(*at) < 0)
            return refuse(own, "16 digits 0-9, a-f");
        digest = digest << 4 | (uint64_t)hex_digit(*at);
    }
    if (strlen(own->value) != 16)
        return refuse(own, "16 digits 0-9, a-f");
    *out = digest;
    *has = 1;
    return HS_OK;
}

static hs_status own_digest(const struct own *own)
{
    return read_digest(own, &own->info->digest, &own->info->has_digest);
}

static hs_status own_plan_digest(const struct own *own)
{
    return read_digest(own, &own->info->plan_digest, &own->info->has_plan_digest);
}

static const struct own_key {
    const char *key;
    hs_status (*read)(const struct own *own);
} own_keys[] = {
    {"algorithm", own_algorithm},
    {"seed", own_seed},
    {"makespan", own_makespan},
    {"bound", own_bound},
    {"instance-digest", own_digest},
    {"plan-digest", own_plan_digest},
};

static const struct own_key *find_own(const char *key)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++)
        if (strcmp(key, own_keys[i].key) == 0)
            return &own_keys[i];
    return NULL;
}

/* Return the index of the last `# algorithm` line, where the plan's own lines begin. */
static size_t own_start(const struct line *line, size_t count, const char *text)
{
    for (size_t i = count; i > 0; i--)
        if (strcmp(text + line[i - 1].key, "algorithm") == 0)
            return i - 1;
    return 0;
}

hs_status hsi_plan_header_finish(const struct hsi_plan_header *header, struct hsi_csv *csv,
                                 hs_builder *builder, hs_plan_info *info)
{
    const struct line *line = header->lines.data;
    const char        *text = header->text.data;
    size_t             count = header->lines.size / sizeof *line;
    size_t             start = own_start(line, count, text);
    hs_status          st = HS_OK;

    for (size_t i = 0; i < count && st == HS_OK; i++) {
        struct own            own = {csv, &line[i], text + line[i].key, text + line[i].value, info};
        const struct own_key *known = i >= start ? find_own(own.key) : NULL;

        if (known)
            st = known->read(&own);
        else
            st = hsi_csv_fail_status(
                csv, hsi_builder_add_note(builder, (hsi_text){own.key, strlen(own.key)},
                                          (hsi_text){own.value, strlen(own.value)}));
    }
    return st;
}
