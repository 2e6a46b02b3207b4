/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import of graphs in the DOT language. Attributes of nodes are the columns of an instance, and
 * attributes of the graph its header lines, so that the output of hs_dot_write() is read back.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/builder.h"
#include "core/error.h"
#include "core/memory_name.h"
#include "io/import/dot/parser.h"
#include "io/import/import.h"
#include "io/import/list_entry.h"
#include "io/text/field_value.h"

typedef struct reader {
    hsi_import          r;
    hsi_dot             dot;
    uint32_t           *row;            /* row of each node; HSI_NO_ROW: the node is a barrier */
    bool                has_data;       /* whether any task accesses data */
    const hsi_dot_fact *link[HS_LINKS]; /* attributes of the graph for links; NULL: missing */
} reader;

static hs_status refuse(reader *d, hsi_dot_value value, const char *what, const char *expected)
{
    char shown[HSI_SHOWN];

    return hsi_import_fail(&d->r.text, value.at, "%s %s; expected %s", what,
                           hsi_import_quote(value.text, shown), expected);
}

static int compare_given(const void *a, const void *b)
{
    const hsi_dot_given *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->value.at < y->value.at ? -1 : x->value.at > y->value.at;
}

static hs_status read_time(reader *d, hsi_dot_value value, const char *name, double *time)
{
    if (hsi_text_is(value.text, "inf")) {
        *time = INFINITY;
        return HS_OK;
    }
    if (!hsi_text_to_number(value.text.at, value.text.length, time))
        return refuse(d, value, name, "a time or inf");
    return hsi_import_check_time(&d->r, value.at, name, time);
}

/* Copy a text to the arena, NUL-terminated. */
static hs_status keep(reader *d, hsi_text text, hsi_text *kept)
{
    char *to = hsi_arena_alloc(&d->dot.lexer.arena, text.length + 1, 1);

    if (!to)
        return HS_ENOMEM;
    memcpy(to, text.at, text.length);
    to[text.length] = '\0';
    *kept = (hsi_text){to, text.length};
    return HS_OK;
}

static hs_status read_number(reader *d, hsi_dot_value value, const char *name, double *number)
{
    if (hsi_text_to_number(value.text.at, value.text.length, number) && *number >= 0)
        return HS_OK;
    return refuse(d, value, name, "a number that is not negative");
}

static hs_status read_integer(reader *d, hsi_dot_value value, const char *name, int64_t *number)
{
    hsi_text  kept;
    char     *end;
    hs_status st = keep(d, value.text, &kept);

    if (st != HS_OK)
        return st;
    errno = 0;
    *number = strtoll(kept.at, &end, 10);
    if (kept.length == 0 || end != kept.at + kept.length || errno || kept.at[0] == ' ')
        return refuse(d, value, name, "a whole number of 64 bits");
    return HS_OK;
}

static hs_status read_word(reader *d, hsi_dot_value value, const hs_column *is, int64_t *number)
{
    for (*number = 0; is->words[*number]; ++*number)
        if (hsi_text_is(value.text, is->words[*number]))
            return HS_OK;
    return refuse(d, value, is->name, "yes or no");
}

static hs_status read_column(reader *d, int column, hsi_dot_value given, hs_task *task)
{
    const hs_column *is = &hsi_columns[column].is;
    hsi_value        value = {0};
    hs_status        st;

    switch (is->type) {
    case HS_COLUMN_TIME:
        st = read_time(d, given, is->name, &value.time);
        break;
    case HS_COLUMN_NUMBER:
        st = read_number(d, given, is->name, &value.time);
        break;
    case HS_COLUMN_INTEGER:
        st = read_integer(d, given, is->name, &value.integer);
        break;
    case HS_COLUMN_WORD:
        st = read_word(d, given, is, &value.integer);
        break;
    default:
        st = keep(d, given.text, &value.text);
    }
    if (st == HS_OK)
        hsi_task_set_column(task, column, &value);
    return st;
}

static hs_status read_data(reader *d, hsi_dot_value value)
{
    static const char *const modes[] = {"r", "w", "rw"};
    hsi_text                 list = value.text, name, mode;
    hs_status st = hsi_import_next_list_entry(&list, &d->dot.lexer.arena, &name, &mode);

    for (; st == HS_OK && name.at;
         st = hsi_import_next_list_entry(&list, &d->dot.lexer.arena, &name, &mode)) {
        size_t data;
        int    m = 0;

        while (m < 3 && !hsi_text_is(mode, modes[m]))
            m++;
        if (m == 3 || name.length == 0)
            return refuse(d, value, "data", "NAME:MODE;NAME:MODE with modes r, w or rw");
        st = hs_builder_add_handle(d->r.builder, name.at, &data);
        if (st == HS_OK)
            st = hs_builder_add_access(d->r.builder, d->r.rows - 1, data, (hs_access_mode)(m + 1));
        if (st != HS_OK)
            return st;
        d->has_data = true;
    }
    return st;
}

