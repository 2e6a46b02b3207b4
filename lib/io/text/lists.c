/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/lists.h"

#include <stdio.h>

#include "core/names.h"
#include "io/text/csv_scan.h"
#include "io/text/field.h"

#define QUOTED(text, length) hsi_csv_quote((text), (length), (char[HSI_QUOTE]){0})

static hs_status add(struct hsi_list *list, hsi_text text, uint64_t line, uint64_t column)
{
    size_t end = list->text.size + text.length;

    if (hsi_places_add(&list->places, line, column) != HS_OK ||
        hsi_vector_reserve(&list->text, text.length + HSI_SLACK) ||
        hsi_vector_append(&list->ends, &end, sizeof end))
        return HS_ENOMEM;
    (void)hsi_vector_append(&list->text, text.at, text.length);
    memset((char *)list->text.data + list->text.size, 0, HSI_SLACK);
    return HS_OK;
}

hs_status hsi_list_add(struct hsi_list *list, const struct hsi_csv *csv,
                       const struct hsi_field *field)
{
    uint64_t line, column;

    hsi_csv_place(csv, field, &line, &column);
    return add(list, (hsi_text){field->at, field->length}, line,
               column + 1 + (*field->raw == '"'));
}

hs_status hsi_list_copy(struct hsi_list *list, const struct hsi_list *from, size_t row)
{
    uint64_t line, column;

    if (from->ends.size == 0)
        return HS_OK;
    hsi_places_find(&from->places, row, &line, &column);
    return add(list, hsi_list_text(from, row), line, column);
}

void hsi_list_expect(struct hsi_list *list, double share)
{
    double more = 1.25 / share - 1;

    if (!(more > 0 && more * (double)(list->text.size + list->places.columns.size) < 0x1p40))
        return;
    (void)hsi_vector_reserve(&list->text, (size_t)(more * (double)list->text.size));
    (void)hsi_vector_reserve(&list->ends, (size_t)(more * (double)list->ends.size));
    (void)hsi_vector_reserve(&list->places.columns,
                             (size_t)(more * (double)list->places.columns.size));
}

hsi_text hsi_list_text(const struct hsi_list *list, size_t row)
{
    const size_t *ends = list->ends.data;
    size_t        begin;

    if (row < list->told || row - list->told >= list->ends.size / sizeof *ends)
        return (hsi_text){NULL, 0};
    row -= list->told;
    begin = row > 0 ? ends[row - 1] : 0;
    return (hsi_text){(const char *)list->text.data + begin, ends[row] - begin};
}

void hsi_list_close(struct hsi_list *list)
{
    hsi_vector_free(&list->text);
    hsi_vector_free(&list->ends);
    hsi_places_close(&list->places);
}

