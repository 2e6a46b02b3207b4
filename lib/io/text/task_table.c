/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/task_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "core/memory_name.h"
#include "io/text/field_value.h"

#define QUOTED(field) hsi_quote((field)->at, (field)->length, (char[HSI_QUOTE]){0})

hs_status hsi_rows_open(struct hsi_rows *r, int fd, const char *kind,
                        const hs_read_settings *settings, hs_error *error)
{
    hs_status st;

    memset(r, 0, sizeof *r);
    hsi_header_init(&r->header, kind);
    st = hsi_csv_open(&r->csv, fd, error);
    if (st == HS_OK)
        st = hsi_csv_fail_status(&r->csv, hsi_read_settings_resolve(&r->settings, settings));
    if (st == HS_OK)
        st = hsi_csv_fail_status(&r->csv, hs_builder_create(&r->builder));
    return st;
}

void hsi_rows_close(struct hsi_rows *r)
{
    int saved_errno = errno;

    hs_builder_free(r->builder);
    hsi_places_close(&r->places);
    hsi_list_close(&r->after);
    hsi_list_close(&r->data);
    hsi_csv_close(&r->csv);
    errno = saved_errno;
}

/* Convert a finite number of at least 0. */
static bool is_size(const char *at, size_t length, double *value)
{
    return hsi_text_to_number(at, length, value) && *value >= 0;
}

static hs_status second_line(struct hsi_rows *r, const char *what)
{
    return hsi_csv_fail(&r->csv, &r->csv.fields[0], "a second '# %s' line; expected one", what);
}

/* Return the next word of a line and skip the blanks after it. */
static hsi_text next_word(const char **at, const char *end)
{
    hsi_text word = {*at, 0};

    while (word.at + word.length < end && word.at[word.length] != ' ' &&
           word.at[word.length] != '\t')
        word.length++;
    *at = word.at + word.length;
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    return word;
}

/* Read the value of a link line, "h2d LATENCY BYTES_PER_SECOND". */
static hs_status note_link(struct hsi_rows *r)
{
    static const char *const names[HS_LINKS] = {"h2d", "d2h", "d2d", "n2n"};
    struct hsi_field        *value = &r->csv.fields[1];
    const char              *at = value->at, *end = at + value->length;
    hsi_text                 name = next_word(&at, end), latency = next_word(&at, end);
    hsi_text                 bandwidth = next_word(&at, end);
    double                   units, speed;

    for (hs_link link = HS_H2D; link < HS_LINKS; link++) {
        if (name.length != 3 || memcmp(name.at, names[link], 3) != 0)
            continue;
        if (at < end || !is_size(latency.at, latency.length, &units) ||
            !is_size(bandwidth.at, bandwidth.length, &speed) || speed == 0)
            break;
        if (r->links & 1u << link)
            return hsi_csv_fail(&r->csv, value, "a second link %s; expected one", names[link]);
        r->links |= 1u << link;
        return hsi_csv_fail_status(&r->csv, hs_builder_set_link(r->builder, link, units, speed));
    }
    return hsi_csv_fail(&r->csv, value, "link %s; expected h2d, d2h, d2d or n2n, the latency (a number "
                        "that is not negative) and the bytes a second (a number above 0)",
                        QUOTED(value));
}

