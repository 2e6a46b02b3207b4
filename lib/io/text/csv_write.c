/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/csv_write.h"

#include <string.h>

#include "core/error.h"
#include "core/memory_name.h"
#include "support/utf8.h"

/*
 * Return whether a field needs quotes. The readers of this library keep blanks at either end, but
 * other programs remove them, and take an unquoted '#' for the start of a comment.
 */
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
    const char *end;

    if (!needs_quotes(at, length)) {
        hsi_output_bytes(out, at, length);
        return;
    }
    end = at + length;
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

/* Write the line "# link h2d LATENCY BYTES_PER_SECOND". */
static void put_link(hsi_output *out, const char *name, double latency, double bandwidth)
{
    hsi_output_text(out, "# link ");
    hsi_output_text(out, name);
    hsi_output_char(out, ' ');
    hsi_output_double(out, latency);
    hsi_output_char(out, ' ');
    hsi_output_double(out, bandwidth);
    hsi_output_char(out, '\n');
}

/* Write the line "# data NAME BYTES MEMORY", without the memory if that is the first host. */
static void put_data(hsi_output *out, const hs_instance *in, size_t handle)
{
    const hsi_data *data = &in->store->relations->data;
    uint32_t        memory = hs_instance_handle_memory_node(in, handle);
    char            name[16];

    hsi_output_text(out, "# data ");
    hsi_output_bytes(out, hsi_data_name(data, handle), hsi_data_name_length(data, handle));
    hsi_output_char(out, ' ');
    hsi_output_double(out, hsi_data_bytes(data, handle));
    if (memory != 0) {
        hsi_output_char(out, ' ');
        hsi_output_text(out, hsi_memory_node_name(in, memory, name));
    }
    hsi_output_char(out, '\n');
}

/* Write the lines of links and of data. */
static void put_links_and_sizes(hsi_output *out, const hs_instance *in)
{
    static const char *const names[HS_LINKS] = {"h2d", "d2h", "d2d", "n2n"};
    const hsi_data          *data = &in->store->relations->data;

    for (hs_link link = HS_H2D; link < HS_LINKS; link++) {
        double latency, bandwidth;

        if (hs_instance_link(in, link, &latency, &bandwidth))
            put_link(out, names[link], latency, bandwidth);
    }
    if (data->usual > 0) {
        hsi_output_text(out, "# data-bytes ");
        hsi_output_double(out, data->usual);
        hsi_output_char(out, '\n');
    }
    for (size_t i = 0; i < data->count; i++)
        if (hsi_data_has_bytes(data, i) || hs_instance_handle_memory_node(in, i) != 0)
            put_data(out, in, i);
}

static void put_nodes(hsi_output *out, const hs_instance *in)
{
    const char *name;
    unsigned    cpus, gpus;

    for (size_t node = 0; (name = hs_instance_node(in, node, &cpus, &gpus)); node++) {
        hsi_output_text(out, "# node ");
        hsi_output_text(out, name);
        hsi_output_char(out, ' ');
        hsi_output_u64(out, cpus);
        hsi_output_char(out, ' ');
        hsi_output_u64(out, gpus);
        hsi_output_char(out, '\n');
    }
}

/* Return the key of the next note of a store, and its value; NULL past the last. */
static const char *next_note(const hsi_store *store, const char *at, const char **value)
{
    const char *end;

    if (store->notes.size == 0)
        return NULL;
    end = (const char *)store->notes.data + store->notes.size;
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
    put_nodes(out, in);
    if (in->store->relations)
        put_links_and_sizes(out, in);
}

void hsi_select_columns(hsi_cell_list *list, const hsi_store *store, int end)
{
    list->count = 0;
    list->text = (hsi_vector){0};
    list->failed = false;
    if (end > HSI_ID && hsi_store_has(store, HSI_ID))
        list->column[list->count++] = HSI_ID;
    for (int c = 0; c < end; c++)
        if (c != HSI_ID && (c < HSI_REQUIRED || hsi_store_has(store, c)))
            list->column[list->count++] = c;
}

void hsi_put_column_names(hsi_output *out, const hsi_cell_list *list)
{
    for (int i = 0; i < list->count; i++) {
        if (i > 0)
            hsi_output_char(out, ',');
        hsi_output_text(out, hsi_columns[list->column[i]].is.name);
    }
    hsi_output_char(out, '\n');
}

hs_status hsi_close_csv(hsi_cell_list *list, hsi_output *out)
{
    hsi_vector_free(&list->text);
    if (!list->failed)
        return hsi_output_close(out);
    hsi_output_free_buffer(out);
    return HS_ENOMEM;
}

static void put_value(hsi_output *out, int column, const hsi_value *value)
{
    const hs_column *is = &hsi_columns[column].is;

    switch (is->type) {
    case HS_COLUMN_TIME:
        if (isnan(value->time))
            hsi_output_text(out, "?");
        else
            hsi_output_double(out, value->time);
        break;
    case HS_COLUMN_NUMBER:
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
    case HS_COLUMN_LIST:
        hsi_put_text(out, value->text.at, value->text.length);
    }
}

