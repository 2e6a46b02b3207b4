/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the header of a table, and explaining a text without a header. */
#include <stdio.h>
#include <string.h>

#include "io/text/csv_window.h"
#include "support/decimal/decimal.h"

/* The expected columns of a table. */
struct expected {
    size_t             count;
    const char *const *names;
    char               list[256]; /* names separated by commas, for messages */
};

static void list_names(struct expected *e)
{
    size_t used = 0;

    e->list[0] = '\0';
    for (size_t i = 0; i < e->count && used < sizeof e->list; i++)
        used += (size_t)snprintf(e->list + used, sizeof e->list - used, "%s%s", i ? ", " : "",
                                 e->names[i]);
}

static size_t find_name(const struct hsi_field *field, const struct expected *e)
{
    size_t i = 0;

    while (i < e->count && !hsi_field_is(field, e->names[i]))
        i++;
    return i;
}

/* Find the column that other programs call by a name near the field; e->count: none. */
static size_t find_synonym(const struct hsi_field *field, const struct expected *e)
{
    static const char *const synonyms[][2] = {
        {"command", "cpu_command"}, {"cmd", "cpu_command"}, {"name", "id"}, {"task", "id"}};
    struct hsi_field column;

    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (hs_name_distance(field->at, field->length, synonyms[i][0]) != HS_NOT_NEAR) {
            column = (struct hsi_field){.at = synonyms[i][1], .length = strlen(synonyms[i][1])};
            return find_name(&column, e);
        }
    return e->count;
}