/* Read the value of a node line, "NAME CPUS GPUS". */
static hs_status note_node(struct hsi_rows *r)
{
    struct hsi_field *value = &r->csv.fields[1];
    const char       *at = value->at, *end = at + value->length;
    hsi_text          word[3] = {next_word(&at, end), next_word(&at, end), next_word(&at, end)};
    unsigned          workers[2];
    hs_status         st = at < end || word[0].length > HS_MAX_ID ? HS_EINVAL : HS_OK;

    for (int type = HS_CPU; st == HS_OK && type <= HS_GPU; type++) {
        double number;

        if (!is_size(word[1 + type].at, word[1 + type].length, &number) || number != floor(number) ||
            number > HS_MAX_WORKERS)
            st = HS_EINVAL;
        else
            workers[type] = (unsigned)number;
    }
    if (st == HS_OK)
        st = hsi_builder_add_node(r->builder, word[0], workers[HS_CPU], workers[HS_GPU]);
    r->header.lines--; /* the limit on '#' lines does not count node lines */
    if (st == HS_EINVAL)
        return hsi_csv_fail(&r->csv, value, "node %s; expected a name that no other node has, and "
                            "the numbers of its CPUs and GPUs, not both 0", QUOTED(value));
    if (st == HS_ETOOBIG)
        return hsi_csv_fail(&r->csv, value, "node %s: too many; expected at most %u nodes and %u "
                            "workers of a type", QUOTED(value), HS_MAX_NODES, HS_MAX_WORKERS);
    return hsi_csv_fail_status(&r->csv, st);
}