void hsi_put_row(hsi_output *out, const hs_instance *in, hsi_cell_list *list, size_t row)
{
    for (int i = 0; i < list->count; i++) {
        int       c = list->column[i];
        hsi_value value = hsi_store_value(in->store, c, row);

        if (hsi_columns[c].is.type == HS_COLUMN_LIST) {
            list->text.size = 0;
            list->failed |= hsi_append_list_cell(&list->text, in, c, row) != 0;
            value.text = (hsi_text){list->text.data, list->text.size};
        }
        if (i > 0)
            hsi_output_char(out, ',');
        put_value(out, c, &value);
    }
    hsi_output_char(out, '\n');
}

bool hsi_is_single_line(const char *text)
{
    size_t length = strlen(text);

    return hsi_utf8_valid_prefix(text, length) == length && text[strcspn(text, "\r\n")] == '\0';
}

bool hsi_is_word(const char *text)
{
    return *text != '\0' && hsi_is_single_line(text) && text[strcspn(text, " \t")] == '\0';
}

/*
 * Return whether all strings of a column are UTF-8. They are stored one after another, each with a
 * NUL.
 */
static bool is_text(const hsi_vector *text)
{
    const char *at = text->data;
    size_t      left = text->size;

    while (left > 0) {
        size_t good = hsi_utf8_valid_prefix(at, left);

        if (good == left || at[good] != '\0')
            return false;
        at += good + 1;
        left -= good + 1;
    }
    return true;
}

/* Return whether readers would misread the key: it is reserved, or contains blanks. */
static bool is_bad_key(const char *key, const char *value)
{
    static const char *const ours[] = {"hybridsched", "cpus", "gpus", "unit",
                                       "link",        "node", "data", "data-bytes"};

    if (*key == '\0')
        return *value != '\0';
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(key, ours[i]) == 0)
            return true;
    return !hsi_is_word(key);
}

static bool is_row_readable(const hsi_store *store, size_t row)
{
    static const int columns[] = {HSI_CPU, HSI_GPU, HSI_KERNEL, HSI_CPU_COMMAND, HSI_GPU_COMMAND};
    hsi_row          cells = {.given = 0};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        cells.given |= HSI_BIT(columns[i]);
        cells.value[columns[i]] = hsi_store_value(store, columns[i], row);
    }
    return hsi_row_column_without_command(&cells) < 0;
}

static hs_status check_rows(const hsi_store *store, hs_error *error)
{
    if (!hsi_store_has(store, HSI_CPU_COMMAND) && !hsi_store_has(store, HSI_GPU_COMMAND))
        return HS_OK;
    for (size_t row = 0; row < store->rows; row++)
        if (!is_row_readable(store, row))
            return hsi_error_set(
                error, HS_EINVAL,
                "row %zu has a command for one type only, but a time on the other; "
                "expected a second command, a kernel, or an infinite time",
                row);
    return HS_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Check that all names of data are UTF-8, and that each name with a size can be written on a line.
 */
static hs_status check_data(const hsi_data *data, hs_error *error)
{
    if (!is_text(&data->text))
        return hsi_error_set(error, HS_EINVAL, "a name of data is not UTF-8");
    for (size_t i = 0; i < data->count; i++) {
        const char *name = hsi_data_name(data, i);
        size_t      length = hsi_data_name_length(data, i);

        if ((hsi_data_has_bytes(data, i) || hsi_data_memory(data, i) != 0) &&
            (!hsi_is_single_line(name) || is_blank(name[0]) || is_blank(name[length - 1])))
            return hsi_error_set(
                error, HS_EINVAL,
                "data '%s' has a size or memory; expected a name without line ends, and "
                "without blanks at its ends",
                name);
    }
    return HS_OK;
}

static hs_status check_notes(const hsi_store *store, hs_error *error)
{
    const char *key = NULL, *value = NULL;

    while ((key = next_note(store, key, &value))) {
        if (is_bad_key(key, value))
            return hsi_error_set(error, HS_EINVAL,
                                 "note '%s' would be read as another line; expected a key of one "
                                 "word that the format does not use",
                                 key);
        if (!hsi_is_single_line(value))
            return hsi_error_set(error, HS_EINVAL, "note '%s': expected a line of UTF-8", key);
    }
    return HS_OK;
}

hs_status hsi_check_writable(const hs_instance *in, hs_error *error)
{
    const hsi_store *store = in->store;
    hs_status        st = check_notes(store, error);

    for (int c = 0; c < HSI_COLUMNS && st == HS_OK; c++)
        if (!is_text(&store->cells[c].text))
            st = hsi_error_set(error, HS_EINVAL, "column %s has a text that is not UTF-8",
                               hsi_columns[c].is.name);
    if (st == HS_OK && store->relations)
        st = check_data(&store->relations->data, error);
    return st == HS_OK ? check_rows(store, error) : st;
}
