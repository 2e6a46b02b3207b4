/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/csv_write.h"

#include <string.h>

#include "support/utf8.h"

/* A blank at either end is not lost on us, but other programs trim it; they also
 * take an unquoted '#' for the start of a comment. */
static int needs_quotes(const char *at, size_t length)
{
    static const unsigned char special[256] = {
        [','] = 1, ['"'] = 1, ['\n'] = 1, ['\r'] = 1, ['#'] = 1,
    };
    int found = 0;

    if (length == 0)
        return 0;
    if (at[0] == ' ' || at[0] == '\t' || at[length - 1] == ' ' || at[length - 1] == '\t')
        return 1;
    for (size_t i = 0; i < length; i++)
        found |= special[(unsigned char)at[i]];
    return found;
}

void hsi_put_text(hsi_output *out, const char *at, size_t length)
{
    const char *end = at + length;

    if (!needs_quotes(at, length)) {
        hsi_output_bytes(out, at, length);
        return;
    }
    hsi_output_char(out, '"');
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        const char *stop = quote ? quote + 1 : end;

        hsi_output_bytes(out, at, (size_t)(stop - at));
        if (quote)
            hsi_output_char(out, '"');
        at = stop;
    }
    hsi_output_char(out, '"');
}

void hsi_put_note(hsi_output *out, const char *key, const char *value)
{
    hsi_output_text(out, *key ? "# " : "#");
    hsi_output_text(out, key);
    if (*value)
        hsi_output_char(out, ' ');
    hsi_output_text(out, value);
    hsi_output_char(out, '\n');
}

static void put_number(hsi_output *out, const char *line, unsigned number)
{
    hsi_output_text(out, line);
    hsi_output_u64(out, number);
    hsi_output_char(out, '\n');
}

/* The next pair of strings from a store's notes on; NULL past the last. */
static const char *next_note(const hsi_store *store, const char *at, const char **value)
{
    const char *end = (const char *)store->notes.data + store->notes.size;

    at = at ? *value + strlen(*value) + 1 : store->notes.data;
    if (at == end)
        return NULL;
    *value = at + strlen(at) + 1;
    return at;
}

void hsi_put_instance_lines(hsi_output *out, const hs_instance *in, const char *kind)
{
    const char *key = NULL, *value = NULL;

    hsi_output_text(out, "# hybridsched ");
    hsi_output_text(out, kind);
    put_number(out, " 1\n# cpus ", in->cpus);
    put_number(out, "# gpus ", in->gpus);
    hsi_put_note(out, "unit", hs_unit_name(in->store->unit));
    while ((key = next_note(in->store, key, &value)))
        hsi_put_note(out, key, value);
}

void hsi_list_cells(hsi_cell_list *list, const hsi_store *store, int end)
{
    list->count = 0;
    if (end > HSI_ID && hsi_store_has(store, HSI_ID))
        list->column[list->count++] = HSI_ID;
    for (int c = 0; c < end; c++)
        if (c != HSI_ID && (c < HSI_REQUIRED || hsi_store_has(store, c)))
            list->column[list->count++] = c;
}

void hsi_put_names(hsi_output *out, const hsi_cell_list *list)
{
    for (int i = 0; i < list->count; i++) {
        if (i > 0)
            hsi_output_char(out, ',');
        hsi_output_text(out, hsi_columns[list->column[i]].is.name);
    }
    hsi_output_char(out, '\n');
}

static void put_value(hsi_output *out, int column, const hsi_value *value)
{
    const hs_column *is = &hsi_columns[column].is;

    switch (is->type) {
    case HS_COLUMN_TIME:
        hsi_output_double(out, value->time);
        break;
    case HS_COLUMN_INTEGER:
    case HS_COLUMN_COUNT:
        hsi_output_i64(out, value->integer);
        break;
    case HS_COLUMN_WORD:
        hsi_output_text(out, is->words[value->integer]);
        break;
    case HS_COLUMN_TEXT:
        hsi_put_text(out, value->text.at, value->text.length);
    }
}

void hsi_put_cells(hsi_output *out, const hsi_store *store, const hsi_cell_list *list, size_t row)
{
    for (int i = 0; i < list->count; i++) {
        hsi_value value = hsi_store_value(store, list->column[i], row);

        if (i > 0)
            hsi_output_char(out, ',');
        put_value(out, list->column[i], &value);
    }
    hsi_output_char(out, '\n');
}

int hsi_is_line(const char *text)
{
    size_t length = strlen(text);

    return hsi_utf8_good(text, length) == length && text[strcspn(text, "\r\n")] == '\0';
}

int hsi_is_word(const char *text)
{
    return *text != '\0' && hsi_is_line(text) && text[strcspn(text, " \t")] == '\0';
}

/* All strings of a column: they stand one behind the other, a NUL after each. */
static int is_text(const hsi_vector *text)
{
    const char *at = text->data;
    size_t      left = text->size;

    while (left > 0) {
        size_t good = hsi_utf8_good(at, left);

        if (good == left || at[good] != '\0')
            return 0;
        at += good + 1;
        left -= good + 1;
    }
    return 1;
}

/* A key that readers would take for something else, or for more than a key. */
static int is_bad_key(const char *key, const char *value)
{
    static const char *const ours[] = {"hybridsched", "cpus", "gpus", "unit"};

    if (*key == '\0')
        return *value != '\0';
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(key, ours[i]) == 0)
            return 1;
    return !hsi_is_word(key);
}

hs_status hsi_check_writable(const hs_instance *in)
{
    const hsi_store *store = in->store;
    const char      *key = NULL, *value = NULL;

    while ((key = next_note(store, key, &value)))
        if (is_bad_key(key, value) || !hsi_is_line(value))
            return HS_EINVAL;
    for (int c = 0; c < HSI_COLUMNS; c++)
        if (!is_text(&store->cells[c].text))
            return HS_EINVAL;
    return HS_OK;
}
