/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The digest of an instance, as hsched-formats(5) defines it: FNV-1a over the canonical bytes of
 * each task, mixed at the end so every bit counts, and summed, so the order of tasks does not
 * matter.
 */
#include "core/digest.h"
#include "core/instance_store.h"

/* List the columns in the order of the digest, without extra columns that are absent. Return their
 * number. */
static int list_columns(const hsi_store *store, int columns[HSI_COLUMNS])
{
    int count = 0;

    for (hsi_digest_part part = HSI_DIGEST_NUMBER; part <= HSI_DIGEST_EXTRA; part++)
        for (int c = 0; c < HSI_COLUMNS; c++)
            if (hsi_columns[c].digest == part &&
                (part != HSI_DIGEST_EXTRA || hsi_store_has(store, c)))
                columns[count++] = c;
    return count;
}

static uint64_t add_value(uint64_t digest, int column, const hsi_value *value)
{
    const hsi_text *text = &value->text;

    switch (hsi_columns[column].is.type) {
    case HS_COLUMN_TIME:
    case HS_COLUMN_NUMBER:
        return hsi_digest_double(digest, value->time);
    case HS_COLUMN_INTEGER:
        return hsi_digest_number(digest, (uint64_t)value->integer, 8);
    case HS_COLUMN_COUNT:
        return hsi_digest_number(digest, (uint64_t)value->integer, 4);
    case HS_COLUMN_WORD:
        return hsi_digest_number(digest, (uint64_t)value->integer, 1);
    default:
        return hsi_digest_number(hsi_digest_bytes(digest, text->at, text->length), 0, 1);
    }
}

/* Digest the predecessors of a row, independent of their order. */
static uint64_t after_digest(const hs_instance *in, size_t row)
{
    char     name[HS_MAX_ID + 16];
    uint64_t sum = 0;
    size_t   earlier;
    uint32_t copy;
    double   bytes;

    for (size_t i = 0; hs_instance_predecessor(in, row, i, &earlier, &copy, &bytes); i++) {
        size_t   length = hsi_store_row_name(in->store, earlier, copy, name, sizeof name);
        uint64_t h = hsi_digest_bytes(HSI_FNV_BASIS, name, length + 1);

        sum += hsi_digest_finish(hsi_digest_double(h, bytes));
    }
    return sum;
}

/* Digest the accesses of a row; its position among the rows with accesses stands for the order. */
static uint64_t data_digest(const hs_instance *in, size_t row, size_t place)
{
    uint64_t       h = hsi_digest_number(HSI_FNV_BASIS, place, 8);
    size_t         data;
    hs_access_mode mode;

    for (size_t i = 0; hs_instance_access(in, row, i, &data, &mode); i++) {
        h = hsi_digest_string(h, hs_instance_handle_name(in, data));
        h = hsi_digest_number(h, mode, 1);
        h = hsi_digest_double(h, hs_instance_handle_bytes(in, data));
        if (hs_instance_handle_memory_node(in, data) != 0)
            h = hsi_digest_number(h, hs_instance_handle_memory_node(in, data), 4);
    }
    return hsi_digest_finish(h);
}

/* Digests of a row's lists, shared by its tasks. */
typedef struct lists {
    int      after, data; /* whether the list of the row is not empty */
    uint64_t after_digest, data_digest;
    size_t   place; /* number of earlier rows with accesses */
} lists;

static void find_lists(const hs_instance *in, size_t row, lists *l)
{
    size_t         earlier, data;
    uint32_t       copy;
    double         bytes;
    hs_access_mode mode;

    l->place += (size_t)l->data;
    l->after = hs_instance_predecessor(in, row, 0, &earlier, &copy, &bytes);
    l->data = hs_instance_access(in, row, 0, &data, &mode);
    l->after_digest = l->after ? after_digest(in, row) : 0;
    l->data_digest = l->data ? data_digest(in, row, l->place) : 0;
}

static uint64_t add_list(uint64_t digest, int column, const lists *l)
{
    if (!(column == HSI_AFTER ? l->after : l->data))
        return digest;
    digest = hsi_digest_string(digest, hsi_columns[column].is.name);
    return hsi_digest_number(digest, column == HSI_AFTER ? l->after_digest : l->data_digest, 8);
}

static uint64_t task_digest(const hs_instance *in, size_t task, size_t row, const lists *l,
                            const int *columns, int count)
{
    char     name[HS_MAX_ID + 16];
    uint64_t h = HSI_FNV_BASIS;

    h = hsi_digest_bytes(h, name, hs_instance_name(in, task, name, sizeof name) + 1);
    for (int i = 0; i < count; i++) {
        int       c = columns[i];
        hsi_value value;

        if (hsi_columns[c].is.type == HS_COLUMN_LIST) {
            h = add_list(h, c, l);
            continue;
        }
        value = hsi_store_value(in->store, c, row);
        if (hsi_columns[c].digest == HSI_DIGEST_EXTRA) {
            if (hsi_column_is_default(c, &value))
                continue;
            h = hsi_digest_string(h, hsi_columns[c].is.name);
        }
        h = add_value(h, c, &value);
    }
    return hsi_digest_finish(h);
}

/* Add the links; without links the digest is unchanged. */
static uint64_t add_links(uint64_t digest, const hs_instance *in)
{
    for (hs_link link = HS_H2D; link < HS_LINKS; link++) {
        double latency, bandwidth;

        if (!hs_instance_link(in, link, &latency, &bandwidth))
            continue;
        digest = hsi_digest_number(hsi_digest_string(digest, "link"), (uint64_t)link, 1);
        digest = hsi_digest_double(hsi_digest_double(digest, latency), bandwidth);
    }
    return digest;
}

/* Add the listed nodes; without them the digest is unchanged. */
static uint64_t add_nodes(uint64_t digest, const hs_instance *in)
{
    const char *name;
    unsigned    cpus, gpus;

    for (size_t node = 0; (name = hs_instance_node(in, node, &cpus, &gpus)); node++) {
        digest = hsi_digest_string(hsi_digest_string(digest, "node"), name);
        digest = hsi_digest_number(hsi_digest_number(digest, cpus, 4), gpus, 4);
    }
    return digest;
}

uint64_t hs_instance_digest(const hs_instance *in)
{
    static const char magic[] = "hybridsched-instance-1";
    uint64_t          sum = hsi_digest_bytes(HSI_FNV_BASIS, magic, sizeof magic);
    size_t            row, task = 0;
    int               columns[HSI_COLUMNS], count = list_columns(in->store, columns);
    lists             l = {0};

    sum = hsi_digest_number(sum, in->cpus, 4);
    sum = hsi_digest_number(sum, in->gpus, 4);
    sum = hsi_digest_number(sum, (uint64_t)in->store->unit, 1);
    sum = hsi_digest_finish(add_nodes(add_links(sum, in), in));
    for (row = 0; row < in->store->rows; row++) {
        size_t end = task + hsi_store_count(in->store, row);

        if (in->store->relations)
            find_lists(in, row, &l);
        for (; task < end; task++)
            sum += task_digest(in, task, row, &l, columns, count);
    }
    return hsi_digest_finish(sum);
}
