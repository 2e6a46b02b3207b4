/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/starpu/recutils.h"

#include <string.h>

#include "io/text/field_value.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static hsi_text trim(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    while (end > at && is_blank(end[-1]))
        end--;
    return (hsi_text){at, (size_t)(end - at)};
}

/* Take the next line, without its line end. */
static hsi_text take_line(hsi_rec *r)
{
    const char *start = r->at, *end = memchr(start, '\n', (size_t)(r->text->end - start));

    if (!end)
        end = r->text->end;
    r->at = end < r->text->end ? end + 1 : end;
    return trim(start, end);
}

static hs_status take_field(hsi_rec *r, hsi_text line)
{
    const char   *colon = memchr(line.at, ':', line.length);
    char          shown[HSI_SHOWN];
    hsi_rec_field field;

    if (!colon || colon == line.at || memchr(line.at, ' ', (size_t)(colon - line.at)))
        return hsi_import_fail(r->text, line.at, "%s; expected 'Name: value' or a blank line",
                               hsi_import_quote(line, shown));
    field.name = (hsi_text){line.at, (size_t)(colon - line.at)};
    field.value = trim(colon + 1, line.at + line.length);
    return hsi_vector_append(&r->fields, &field, sizeof field) ? HS_ENOMEM : HS_OK;
}

hs_status hsi_rec_next_record(hsi_rec *r, int *found)
{
    hs_status st = HS_OK;

    r->fields.size = 0;
    *found = 0;
    while (st == HS_OK && r->at < r->text->end) {
        hsi_text line = take_line(r);

        if (line.length == 0 && *found)
            break;
        if (line.length == 0 || *line.at == '#' || (*line.at == '+' && *found))
            continue; /* '+' continues a multi-line value, which no used field has */
        if (!*found)
            r->start = line.at;
        *found = 1;
        st = take_field(r, line);
    }
    return st;
}

void hsi_rec_close(hsi_rec *r)
{
    hsi_vector_free(&r->fields);
}

hsi_text hsi_rec_get_value(const hsi_rec *r, const char *name)
{
    const hsi_rec_field *field = r->fields.data;

    for (size_t i = 0; i < r->fields.size / sizeof *field; i++)
        if (hsi_text_is(field[i].name, name))
            return field[i].value;
    return (hsi_text){NULL, 0};
}

bool hsi_rec_next_word(hsi_text *value, hsi_text *word)
{
    const char *at = value->at, *end;

    *word = *value;
    if (value->length == 0)
        return false;
    end = at + value->length;
    while (at < end && is_blank(*at))
        at++;
    word->at = at;
    while (at < end && !is_blank(*at))
        at++;
    word->length = (size_t)(at - word->at);
    *value = (hsi_text){at, (size_t)(end - at)};
    return word->length > 0;
}

hs_status hsi_rec_get_number(const hsi_rec *r, const char *name, double *value)
{
    hsi_text text = hsi_rec_get_value(r, name);
    char     shown[HSI_SHOWN];

    if (!text.at)
        return hsi_import_fail(r->text, r->start, "a record without '%s'; expected it", name);
    if (hsi_text_to_number(text.at, text.length, value) && *value >= 0)
        return HS_OK;
    return hsi_import_fail(r->text, text.at, "%s %s; expected a number of at least 0", name,
                           hsi_import_quote(text, shown));
}
