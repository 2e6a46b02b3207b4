/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/name_lists.h"

#include <stdio.h>

#include "core/task_names.h"
#include "io/text/field_value.h"

#define QUOTED(text, length) hsi_quote((text), (length), (char[HSI_QUOTE]){0})

/*
 * Append the text of a row, followed by a semicolon if it is not empty. Leading empty rows only
 * count as flushed.
 */
static hs_status add(struct hsi_list *list, hsi_text text, uint64_t line, uint64_t column)
{
    size_t end = list->text.size + text.length + (text.length > 0);

    if (hsi_places_add(&list->places, line, column) != HS_OK)
        return HS_ENOMEM;
    if (end == 0) {
        list->flushed++;
        return HS_OK;
    }
    if (hsi_vector_reserve(&list->text, text.length + 1) ||
        hsi_vector_append(&list->ends, &end, sizeof end))
        return HS_ENOMEM;
    if (text.length == 0)
        return HS_OK;
    (void)hsi_vector_append(&list->text, text.at, text.length);
    (void)hsi_vector_append(&list->text, ";", 1);
    return HS_OK;
}

hs_status hsi_list_add_field(struct hsi_list *list, const struct hsi_csv *csv,
                             const struct hsi_field *field)
{
    uint64_t line, column;

    hsi_csv_position(csv, field, &line, &column);
    return add(list, (hsi_text){field->at, field->length}, line,
               column + 1 + (*field->raw == '"'));
}

hs_status hsi_list_copy_row(struct hsi_list *list, const struct hsi_list *from, size_t row)
{
    uint64_t line, column;

    if (from->ends.size == 0)
        return HS_OK;
    hsi_places_find_row(&from->places, row, &line, &column);
    return add(list, hsi_list_text(from, row), line, column);
}

void hsi_list_reserve_share(struct hsi_list *list, double share)
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
    size_t        begin, length;

    if (row < list->flushed || row - list->flushed >= list->ends.size / sizeof *ends)
        return (hsi_text){NULL, 0};
    row -= list->flushed;
    begin = row > 0 ? ends[row - 1] : 0;
    length = ends[row] - begin;
    return (hsi_text){(const char *)list->text.data + begin, length - (length > 0)};
}

void hsi_list_close(struct hsi_list *list)
{
    hsi_vector_free(&list->text);
    hsi_vector_free(&list->ends);
    hsi_places_close(&list->places);
}