/* Return the expected name nearest to a field, or that of a synonym; e->count: none is near. */
static size_t find_nearest(const struct hsi_field *field, const struct expected *e)
{
    size_t   nearest = 0;
    unsigned least = HS_NOT_NEAR;

    for (size_t i = 0; i < e->count; i++) {
        unsigned distance = hs_name_distance(field->at, field->length, e->names[i]);

        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return least == HS_NOT_NEAR ? find_synonym(field, e) : nearest;
}

/* Return the name nearest to a field; NULL: none is near, or the column exists already. */
static const char *near_name(const struct hsi_field *field, const struct expected *e,
                             const int *column)
{
    size_t nearest = find_nearest(field, e);

    return nearest == e->count || column[nearest] >= 0 ? NULL : e->names[nearest];
}

/* Set column[i] to the number of the first column with expected name i; -1: missing. */
static void find_columns(const struct hsi_csv *csv, const struct expected *e, int *column)
{
    for (size_t number = csv->count; number-- > 0;) {
        size_t i = find_name(&csv->fields[number], e);

        if (i < e->count)
            column[i] = (int)number;
    }
}

/* Refuse JSON, recognised by its first character, before its quotes cause a syntax error. */
static hs_status refuse_json(struct hsi_csv *csv, const struct expected *e)
{
    const char *first = csv->window + csv->next;

    if (csv->next >= csv->clean || (*first != '{' && *first != '['))
        return HS_OK;
    csv->record = csv->next;
    csv->line = csv->next_line;
    return hsi_csv_fail_here(csv, first, "this looks like JSON; expected a CSV table with columns "
                             "among %s (hsched-gen import reads workflows in WfFormat)", e->list);
}

static hs_status refuse_end(struct hsi_csv *csv, const struct expected *e)
{
    if (csv->line == 1)
        return hsi_csv_fail(csv, NULL, "the file is empty; expected a CSV table whose header has "
                            "columns among %s", e->list);
    return hsi_csv_fail(csv, NULL, "the text ends before the header; expected columns among %s",
                        e->list);
}

static bool is_near_any(const struct hsi_field *field, const struct expected *e)
{
    return find_nearest(field, e) < e->count;
}

/* Return true if a part of the field before a separator is near a column's name. */
static bool is_separated_by(const struct hsi_field *all, char separator, const struct expected *e)
{
    struct hsi_field part = *all;
    const char      *end = all->at + all->length, *stop;

    while ((stop = memchr(part.at, separator, (size_t)(end - part.at)))) {
        part.length = (size_t)(stop - part.at);
        if (is_near_any(&part, e))
            return true;
        part.at = stop + 1;
    }
    return false;
}

/* Refuse a header with tabs or semicolons instead of commas between the columns. */
static hs_status check_separator(struct hsi_csv *csv, const struct expected *e)
{
    const struct hsi_field *all = &csv->fields[0];

    for (int tabs = 0; csv->count == 1 && tabs < 2; tabs++)
        if (is_separated_by(all, tabs ? '\t' : ';', e))
            return hsi_csv_fail(csv, all, "the columns are separated by %s; expected commas, and "
                                "double quotes around a field that has commas",
                                tabs ? "tabs" : "semicolons");
    return HS_OK;
}

/* Refuse a file without a header: its first field is a number, an unknown column or a command. */
static hs_status refuse_strange(struct hsi_csv *csv, const struct hsi_field *first,
                                const struct expected *e)
{
    static const struct hsi_field command = {.at = "cpu_command", .length = 11};
    char                          shown[HSI_QUOTE];
    double                        number;

    if (hsi_decimal_read(first->at, first->at + first->length, &number) ==
        first->at + first->length)
        return hsi_csv_fail(csv, NULL, "the first row has numbers and no header above it; expected "
                            "a line with the columns' names, among %s", e->list);
    hsi_quote(first->at, first->length, shown);
    if (find_name(&command, e) == e->count ||
        (csv->count > 1 && !memchr(first->at, ' ', first->length)))
        return hsi_csv_fail(csv, NULL, "unknown column %s, and no known one; expected columns "
                            "among %s", shown, e->list);
    return hsi_csv_fail(csv, NULL, "unknown column %s, and no known one; hsched-exec "
                        "--commands=FILE runs a list of commands; expected columns among %s",
                        shown, e->list);
}

/* Refuse a header in which no name is, or is near, a column's name. */
static hs_status check_strangeness(struct hsi_csv *csv, const struct expected *e)
{
    size_t i = 0;

    while (i < csv->count && !is_near_any(&csv->fields[i], e))
        i++;
    return i < csv->count || csv->fields[0].length == 0
               ? HS_OK
               : refuse_strange(csv, &csv->fields[0], e);
}

/* Explain a syntax error in the header: quotes inside the first field suggest a command. */
static hs_status refuse_quote(struct hsi_csv *csv, const struct expected *e)
{
    const char      *at = csv->window + csv->record, *end = csv->window + csv->clean;
    struct hsi_field first = {.at = at, .raw = at};

    while (at < end && !strchr(",\"\r\n", *at))
        at++;
    first.length = (size_t)(at - first.at);
    if (csv->fault || first.length == 0 || at == end || *at != '"' || is_near_any(&first, e))
        return HS_ESYNTAX;
    return refuse_strange(csv, &first, e);
}

static hs_status refuse_column(struct hsi_csv *csv, size_t number, const struct expected *e,
                               const int *column)
{
    const struct hsi_field *field = &csv->fields[number];
    const char             *near = near_name(field, e, column);
    char                    shown[HSI_QUOTE];

    if (field->length == 0 && number == 0)
        return hsi_csv_fail(csv, field, "the first column has no name, as the index that pandas "
                            "writes; expected a name: use df.to_csv(FILE, index=False)");
    hsi_quote(field->at, field->length, shown);
    if (near)
        return hsi_csv_fail(csv, field, "unknown column %s; did you mean '%s'?", shown, near);
    return hsi_csv_fail(csv, field, "unknown column %s; expected one of %s", shown, e->list);
}

static hs_status check_column(struct hsi_csv *csv, size_t number, const struct expected *e,
                              int ignore_unknown, const int *column)
{
    const struct hsi_field *field = &csv->fields[number];
    size_t                  i = find_name(field, e);

    if (i < e->count && column[i] != (int)number)
        return hsi_csv_fail(csv, field, "a second column '%s'; expected one", e->names[i]);
    return i < e->count || ignore_unknown ? HS_OK : refuse_column(csv, number, e, column);
}

hs_status hsi_csv_read_header(struct hsi_csv *csv, size_t count, const char *const *names,
                              size_t required, int ignore_unknown, int *column)
{
    struct expected e = {.count = count, .names = names};
    int             found;
    hs_status       st;

    for (size_t i = 0; i < count; i++)
        column[i] = -1;
    list_names(&e);
    st = refuse_json(csv, &e);
    if (st != HS_OK)
        return st;
    st = hsi_csv_next_record(csv, &found);
    if (st != HS_OK)
        return st == HS_ESYNTAX ? refuse_quote(csv, &e) : st;
    if (!found)
        return refuse_end(csv, &e);
    find_columns(csv, &e, column);
    if (csv->count == 1 && csv->fields[0].length == 0)
        return hsi_csv_fail(csv, NULL, "an empty line where the header was expected (columns "
                            "among %s)", e.list);
    st = check_separator(csv, &e);
    if (st == HS_OK)
        st = check_strangeness(csv, &e);
    for (size_t i = 0; i < csv->count && st == HS_OK; i++)
        st = check_column(csv, i, &e, ignore_unknown, column);
    for (size_t i = 0; i < required && st == HS_OK; i++)
        if (column[i] < 0)
            st = hsi_csv_fail(csv, NULL, "the header has no column '%s', which is required",
                              names[i]);
    return st;
}