static hs_status read_times(reader *d, const hsi_dot_node *node, hsi_text id,
                            const hsi_dot_values *values, hs_task *task)
{
    const hsi_dot_value *cpu = &values->of[HSI_CPU], *gpu = &values->of[HSI_GPU];
    char                 shown[HSI_SHOWN];
    hs_status            st = HS_OK;

    if (!cpu->at && !gpu->at)
        return hsi_import_fail(&d->r.text, node->at,
                               "node %s has no time; expected an attribute "
                               "'%s'",
                               hsi_import_quote(id, shown), d->dot.time);
    if (cpu->at)
        st = read_time(d, *cpu, d->dot.time, &task->cpu);
    if (st == HS_OK && gpu->at)
        return read_time(d, *gpu, "gpu", &task->gpu);
    return st == HS_OK ? hsi_import_gpu_time(&d->r, node->at, id, task->cpu, &task->gpu) : st;
}

/* Add a node of the graph as a row of the instance. */
static hs_status add_task(reader *d, const hsi_dot_node *node, hsi_text id,
                          const hsi_dot_values *values)
{
    char      shown[HSI_SHOWN];
    hs_task   task;
    size_t    number, known = d->r.tasks.count;
    hs_status st = hsi_words_find_or_add(&d->r.tasks, id, &number);

    if (st == HS_OK && number < known)
        return hsi_import_fail(&d->r.text, node->at, "the id %s is another node's already",
                               hsi_import_quote(id, shown));
    hs_task_init(&task);
    if (st == HS_OK)
        st = read_times(d, node, id, values, &task);
    for (int c = HSI_GPU + 1; c < HSI_COLUMNS && st == HS_OK; c++)
        if (c != HSI_ID && c != HSI_DATA && values->of[c].at)
            st = read_column(d, c, values->of[c], &task);
    if (st == HS_OK)
        st = hsi_import_add_task(&d->r, node->at, id, &task);
    return st == HS_OK && values->of[HSI_DATA].at ? read_data(d, values->of[HSI_DATA]) : st;
}

/* Remove attributes with an empty value; Graphviz ignores such attributes. */
static void drop_empty(hsi_dot_values *values)
{
    for (int i = 0; i < HSI_DOT_ATTRIBUTES; i++)
        if (values->of[i].text.length == 0)
            values->of[i].at = NULL;
}

static hs_status add_nodes(reader *d)
{
    const hsi_dot_node   *node = d->dot.nodes.data;
    const hsi_dot_values *defaults = d->dot.defaults.data;
    const hsi_dot_given  *given = d->dot.given.data, *end = given;
    hs_status             st = HS_OK;

    if (d->dot.given.size) {
        end += d->dot.given.size / sizeof *given;
        qsort(d->dot.given.data, (size_t)(end - given), sizeof *given, compare_given);
    }
    for (size_t i = 0; i < d->dot.names.count && st == HS_OK; i++) {
        hsi_dot_values values = defaults[node[i].defaults];
        hsi_text       id = d->dot.names.word[i];

        for (; given < end && given->node == i; given++)
            values.of[given->attribute] = given->value;
        drop_empty(&values);
        if (values.of[HSI_ID].at)
            id = values.of[HSI_ID].text;
        d->row[i] = (uint32_t)d->r.rows;
        if (hsi_text_is(values.of[HSI_DOT_SHAPE].text, "point") && !values.of[HSI_CPU].at &&
            !values.of[HSI_GPU].at)
            d->row[i] = HSI_NO_ROW;
        else
            st = add_task(d, &node[i], id, &values);
    }
    return st;
}

static hs_status read_workers(reader *d, const hsi_dot_fact *fact, int *given, unsigned *workers)
{
    uint64_t number;

    if (!hsi_text_to_whole(fact->value.text.at, fact->value.text.length, &number) ||
        number > HS_MAX_WORKERS)
        return refuse(d, fact->value, "number of workers", "a whole number up to 1000000");
    if (!*given)
        *workers = (unsigned)number;
    return HS_OK;
}