/* Return the place of a byte of a row's text in the file, where quotes inside are doubled. */
static void find_place(const struct hsi_list *list, size_t row, size_t offset, uint64_t *line,
                       uint64_t *column)
{
    hsi_text text = hsi_list_text(list, row);

    hsi_places_find_row(&list->places, row, line, column);
    --*column;
    for (size_t i = 0; i < offset; i++) {
        *column += text.at[i] == '"' ? 2 : 1;
        if (text.at[i] == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

/* An entry of a list, as written. */
struct item {
    size_t      row;
    const char *at, *colon, *end; /* `colon` is `end` if the entry has no colon */
};

/* Entries are looked up in batches, because their names are far apart in memory. */
enum { BATCH = HSI_DATA_BATCH };

struct work {
    const struct hsi_list *list;
    hs_builder            *builder;
    struct hsi_csv        *csv;
    hsi_names              names; /* names of tasks */
    hsi_data              *data;  /* names of data; NULL: the list has names of tasks */
    bool                   has_semicolon; /* whether any id contains a semicolon */
    bool                   has_colon;
    size_t                 count;
    struct item            item[BATCH];
    hsi_text               name[BATCH]; /* name of each entry, without backslashes */
    hsi_vector             plain;       /* storage of names that had backslashes */
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

/*
 * Remove the backslashes of `name`. Room for all such names is reserved at once, because they must
 * not move.
 */
static hs_status unescape(struct work *w, hsi_text *name)
{
    const char *from = name->at, *end = from + name->length;
    char       *to;

    if (!w->plain.data && hsi_vector_reserve(&w->plain, w->list->text.size))
        return hsi_csv_fail_status(w->csv, HS_ENOMEM);
    name->at = to = (char *)w->plain.data + w->plain.size;
    for (; from < end; from++) {
        from += *from == '\\';
        *to++ = *from;
    }
    name->length = (size_t)(to - name->at);
    w->plain.size += name->length;
    return HS_OK;
}

/* Read the next entry, from `at`, of a list whose text ends at `end`. */
static hs_status scan_item(struct work *w, const char *at, const char *end)
{
    static const bool is_mark[256] = {[';'] = true, [':'] = true, ['\\'] = true};

    struct item *item = &w->item[w->count];
    hsi_text    *name = &w->name[w->count];
    const char  *mark = at, *colon = NULL;
    bool         escaped = false;

    item->at = at;
    for (; *mark != ';'; mark++) {
        if (!is_mark[(unsigned char)*mark])
            continue;
        if (*mark == ':') {
            colon = colon ? colon : mark;
            continue;
        }
        if (++mark == end || !is_mark[(unsigned char)*mark])
            return fail_at(w, item, mark - 1, "a backslash before a character that needs none; "
                           "expected '\\;', '\\:' or '\\\\'%s", "");
        escaped = true;
    }
    item->end = mark;
    item->colon = colon = colon ? colon : mark;
    *name = (hsi_text){at, (size_t)(colon - at)};
    if (colon == at)
        return fail_at(w, item, at, "an entry without a name; expected names between "
                       "semicolons%s", "");
    return escaped ? unescape(w, name) : HS_OK;
}

/*
 * Refuse an entry, or a whole list, that is ambiguous because its unparsed text is a task's name.
 */
static hs_status check_ambiguous(const struct work *w, const struct item *item)
{
    const hsi_store *store = hsi_builder_rows(w->builder);
    hsi_text         whole = hsi_list_text(w->list, item->row);
    hsi_text         raw = {item->at, (size_t)(item->end - item->at)};
    size_t           row;
    uint32_t         copy;

    if (w->has_colon && item->colon < item->end &&
        hsi_names_find_row(store, &w->names, raw, &row, &copy))
        return fail_at(w, item, item->at, "%s is the name of a task and could be another with "
                       "bytes behind it; expected a backslash before ':' in names",
                       QUOTED(raw.at, raw.length));
    if (w->has_semicolon && item->at == whole.at && raw.length < whole.length &&
        hsi_names_find_row(store, &w->names, whole, &row, &copy))
        return fail_at(w, item, whole.at, "%s is the name of a task and could be two of them; "
                       "expected a backslash before ';' in names",
                       QUOTED(whole.at, whole.length));
    return HS_OK;
}

/* Return the text of an entry after its colon. */
static hsi_text end_of(const struct item *item)
{
    const char *at = item->colon + (item->colon < item->end);

    return (hsi_text){at, (size_t)(item->end - at)};
}

/* Return the message for an unknown name; a comma or a blank in the name adds a hint. */
static const char *unknown_task(hsi_text name)
{
    if (memchr(name.at, ',', name.length))
        return "there is no task %s to come after; expected names of rows or of their copies, "
               "separated by ';' and not by ','";
    if (name.at[0] == ' ' || name.at[name.length - 1] == ' ')
        return "there is no task %s to come after; expected names of rows or of their copies, "
               "separated by ';' without blanks around it";
    return "there is no task %s to come after; expected the name of a row, or of one of its copies";
}

static hs_status add_after(const struct work *w, const struct item *item, hsi_text name,
                            uint64_t hash)
{
    const hsi_store *store = hsi_builder_rows(w->builder);
    hsi_text         end = end_of(item);
    double           bytes = 0;
    size_t           row;
    uint32_t         copy;
    hs_status        st = check_ambiguous(w, item);

    if (st != HS_OK)
        return st;
    if (item->colon < item->end && (!hsi_text_to_number(end.at, end.length, &bytes) || bytes < 0))
        return fail_at(w, item, end.at, "bytes %s; expected a number that is not negative "
                       "behind ':' (or a backslash before it if it belongs to the name)",
                       QUOTED(end.at, end.length));
    if (!hsi_names_find_hashed(store, &w->names, name, hash, &row, &copy))
        return fail_at(w, item, item->at, unknown_task(name), QUOTED(name.at, name.length));
    return hsi_csv_fail_status(w->csv,
                               hs_builder_add_predecessor(w->builder, item->row, row, copy, bytes));
}

static hs_status add_tasks(const struct work *w)
{
    uint64_t  hash[BATCH];
    hs_status st = HS_OK;

    for (size_t i = 0; i < w->count; i++)
        hash[i] = hsi_names_prefetch_slot(&w->names, w->name[i]);
    for (size_t i = 0; i < w->count; i++)
        hsi_names_prefetch_id(hsi_builder_rows(w->builder), &w->names, hash[i]);
    for (size_t i = 0; i < w->count && st == HS_OK; i++)
        st = add_after(w, &w->item[i], w->name[i], hash[i]);
    return st;
}

/* Return the access mode of an entry; 0: none. */
static uint32_t mode_of(const struct item *item)
{
    const char *colon = item->colon;

    if (item->end - colon == 2)
        return colon[1] == 'r' ? HS_READ : colon[1] == 'w' ? HS_WRITE : 0;
    return item->end - colon == 3 && colon[1] == 'r' && colon[2] == 'w' ? HS_READ_WRITE : 0;
}

/* Report the error of an access without a valid mode. */
static hs_status refuse_access(const struct work *w, const struct item *item, hsi_text name)
{
    hsi_text end = end_of(item);

    if (item->colon == item->end)
        return fail_at(w, item, item->at, "data %s, and not how it is accessed; expected ':r', "
                       "':w' or ':rw' behind the name", QUOTED(name.at, name.length));
    return fail_at(w, item, end.at, "access %s; expected r, w or rw behind ':' (or a "
                   "backslash before it if it belongs to the name)", QUOTED(end.at, end.length));
}

static hs_status add_accesses(const struct work *w)
{
    uint32_t  data[BATCH];
    hs_status st = HS_OK, entered = hsi_data_find_or_add(w->data, w->name, w->count, data);

    for (size_t i = 0; i < w->count && st == HS_OK; i++) {
        const struct item *item = &w->item[i];
        uint32_t           mode = mode_of(item);

        if (!mode)
            return refuse_access(w, item, w->name[i]);
        if (w->name[i].length > HS_MAX_ID)
            return fail_at(w, item, item->at, "a name of data that is too long; expected at most "
                           "%s bytes", "4096");
        if (entered != HS_OK)
            return hsi_csv_fail_status(w->csv, entered);
        st = hsi_add_access(&w->builder->pending, item->row, data[i] << 2 | mode);
    }
    return hsi_csv_fail_status(w->csv, st);
}

static hs_status flush_batch(struct work *w)
{
    hs_status st = w->data ? add_accesses(w) : add_tasks(w);

    w->count = w->plain.size = 0;
    return st;
}

/* Add every entry of every row to the builder. */
static hs_status flush_all(struct work *w)
{
    const char      *text = w->list->text.data, *at = text, *end = text + w->list->text.size;
    const size_t    *ends = w->list->ends.data; /* ends of the texts from this row on */
    size_t           row = w->list->flushed;
    hs_status        st = HS_OK, before;

    while (at < end && st == HS_OK) {
        for (; at == text + *ends; ends++)
            row++;
        w->item[w->count].row = row;
        st = scan_item(w, at, text + *ends - 1);
        if (st != HS_OK)
            break;
        at = w->item[w->count].end + 1;
        if (++w->count == BATCH)
            st = flush_batch(w);
    }
    before = flush_batch(w); /* an error in an earlier entry has precedence */
    return before == HS_OK ? st : before;
}

/* Return an upper bound on the entries: the number of semicolons. */
static size_t count_entries(const struct hsi_list *list)
{
    const char *text = list->text.data;
    size_t      count = 0;

    for (size_t i = 0; i < list->text.size; i++)
        count += text[i] == ';';
    return count;
}

static bool has_byte(const hsi_vector *text, char byte)
{
    return text->size > 0 && memchr(text->data, byte, text->size) != NULL;
}

hs_status hsi_list_flush_data(struct hsi_list *data, hs_builder *builder, struct hsi_csv *csv)
{
    struct work w = {.list = data, .builder = builder, .csv = csv};
    hs_status   st = HS_OK;

    if (data->text.size > 0) {
        w.data = hsi_builder_handles(builder);
        st = w.data ? flush_all(&w) : hsi_csv_fail_status(csv, HS_ENOMEM);
    }
    data->flushed += data->ends.size / sizeof(size_t);
    data->text.size = data->ends.size = 0;
    hsi_vector_free(&w.plain);
    return st;
}

hs_status hsi_lists_flush(const struct hsi_list *after, struct hsi_list *data,
                         hs_builder *builder, struct hsi_csv *csv, hs_error *error)
{
    const hsi_store *store = hsi_builder_rows(builder);
    size_t           row;
    struct work      w = {.list = after, .builder = builder, .csv = csv};
    hs_status        st = HS_OK;

    if (after->text.size > 0) {
        st = hsi_names_create(store, &w.names, &row);
        if (st != HS_OK)
            return st == HS_EDUPLICATE ? hsi_builder_describe_failure(builder, st, row, error)
                                       : hsi_csv_fail_status(csv, st);
        hsi_builder_assume_unique_ids(builder);
        hsi_builder_reserve_edges(builder, count_entries(after));
        w.has_colon = has_byte(&store->cells[HSI_ID].text, ':');
        w.has_semicolon = has_byte(&store->cells[HSI_ID].text, ';');
        st = flush_all(&w);
        hsi_names_free(&w.names);
    }
    hsi_vector_free(&w.plain);
    return st == HS_OK ? hsi_list_flush_data(data, builder, csv) : st;
}

void hsi_lists_find_fault(const struct hsi_list *after, const struct hsi_list *data,
                          const hs_builder *builder, uint64_t *line, uint64_t *column)
{
    const hsi_fault *fault = hsi_builder_graph_fault(builder);
    bool             is_data = fault->kind == HSI_FAULT_ACCESS_TWICE || !after->places.rows;

    find_place(is_data ? data : after, fault->row, 0, line, column);
}