/* Read a '# data-bytes' line: the size of all data without a line of their own. */
static hs_status note_usual(struct hsi_rows *r)
{
    struct hsi_field *value = &r->csv.fields[1];
    double            bytes;

    if (r->has_usual)
        return second_line(r, "data-bytes");
    if (!is_size(value->at, value->length, &bytes))
        return hsi_csv_fail(&r->csv, value, "data-bytes %s; expected a number that is not negative",
                            QUOTED(value));
    r->has_usual = true;
    return hsi_csv_fail_status(&r->csv, hs_builder_set_default_bytes(r->builder, bytes));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Return the last word of a text, and remove it and the blanks before it from the text. */
static hsi_text take_last_word(hsi_text *text)
{
    size_t begin = text->length, end = begin;

    while (begin > 0 && !is_blank(text->at[begin - 1]))
        begin--;
    text->length = begin;
    while (text->length > 0 && is_blank(text->at[text->length - 1]))
        text->length--;
    return (hsi_text){text->at + begin, end - begin};
}

/* Read the value of a data line, "NAME BYTES" or "NAME BYTES MEMORY"; the name may contain
 * blanks. */
static hs_status note_data(struct hsi_rows *r)
{
    struct hsi_field *value = &r->csv.fields[1];
    hsi_text          name = {value->at, value->length}, size = take_last_word(&name);
    bool              has_place;
    hs_type           type;
    unsigned          number;
    size_t            data;
    double            bytes;
    hs_status         st;

    has_place = hsi_memory_name_read(size.at, size.length, &type, &number);
    if (has_place)
        size = take_last_word(&name);
    if (name.length == 0 || name.length > HS_MAX_ID || !is_size(size.at, size.length, &bytes))
        return hsi_csv_fail(&r->csv, value,
                            "data %s; expected a name of at most %u bytes, its "
                            "size, a number that is not negative, and perhaps the memory that has "
                            "it at the start, host, host1 or gpu0",
                            QUOTED(value), HS_MAX_ID);
    st = hsi_builder_add_handle(r->builder, name, &data);
    if (st != HS_OK)
        return hsi_csv_fail_status(&r->csv, st);
    if (hsi_data_has_bytes(&hsi_builder_rows(r->builder)->relations->data, data))
        return hsi_csv_fail(&r->csv, value, "a second '# data' line of %s; expected one",
                            hsi_quote(name.at, name.length, (char[HSI_QUOTE]){0}));
    r->header.lines--; /* the limit on '#' lines does not count data lines */
    st = hs_builder_set_handle_bytes(r->builder, data, bytes);
    if (st == HS_OK && has_place)
        st = hs_builder_set_handle_memory(r->builder, data, type, number);
    return hsi_csv_fail_status(&r->csv, st);
}

hs_status hsi_rows_read_header_line(struct hsi_rows *r, int *used)
{
    const struct hsi_field *key = &r->csv.fields[0];

    *used = 1;
    if (hsi_field_is(key, "data"))
        return note_data(r);
    if (hsi_field_is(key, "data-bytes"))
        return note_usual(r);
    if (hsi_field_is(key, "link"))
        return note_link(r);
    if (hsi_field_is(key, "node"))
        return note_node(r);
    *used = 0;
    return HS_OK;
}

/* Let absent numbers of workers be the sums over the nodes. */
static void add_up_nodes(struct hsi_rows *r)
{
    const hsi_node_list *nodes = &hsi_builder_rows(r->builder)->nodes;

    if (nodes->count == 0)
        return;
    if (!r->header.has_cpus)
        r->header.cpus = hsi_node_at(nodes, nodes->count)->cpu;
    if (!r->header.has_gpus)
        r->header.gpus = hsi_node_at(nodes, nodes->count)->gpu;
    r->header.has_cpus = r->header.has_gpus = 1;
    r->header.own_cpus = r->header.cpus;
    r->header.own_gpus = r->header.gpus;
}

/* Return whether the file has a memory. A file that does not say how many GPUs there are has all.
 */
static bool has_memory(const struct hsi_rows *r, uint32_t memory)
{
    uint32_t nodes = hsi_builder_rows(r->builder)->nodes.count;

    if (memory >= HSI_GPU_MEMORY)
        return !r->header.has_gpus || memory - HSI_GPU_MEMORY < r->header.gpus;
    return memory < (nodes > 0 ? nodes : 1);
}

/* Check that data lies in memories of the file; call it before the caller's settings replace the
 * numbers of workers. */
static hs_status check_memories(struct hsi_rows *r)
{
    const hsi_relations *relations = hsi_builder_rows(r->builder)->relations;
    const hsi_data      *data = relations ? &relations->data : NULL;

    for (size_t i = 0; data && data->memory.size > 0 && i < data->count; i++)
        if (!has_memory(r, hsi_data_memory(data, i)))
            return hsi_csv_fail_at(&r->csv, r->csv.line, 1,
                                   "data %s is at the start in a memory "
                                   "that does not exist; expected a host or GPU of the '#' lines "
                                   "above the header",
                                   hsi_quote(hsi_data_name(data, i), hsi_data_name_length(data, i),
                                             (char[HSI_QUOTE]){0}));
    return HS_OK;
}

/* Compare the nodes with the numbers of workers in the file. Drop them if the caller's settings
 * replace these numbers by others. */
static hs_status check_nodes(struct hsi_rows *r)
{
    const hsi_node_list  *nodes = &hsi_builder_rows(r->builder)->nodes;
    const hsi_node       *all = nodes->count ? hsi_node_at(nodes, nodes->count) : NULL;
    struct hsi_header    *header = &r->header;

    if (!all)
        return HS_OK;
    if (!hsi_nodes_have(nodes, header->own_cpus, header->own_gpus))
        return hsi_csv_fail_at(&r->csv, r->csv.line, 1, "the '# node' lines above the header have "
                               "%u CPUs and %u GPUs together; expected the %u and %u of '# cpus' "
                               "and '# gpus'", all->cpu, all->gpu, header->own_cpus,
                               header->own_gpus);
    if (!hsi_nodes_have(nodes, header->cpus, header->gpus))
        hsi_builder_drop_nodes(r->builder);
    return HS_OK;
}

/* Check that links h2d and d2h are both given or neither, d2d and n2n only with them, and n2n with
 * several nodes. */
static hs_status check_links(struct hsi_rows *r)
{
    const unsigned both = 1u << HS_H2D | 1u << HS_D2H;

    if (r->links && (r->links & both) == both && !(r->links & 1u << HS_N2N) &&
        hsi_builder_rows(r->builder)->nodes.count > 1)
        return hsi_csv_fail_at(&r->csv, r->csv.line, 1, "no '# link n2n' line above the header; "
                               "expected one, because the file has links and several nodes");
    if (r->links == 0 || (r->links & both) == both)
        return HS_OK;
    return hsi_csv_fail_at(&r->csv, r->csv.line, 1, "no '# link %s' line above the header; "
                           "expected links h2d and d2h both, or none",
                           r->links & 1u << HS_H2D ? "d2h" : "h2d");
}

/* Return whether the column of a time may be absent: unknown times are allowed, and another column
 * says where tasks can run. */
static bool may_lack_times(const struct hsi_rows *r, const int *column)
{
    static const int informative[] = {HSI_CPU, HSI_GPU, HSI_KERNEL, HSI_CPU_COMMAND,
                                      HSI_GPU_COMMAND};

    for (size_t i = 0; r->allows_unknown && i < sizeof informative / sizeof *informative; i++)
        if (column[informative[i]] >= 0)
            return true;
    return false;
}

/*
 * Find the columns. The required own columns must come first in the list of names, then the task
 * table's, then the optional own columns.
 */
static hs_status find_columns(struct hsi_rows *r, const struct hsi_own_columns *own,
                              int *own_column, int end)
{
    const char *names[HSI_COLUMNS + 8];
    int         column[HSI_COLUMNS + 8] = {0};
    size_t      first = own->required, more = first + (size_t)end;
    hs_status   st;

    for (size_t i = 0; i < own->count; i++)
        names[i < first ? i : (size_t)end + i] = own->names[i];
    for (int c = 0; c < end; c++)
        names[first + (size_t)c] = hsi_columns[c].is.name;
    st = hsi_csv_read_header(&r->csv, own->count + (size_t)end, names, first,
                             r->settings.ignore_unknown, column);
    for (int c = 0; c < HSI_REQUIRED && st == HS_OK; c++)
        if (column[first + (size_t)c] < 0 && !may_lack_times(r, column + first))
            st = hsi_csv_fail(&r->csv, NULL, "the header has no column '%s'; expected one with the "
                              "times of tasks on a %s, empty or inf where a task does not run "
                              "there", hsi_columns[c].is.name, c == HSI_CPU ? "CPU" : "GPU");
    for (size_t i = 0; i < own->count; i++)
        own_column[i] = column[i < first ? i : more + i - first];
    memcpy(r->column, column + first, (size_t)end * sizeof *column);
    return st;
}

hs_status hsi_rows_read_header(struct hsi_rows *r, const struct hsi_own_columns *own,
                               int *own_column, int column_count)
{
    hs_status st = find_columns(r, own, own_column, column_count);

    if (st == HS_OK) {
        add_up_nodes(r);
        st = check_memories(r);
    }
    if (st == HS_OK)
        st = hsi_header_resolve_workers(&r->header, &r->csv, &r->settings);
    if (st == HS_OK)
        st = check_nodes(r);
    if (st == HS_OK)
        st = check_links(r);
    r->width = r->csv.count;
    for (int c = 0; st == HS_OK && c < column_count; c++) {
        if (r->column[c] < 0)
            continue;
        r->there[r->count++] = (unsigned char)c;
        r->given |= HSI_BIT(c);
        if (hsi_columns[c].is.type == HS_COLUMN_TIME && r->column[c] < 64)
            r->csv.times |= (uint64_t)1 << r->column[c];
    }
    return st;
}

/* Refuse a word, and list the valid words, e.g. "yes, no or nothing". */
static hs_status wrong_word(struct hsi_csv *csv, const struct hsi_field *field,
                            const hs_column *column)
{
    char   expected[128] = "";
    size_t used = 0;

    for (int i = 1; column->words[i] && used < sizeof expected; i++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                 i > 1 ? ", " : "", column->words[i]);
    return hsi_csv_fail(csv, field, "%s %s; expected %s or nothing", column->name, QUOTED(field),
                        expected);
}

static hs_status read_word(struct hsi_csv *csv, const struct hsi_field *field,
                           const hs_column *column, int64_t *value)
{
    for (*value = 0; column->words[*value]; ++*value)
        if (hsi_field_is(field, column->words[*value]))
            return HS_OK;
    return wrong_word(csv, field, column);
}

/* Convert a field to a value of the column. */
static hs_status convert(struct hsi_csv *csv, const struct hsi_field *field, int column,
                         hsi_value *value)
{
    const hs_column *is = &hsi_columns[column].is;
    uint64_t         count;
    hs_status        st;

    if (field->length == 0) {
        *value = hsi_column_default(column);
        return HS_OK;
    }
    switch (is->type) {
    case HS_COLUMN_TIME:
        return hsi_field_read_time(csv, field, is->name, &value->time);
    case HS_COLUMN_NUMBER:
        return hsi_field_read_number(csv, field, is->name, 0, &value->time);
    case HS_COLUMN_INTEGER:
        return hsi_field_read_signed(csv, field, is->name, &value->integer);
    case HS_COLUMN_COUNT:
        st = hsi_field_read_whole(csv, field, is->name, 1, HS_MAX_TASKS, &count);
        value->integer = (int64_t)count;
        return st;
    default:
        return read_word(csv, field, is, &value->integer);
    }
}

static inline hs_status read_value(struct hsi_csv *csv, const struct hsi_field *field, int column,
                                   bool allows_unknown, hsi_value *value)
{
    if (field->is_time)
        value->time = field->time;
    else if (allows_unknown && column < HSI_REQUIRED && hsi_field_is(field, "?"))
        value->time = HS_UNKNOWN;
    else if (hsi_columns[column].is.type >= HS_COLUMN_TEXT) /* a text or list column */
        value->text = (hsi_text){field->at, field->length};
    else
        return convert(csv, field, column, value);
    return HS_OK;
}

static inline bool has_worker(const struct hsi_rows *r, const hsi_row *row)
{
    return (r->header.cpus > 0 && row->value[HSI_CPU].time != INFINITY) ||
           (r->header.gpus > 0 && row->value[HSI_GPU].time != INFINITY);
}

/* Return the field of a time; NULL: the file has no such column. */
static const struct hsi_field *time_field(const struct hsi_rows *r, int column)
{
    return r->column[column] < 0 ? NULL : &r->csv.fields[r->column[column]];
}

static bool has_text(const hsi_row *row, int column)
{
    return row->given & HSI_BIT(column) && row->value[column].text.length > 0;
}

/*
 * Set the times that the file leaves open: unknown where the row has a kernel or a command to run,
 * else INFINITY. An empty cell beside a given time stays INFINITY.
 */
static void resolve_open_times(const struct hsi_rows *r, hsi_row *row)
{
    static const int        command[] = {HSI_CPU_COMMAND, HSI_GPU_COMMAND};
    const struct hsi_field *field[] = {time_field(r, HSI_CPU), time_field(r, HSI_GPU)};
    bool both_empty = (!field[0] || field[0]->length == 0) && (!field[1] || field[1]->length == 0);

    for (int c = HSI_CPU; c <= HSI_GPU; c++) {
        bool runs = has_text(row, HSI_KERNEL) || has_text(row, command[c]);

        if (!field[c] || both_empty)
            row->value[c].time = runs ? HS_UNKNOWN : INFINITY;
        row->given |= HSI_BIT(c);
    }
}

/* Refuse a row without times, kernel and command. */
static hs_status refuse_row(struct hsi_rows *r)
{
    if (r->column[HSI_CPU_COMMAND] < 0 && r->column[HSI_KERNEL] < 0)
        return hsi_csv_fail(&r->csv, time_field(r, HSI_CPU),
                            "the task can run nowhere; expected a cpu or gpu time, or a column "
                            "cpu_command or kernel with something to run");
    return hsi_csv_fail(&r->csv, time_field(r, HSI_CPU), "the task can run nowhere; expected a cpu "
                        "or gpu time, a cpu_command, or a kernel");
}

static hs_status refuse_times(struct hsi_rows *r, const hsi_row *row)
{
    const struct hsi_field *cpu = time_field(r, HSI_CPU), *gpu = time_field(r, HSI_GPU);

    if (row->value[HSI_GPU].time != INFINITY)
        return hsi_csv_fail(&r->csv, cpu, "the task runs on GPUs only and there is none; expected "
                            "a finite cpu time");
    if (row->value[HSI_CPU].time != INFINITY)
        return hsi_csv_fail(&r->csv, gpu, "the task runs on CPUs only and there is none; expected "
                            "a finite gpu time");
    return refuse_row(r);
}

/*
 * Refuse a finite time without a command on that type: the task would count as done without having
 * run.
 */
static hs_status refuse_command(struct hsi_rows *r, int type)
{
    const char *missing = type == HSI_CPU ? "cpu_command" : "gpu_command";
    const char *given = type == HSI_CPU ? "gpu_command" : "cpu_command";

    return hsi_csv_fail(&r->csv, time_field(r, type),
                        "the task has a %s and this time, but nothing to run here; expected a %s, "
                        "a kernel, or inf",
                        given, missing);
}

hs_status hsi_rows_convert_record(struct hsi_rows *r, hsi_row *row)
{
    const uint32_t commands = HSI_BIT(HSI_CPU_COMMAND) | HSI_BIT(HSI_GPU_COMMAND);
    int            lacking;

    row->given = r->given;
    for (int i = 0; i < r->count; i++) {
        int       c = r->there[i];
        hs_status st = read_value(&r->csv, &r->csv.fields[r->column[c]], c, r->allows_unknown,
                                  &row->value[c]);

        if (st != HS_OK)
            return st;
    }
    if (r->allows_unknown)
        resolve_open_times(r, row);
    if (!has_worker(r, row))
        return refuse_times(r, row);
    if (row->given & commands && (lacking = hsi_row_column_without_command(row)) >= 0)
        return refuse_command(r, lacking);
    return HS_OK;
}

hs_status hsi_rows_add_to_builder(struct hsi_rows *r, const hsi_row *row,
                                  const struct hsi_field *field)
{
    uint64_t  line = r->csv.line, column = 1;
    hs_status st;

    if (field)
        hsi_csv_position(&r->csv, field, &line, &column);
    st = hsi_places_add(&r->places, line, column);
    if (st == HS_OK && row->given & HSI_BIT(HSI_AFTER))
        st = hsi_list_add_field(&r->after, &r->csv, &r->csv.fields[r->column[HSI_AFTER]]);
    if (st == HS_OK && row->given & HSI_BIT(HSI_DATA))
        st = hsi_list_add_field(&r->data, &r->csv, &r->csv.fields[r->column[HSI_DATA]]);
    if (st == HS_OK)
        st = hsi_builder_add_row(r->builder, row);
    return st == HS_OK ? HS_OK : hsi_csv_fail_status(&r->csv, st);
}

/* Report the row or the list that the builder refused, in the words of the builder. */
static hs_status refuse(struct hsi_rows *r, hs_status status, const hs_error *error)
{
    uint64_t line, column;

    if (status == HS_EGRAPH)
        hsi_lists_find_fault(&r->after, &r->data, r->builder, &line, &column);
    else
        hsi_places_find_row(&r->places, error->line - 1, &line, &column);
    return hsi_csv_fail_at(&r->csv, line, column, "%s", error->why);
}

hs_status hsi_rows_finish(struct hsi_rows *r, hs_instance **out)
{
    hs_error  error = {0};
    hs_status st;

    hsi_csv_close(&r->csv); /* Close the file first: the builder's last step needs the memory. */
    st = hs_builder_set_workers(r->builder, r->header.cpus, r->header.gpus);
    if (st == HS_OK)
        st = hs_builder_set_unit(r->builder, r->header.unit);
    if (st != HS_OK)
        return hsi_csv_fail_status(&r->csv, st);
    st = hsi_lists_flush(&r->after, &r->data, r->builder, &r->csv, &error);
    if (st != HS_OK && !error.line)
        return st;
    if (st == HS_OK)
        st = hs_builder_finish(r->builder, out, &error);
    return error.line ? refuse(r, st, &error) : hsi_csv_fail_status(&r->csv, st);
}
