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

void hsi_put_optional_names(hsi_output *out, const hs_instance *in)
{
    const hsi_store *store = in->store;

    if (store->priority)
        hsi_output_text(out, ",priority");
    if (store->kernel.at.data)
        hsi_output_text(out, ",kernel");
    if (store->cpu_command.at.data)
        hsi_output_text(out, ",cpu_command");
    if (store->gpu_command.at.data)
        hsi_output_text(out, ",gpu_command");
    if (store->restartable)
        hsi_output_text(out, ",restartable");
}

static void put_string(hsi_output *out, const hsi_strings *column, size_t row)
{
    const char *string;

    if (!column->at.data)
        return;
    hsi_output_char(out, ',');
    string = hsi_strings_get(column, row);
    if (string)
        hsi_put_text(out, string, strlen(string));
}

void hsi_put_optional_fields(hsi_output *out, const hs_instance *in, size_t row)
{
    static const char *const restartable[] = {",", ",yes", ",no"};
    const hsi_store         *store = in->store;

    if (store->priority) {
        hsi_output_char(out, ',');
        hsi_output_i64(out, store->priority[row]);
    }
    put_string(out, &store->kernel, row);
    put_string(out, &store->cpu_command, row);
    put_string(out, &store->gpu_command, row);
    if (store->restartable)
        hsi_output_text(out, restartable[store->restartable[row]]);
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
static int is_text(const hsi_strings *column)
{
    const char *at = column->text.data;
    size_t      left = column->text.size;

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
    return is_text(&store->id) && is_text(&store->kernel) && is_text(&store->cpu_command) &&
           is_text(&store->gpu_command) ? HS_OK : HS_EINVAL;
}