/* Where in its file a byte of a row's text stands: quotes inside are there twice. */
static void find_place(const struct hsi_list *list, size_t row, size_t offset, uint64_t *line,
                       uint64_t *column)
{
    hsi_text text = hsi_list_text(list, row);

    hsi_places_find(&list->places, row, line, column);
    --*column;
    for (size_t i = 0; i < offset; i++) {
        *column += text.at[i] == '"' ? 2 : 1;
        if (text.at[i] == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

/* An entry of a list. */
struct item {
    size_t   row;
    hsi_text raw;       /* all of it, as it stands in the list */
    hsi_text name, end; /* without backslashes; behind the colon */
    int      has_end;   /* is there a colon? */
    uint64_t hash;      /* of the name */
};

struct work {
    const struct hsi_list *list;
    hs_builder            *builder;
    struct hsi_csv        *csv;
    hsi_names              names; /* of tasks */
    hsi_data              *data;  /* names of data; NULL: the list is of tasks */
    hsi_vector             plain;         /* the names of a batch that had backslashes */
    int                    has_semicolon; /* some id has one */
    int                    has_colon;
};

static hs_status fail_at(const struct work *w, const struct item *item, const char *at,
                         const char *format, const char *shown)
{
    hsi_text text = hsi_list_text(w->list, item->row);
    uint64_t line, column;
    char     message[400];

    find_place(w->list, item->row, (size_t)(at - text.at), &line, &column);
    snprintf(message, sizeof message, format, shown);
    return hsi_csv_fail_at(w->csv, line, column, "%s", message);
}

static int is_special(char c)
{
    return c == ';' || c == ':' || c == '\\';
}

static const char *find_special(const char *at, const char *end)
{
    return hsi_find_any(at, end, ';', ':', '\\', ';');
}

/* `text` without its backslashes, in room that was made before. */
static hsi_text unescape(hsi_vector *room, hsi_text text)
{
    char  *to = (char *)room->data + room->size;
    size_t used = 0;

    for (size_t i = 0; i < text.length; i++) {
        i += text.at[i] == '\\';
        to[used++] = text.at[i];
    }
    room->size += used;
    return (hsi_text){to, used};
}

/*
 * The entry at `at`, where the list's text ends at `end`; *next is where the next one begins, or
 * behind `end`.
 */
static hs_status scan_item(struct work *w, struct item *item, const char *at, const char *end,
                           const char **next)
{
    const char *begin = at, *colon = NULL;
    int         escaped = 0;

    for (at = find_special(at, end); at < end && *at != ';'; at = find_special(at + 1, end)) {
        if (*at == '\\') {
            if (at + 1 == end || !is_special(at[1]))
                return fail_at(w, item, at, "a backslash before nothing that needs one; expected "
                               "'\\;', '\\:' or '\\\\'%s", "");
            at++;
            escaped = 1;
        } else if (!colon) {
            colon = at;
        }
    }
    item->raw = (hsi_text){begin, (size_t)(at - begin)};
    item->has_end = colon != NULL;
    item->name = (hsi_text){begin, (size_t)((colon ? colon : at) - begin)};
    item->end = colon ? (hsi_text){colon + 1, (size_t)(at - colon - 1)} : (hsi_text){at, 0};
    if (item->name.length == 0)
        return fail_at(w, item, begin, "an entry without a name; expected names between "
                       "semicolons%s", "");
    if (escaped)
        item->name = unescape(&w->plain, item->name);
    *next = at + 1;
    return HS_OK;
}

/* An entry, or a whole list, that as it stands is a task's name means two things. */
static hs_status check_ambiguous(const struct work *w, const struct item *item)
{
    const hsi_store *store = hsi_builder_store(w->builder);
    hsi_text         whole = hsi_list_text(w->list, item->row);
    size_t           row;
    uint32_t         copy;

    if (w->has_colon && item->has_end &&
        hsi_names_find_row(store, &w->names, item->raw, &row, &copy))
        return fail_at(w, item, item->raw.at, "%s is the name of a task and could be another with "
                       "bytes behind it; expected a backslash before ':' in names",
                       QUOTED(item->raw.at, item->raw.length));
    if (w->has_semicolon && item->raw.at == whole.at && item->raw.length < whole.length &&
        hsi_names_find_row(store, &w->names, whole, &row, &copy))
        return fail_at(w, item, whole.at, "%s is the name of a task and could be two of them; "
                       "expected a backslash before ';' in names",
                       QUOTED(whole.at, whole.length));
    return HS_OK;
}

static hs_status tell_after(const struct work *w, const struct item *item)
{
    const hsi_store *store = hsi_builder_store(w->builder);
    double           bytes = 0;
    size_t           row;
    uint32_t         copy;
    hs_status        st = check_ambiguous(w, item);

    if (st != HS_OK)
        return st;
    if (item->has_end && (!hsi_text_number(item->end.at, item->end.length, &bytes) || bytes < 0))
        return fail_at(w, item, item->end.at, "bytes %s; expected a number that is not negative "
                       "behind ':' (or a backslash before it if it belongs to the name)",
                       QUOTED(item->end.at, item->end.length));
    if (!hsi_names_find_hashed(store, &w->names, item->name, item->hash, &row, &copy))
        return fail_at(w, item, item->raw.at, "there is no task %s to come after; expected the "
                       "name of a row, or of one of its copies",
                       QUOTED(item->name.at, item->name.length));
    return hsi_csv_fail_status(w->csv, hs_builder_after(w->builder, item->row, row, copy, bytes));
}

/* 0: none. */
static int mode_of(hsi_text word)
{
    if (word.length == 1)
        return *word.at == 'r' ? HS_READ : *word.at == 'w' ? HS_WRITE : 0;
    return word.length == 2 && memcmp(word.at, "rw", 2) == 0 ? HS_READ_WRITE : 0;
}

static hs_status tell_access(const struct work *w, const struct item *item, hs_access_mode mode)
{
    size_t    data;
    hs_status st;

    if (item->name.length > HS_MAX_ID)
        return fail_at(w, item, item->raw.at, "a name of data that is too long; expected at most "
                       "%s bytes", "4096");
    st = hsi_data_enter(w->data, item->name, item->hash, &data);
    if (st == HS_OK)
        st = hs_builder_access(w->builder, item->row, data, mode);
    return st == HS_OK ? HS_OK : hsi_csv_fail_status(w->csv, st);
}

static hs_status tell_data(const struct work *w, const struct item *item)
{
    int mode = mode_of(item->end);

    if (mode)
        return tell_access(w, item, (hs_access_mode)mode);
    if (!item->has_end)
        return fail_at(w, item, item->raw.at, "data %s, and not how it is accessed; expected ':r', "
                       "':w' or ':rw' behind the name",
                       QUOTED(item->name.at, item->name.length));
    return fail_at(w, item, item->end.at, "access %s; expected r, w or rw behind ':' (or a "
                   "backslash before it if it belongs to the name)",
                   QUOTED(item->end.at, item->end.length));
}

/* Names lie far from each other in memory: so many are asked for at a time. */
enum { BATCH = 64 };

static uint64_t expect(const struct work *w, hsi_text name)
{
    return w->data ? hsi_data_expect(w->data, name) : hsi_names_expect(&w->names, name);
}

static hs_status tell_batch(const struct work *w, const struct item *items, size_t count)
{
    hs_status st = HS_OK;

    for (size_t i = 0; i < count; i++) {
        if (w->data)
            hsi_data_approach(w->data, items[i].hash);
        else
            hsi_names_approach(hsi_builder_store(w->builder), &w->names, items[i].hash);
    }
    for (size_t i = 0; i < count && st == HS_OK; i++)
        st = w->data ? tell_data(w, &items[i]) : tell_after(w, &items[i]);
    return st;
}

/* What is there would move. */
static int lacks_room(const hsi_vector *v, size_t bytes)
{
    return v->size > 0 && bytes > v->capacity - v->size;
}

/* Each entry of each row. */
static hs_status tell_all(struct work *w)
{
    struct item items[BATCH];
    size_t      row = w->list->told, rows = row + w->list->ends.size / sizeof(size_t), count = 0;
    hsi_text    text = hsi_list_text(w->list, row);
    const char *at = text.at;
    hs_status   st = HS_OK;

    while (row < rows || count > 0) {
        if (count == BATCH || row == rows || (count > 0 && lacks_room(&w->plain, text.length))) {
            st = tell_batch(w, items, count);
            count = 0;
            w->plain.size = 0;
        } else if (text.length == 0 || at > text.at + text.length) {
            text = hsi_list_text(w->list, ++row);
            at = text.at;
        } else {
            items[count].row = row;
            if (hsi_vector_reserve(&w->plain, text.length))
                return hsi_csv_fail_status(w->csv, HS_ENOMEM);
            st = scan_item(w, &items[count], at, text.at + text.length, &at);
            if (st != HS_OK) { /* what is wrong with those before it is said instead */
                hs_status before = tell_batch(w, items, count);

                return before == HS_OK ? st : before;
            }
            items[count].hash = expect(w, items[count].name);
            count++;
        }
        if (st != HS_OK)
            return st;
    }
    return HS_OK;
}

/* No more entries than semicolons and rows. */
static size_t count_entries(const struct hsi_list *list)
{
    const char *text = list->text.data;
    size_t      count = list->ends.size / sizeof(size_t);

    for (size_t i = 0; i < list->text.size; i++)
        count += text[i] == ';';
    return count;
}

static int has_byte(const hsi_vector *text, char byte)
{
    return text->size > 0 && memchr(text->data, byte, text->size) != NULL;
}

hs_status hsi_list_tell_data(struct hsi_list *data, hs_builder *builder, struct hsi_csv *csv)
{
    struct work w = {.list = data, .builder = builder, .csv = csv};
    hs_status   st = HS_OK;

    if (data->text.size > 0) {
        w.data = hsi_builder_names(builder);
        st = w.data ? tell_all(&w) : hsi_csv_fail_status(csv, HS_ENOMEM);
    }
    data->told += data->ends.size / sizeof(size_t);
    data->text.size = data->ends.size = 0;
    hsi_vector_free(&w.plain);
    return st;
}

hs_status hsi_lists_tell(const struct hsi_list *after, struct hsi_list *data,
                         hs_builder *builder, struct hsi_csv *csv, size_t *row)
{
    const hsi_store *store = hsi_builder_store(builder);
    struct work      w = {.list = after, .builder = builder, .csv = csv};
    hs_status        st = HS_OK;

    if (after->text.size > 0) {
        st = hsi_names_create(store, &w.names, row);
        if (st != HS_OK)
            return st == HS_EDUPLICATE ? st : hsi_csv_fail_status(csv, st);
        hsi_builder_distinct(builder);
        hsi_builder_expect_edges(builder, count_entries(after));
        w.has_colon = has_byte(&store->cells[HSI_ID].text, ':');
        w.has_semicolon = has_byte(&store->cells[HSI_ID].text, ';');
        st = tell_all(&w);
        hsi_names_free(&w.names);
    }
    hsi_vector_free(&w.plain);
    return st == HS_OK ? hsi_list_tell_data(data, builder, csv) : st;
}

static void quote_row(const hsi_store *store, size_t row, uint32_t copy, char shown[HSI_QUOTE])
{
    char   name[HS_MAX_ID + 16];
    size_t length = hsi_store_name(store, row, copy, name, sizeof name);

    hsi_csv_quote(name, length, shown);
}

/* "a after c after b after a", of long ones the beginning and the end. */
static void describe_cycle(const hsi_store *store, const hsi_vector *cycle, char *text,
                           size_t size)
{
    enum { SHOWN = 5 };
    const size_t *rows = cycle->data;
    size_t        count = cycle->size / sizeof *rows, used = 0;
    char          shown[HSI_QUOTE];

    for (size_t i = 0; i <= count && used < size; i++) {
        size_t row = rows[(count - i) % count];

        if (i == SHOWN && count > SHOWN + 1)
            i = count;
        quote_row(store, i == count ? rows[0] : row, 0, shown);
        used += (size_t)snprintf(text + used, size - used, "%s%.40s",
                                 i == 0 ? "" : i == count && count > SHOWN + 1
                                     ? " ... after " : " after ", shown);
    }
}

hs_status hsi_lists_fail(const struct hsi_list *after, const struct hsi_list *data,
                         const hs_builder *builder, struct hsi_csv *csv)
{
    const hsi_fault *fault = hsi_builder_fault(builder);
    const hsi_store *store = hsi_builder_store(builder);
    uint64_t         line, column;
    char             shown[HSI_QUOTE], cycle[400];
    hsi_text         name;

    find_place(fault->kind == HSI_FAULT_ACCESS_TWICE || !after->places.rows ? data : after,
               fault->row, 0, &line, &column);
    switch (fault->kind) {
    case HSI_FAULT_SELF:
        quote_row(store, fault->row, 0, shown);
        return hsi_csv_fail_at(csv, line, column, "%s comes after itself; expected other tasks",
                               shown);
    case HSI_FAULT_TWICE:
        quote_row(store, fault->other, fault->copy, shown);
        return hsi_csv_fail_at(csv, line, column, "%s stands there twice; expected each task once",
                               shown);
    case HSI_FAULT_ACCESS_TWICE:
        name.at = hsi_data_name(&store->told->data, fault->other);
        name.length = hsi_data_name_length(&store->told->data, fault->other);
        return hsi_csv_fail_at(csv, line, column, "data %s stands there twice; expected it once, "
                               "with rw where it is read and written",
                               hsi_csv_quote(name.at, name.length, shown));
    case HSI_FAULT_CYCLE:
        describe_cycle(store, &fault->cycle, cycle, sizeof cycle);
        return hsi_csv_fail_at(csv, line, column, "tasks wait for each other: %s; expected no such "
                               "circle", cycle);
    default:
        return hsi_csv_fail_status(csv, HS_EGRAPH);
    }
}