static hs_status read_unit(reader *d, const hsi_dot_fact *fact)
{
    for (int unit = 0; hs_unit_name((hs_unit)unit); unit++)
        if (hsi_text_is(fact->value.text, hs_unit_name((hs_unit)unit))) {
            d->r.settings.unit = (hs_unit)unit;
            return HS_OK;
        }
    return refuse(d, fact->value, "unit", "s, ms, us or ns");
}

/* Set the bytes of a handle and, if a name follows after a blank, the memory that has it at first.
 */
static hs_status set_size(reader *d, const hsi_dot_fact *fact, hsi_text size, size_t data)
{
    const char *blank = size.length > 0 ? memchr(size.at, ' ', size.length) : NULL;
    const char *end = blank ? size.at + size.length : NULL;
    hs_type     type;
    unsigned    number;
    double      bytes;
    hs_status   st = HS_OK;

    if (blank)
        size.length = (size_t)(blank - size.at);
    if (!hsi_text_to_number(size.at, size.length, &bytes) || bytes < 0 ||
        (blank && !hsi_memory_name_read(blank + 1, (size_t)(end - blank - 1), &type, &number)))
        return refuse(d, fact->value, "data", "NAME:BYTES;NAME:BYTES MEMORY");
    if (blank)
        st = hs_builder_set_handle_memory(d->r.builder, data, type, number);
    return st == HS_OK ? hs_builder_set_handle_bytes(d->r.builder, data, bytes) : st;
}

static hs_status read_sizes(reader *d, const hsi_dot_fact *fact)
{
    hsi_text  list = fact->value.text, name, size;
    hs_status st = hsi_import_next_list_entry(&list, &d->dot.lexer.arena, &name, &size);

    for (; st == HS_OK && name.at;
         st = hsi_import_next_list_entry(&list, &d->dot.lexer.arena, &name, &size)) {
        size_t data;

        if (name.length == 0)
            return refuse(d, fact->value, "data", "NAME:BYTES;NAME:BYTES MEMORY");
        st = hs_builder_add_handle(d->r.builder, name.at, &data);
        if (st == HS_OK)
            st = set_size(d, fact, size, data);
        if (st != HS_OK)
            return st;
    }
    return st;
}

/* Read the next word of a text, up to a blank or the end. */
static hsi_text next_word(const char **at, const char *end)
{
    const char *begin = *at, *blank = memchr(begin, ' ', (size_t)(end - begin));
    hsi_text    word = {begin, (size_t)((blank ? blank : end) - begin)};

    *at = blank ? blank + 1 : end;
    return word;
}

/* Read the attribute "NAME CPUS GPUS NAME CPUS GPUS ...". */
static hs_status read_nodes(reader *d, const hsi_dot_fact *fact)
{
    const char *at = fact->value.text.at, *end = at + fact->value.text.length;
    hs_status   st = HS_OK;

    while (st == HS_OK && at < end) {
        hsi_text name = next_word(&at, end), cpus = next_word(&at, end), gpus = next_word(&at, end);
        double   m, k;

        st = hsi_text_to_number(cpus.at, cpus.length, &m) &&
                     hsi_text_to_number(gpus.at, gpus.length, &k) && m >= 0 && k >= 0 &&
                     m <= HS_MAX_WORKERS && k <= HS_MAX_WORKERS && m == floor(m) && k == floor(k)
                 ? hsi_builder_add_node(d->r.builder, name, (unsigned)m, (unsigned)k)
                 : HS_EINVAL;
    }
    if (st == HS_EINVAL || st == HS_ETOOBIG)
        return refuse(d, fact->value, "nodes", "the name, the CPUs and the GPUs of each node");
    return st;
}

static hs_status read_link(reader *d, hs_link link, const hsi_dot_fact *fact)
{
    const char *blank = memchr(fact->value.text.at, ' ', fact->value.text.length);
    const char *end = fact->value.text.at + fact->value.text.length;
    double      latency, bandwidth;

    if (!blank ||
        !hsi_text_to_number(fact->value.text.at, (size_t)(blank - fact->value.text.at), &latency) ||
        !hsi_text_to_number(blank + 1, (size_t)(end - blank) - 1, &bandwidth) || latency < 0 ||
        !(bandwidth > 0))
        return refuse(d, fact->value, "link", "a latency and the bytes a second");
    d->link[link] = fact;
    return hs_builder_set_link(d->r.builder, link, latency, bandwidth);
}

/* Check that links to GPUs and back are both given, or neither. */
static hs_status check_links(reader *d)
{
    const hsi_dot_fact *some = NULL;

    for (int link = 0; link < HS_LINKS; link++)
        some = d->link[link] ? d->link[link] : some;
    if (!some || (d->link[HS_H2D] && d->link[HS_D2H]))
        return HS_OK;
    return refuse(d, some->value, "link", "link_h2d and link_d2h both, or none");
}

static hs_status read_fact(reader *d, const hsi_dot_fact *fact)
{
    static const char *const links[HS_LINKS] = {"link_h2d", "link_d2h", "link_d2d", "link_n2n"};
    hs_import_settings      *o = &d->r.settings;

    if (hsi_text_is(fact->name, "cpus"))
        return read_workers(d, fact, &o->has_cpus, &o->cpus);
    if (hsi_text_is(fact->name, "gpus"))
        return read_workers(d, fact, &o->has_gpus, &o->gpus);
    if (hsi_text_is(fact->name, "unit"))
        return read_unit(d, fact);
    if (hsi_text_is(fact->name, "data"))
        return read_sizes(d, fact);
    if (hsi_text_is(fact->name, "nodes"))
        return read_nodes(d, fact);
    for (int link = 0; link < HS_LINKS; link++)
        if (hsi_text_is(fact->name, links[link]))
            return read_link(d, (hs_link)link, fact);
    return HS_OK;
}

/* Refuse barriers without an edge, which order nothing: their times are probably missing. */
static hs_status check_barriers(reader *d)
{
    const hsi_dot_node  *node = d->dot.nodes.data;
    const hsi_node_edge *edge = d->dot.edges.data;
    const size_t         count = d->dot.edges.size / sizeof *edge;
    bool                *has_edge = calloc(d->dot.names.count + 1, sizeof *has_edge);
    char                 shown[HSI_SHOWN];
    hs_status            st = has_edge ? HS_OK : HS_ENOMEM;

    for (size_t i = 0; i < count && st == HS_OK; i++)
        has_edge[edge[i].later] = has_edge[edge[i].earlier] = true;
    for (size_t i = 0; i < d->dot.names.count && st == HS_OK; i++)
        if (d->row[i] == HSI_NO_ROW && !has_edge[i])
            st = hsi_import_fail(&d->r.text, node[i].at,
                                 "node %s has no time and no edge; expected an attribute '%s'",
                                 hsi_import_quote(d->dot.names.word[i], shown), d->dot.time);
    free(has_edge);
    return st;
}

/*
 * Remove edges that follow from data if the file has the data, because the builder derives them
 * again.
 */
static void drop_edges_of_data(reader *d)
{
    hsi_node_edge *edge = d->dot.edges.data;
    size_t          count = d->dot.edges.size / sizeof *edge, kept = 0;

    for (size_t i = 0; d->has_data && i < count; i++)
        if (!edge[i].is_data)
            edge[kept++] = edge[i];
    if (d->has_data)
        d->dot.edges.size = kept * sizeof *edge;
}

static hs_status read_graph(reader *d)
{
    const hsi_dot_fact *fact = d->dot.facts.data;
    hs_status           st = HS_OK;

    for (size_t i = 0; i < d->dot.facts.size / sizeof *fact && st == HS_OK; i++)
        st = read_fact(d, &fact[i]);
    if (st == HS_OK)
        st = check_links(d);
    if (st != HS_OK)
        return st;
    d->row = malloc((d->dot.names.count + 1) * sizeof *d->row);
    st = d->row ? add_nodes(d) : HS_ENOMEM;
    if (st == HS_OK)
        st = check_barriers(d);
    if (st != HS_OK)
        return st;
    drop_edges_of_data(d);
    st = hsi_import_add_edges_through_barriers(&d->r, d->dot.edges.data,
                                               d->dot.edges.size / sizeof(hsi_node_edge),
                                               d->dot.names.count, d->row);
    if (st == HS_OK && d->dot.is_strict)
        hsi_import_merge_edges(&d->r);
    return st == HS_OK ? hs_builder_set_unit(d->r.builder, d->r.settings.unit) : st;
}

hs_status hs_import_dot(int fd, const hs_import_settings *settings, hs_instance **out,
                        hs_error *error)
{
    reader        d = {0};
    hs_status     st;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_import_open(&d.r, fd, settings);
    if (st == HS_OK)
        st = hsi_dot_parse(&d.dot, &d.r);
    if (st == HS_OK)
        st = read_graph(&d);
    if (st == HS_OK)
        st = hsi_import_finish(&d.r, "DOT", out);
    free(d.row);
    hsi_dot_close(&d.dot);
    return hsi_import_close(&d.r, st, error);
}
