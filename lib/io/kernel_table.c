/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "io/text/csv.h"
#include "io/text/field_value.h"
#include "io/text/file_header.h"
#include "support/vector.h"

#define QUOTED(field) hsi_quote((field)->at, (field)->length, (char[HSI_QUOTE]){0})

/* Limit on kernels: each new kernel is compared with all earlier ones. */
#define MOST_KERNELS 1000u

enum { KERNEL, CPU, GPU, OPERATION, FACTORISATION, COLUMNS };

static const char *const names[COLUMNS] = {"kernel", "cpu", "gpu", "operation", "factorisation"};

/* A kernel whose strings are offsets into the text, because the text still moves as it grows. */
struct entry {
    size_t   factorisation, operation, kernel;
    double   cpu, gpu;
    uint64_t line;
};

struct reader {
    struct hsi_csv    csv;
    struct hsi_header header;
    int               column[COLUMNS];
    size_t            width;
    hsi_vector        entries;      /* struct entry */
    hsi_vector        text;
    size_t            name, source; /* offsets of two header values in `text` */
    int               has_name, has_source;
};

/* The memory of a table is one block: this struct, the kernels, the text. */
struct block {
    hs_kernel_table table;
    hs_kernel       kernels[];
};

static size_t entry_count(const struct reader *r)
{
    return r->entries.size / sizeof(struct entry);
}

static const char *text_at(const struct reader *r, size_t offset)
{
    return (const char *)r->text.data + offset;
}

/* Copy a string to the text; *offset is its begin. */
static hs_status keep(struct reader *r, const char *at, size_t length, size_t *offset)
{
    size_t begin = r->text.size;

    if (hsi_vector_append(&r->text, at, length) || hsi_vector_append(&r->text, "", 1))
        return hsi_csv_fail_status(&r->csv, HS_ENOMEM);
    *offset = begin;
    return HS_OK;
}

static hs_status take_note(struct reader *r, int *has, size_t *offset)
{
    const struct hsi_field *field = r->csv.fields;

    if (*has)
        return hsi_csv_fail(&r->csv, &field[0], "a second '# %.*s' line; expected one",
                            (int)field[0].length, field[0].at);
    *has = 1;
    return keep(r, field[1].at, field[1].length, offset);
}

/* Read the '#' lines up to the header; lines with an unknown key are comments. */
static hs_status read_header(struct reader *r)
{
    const struct hsi_field *key;
    int                     found;
    hs_status               st = keep(r, "", 0, &r->name);

    r->source = r->name;
    while (st == HS_OK) {
        st = hsi_header_next_line(&r->header, &r->csv, &found);
        if (st != HS_OK || !found)
            break;
        key = &r->csv.fields[0];
        if (hsi_field_is(key, "name"))
            st = take_note(r, &r->has_name, &r->name);
        else if (hsi_field_is(key, "source"))
            st = take_note(r, &r->has_source, &r->source);
    }
    if (st == HS_OK)
        st = hsi_csv_read_header(&r->csv, COLUMNS, names, 3, 0, r->column);
    r->width = r->csv.count;
    return st;
}

/* Names of kernels in common libraries, for the operations of hs_generate_tiled(). */
static const char *const operations[][2] = {
    {"potrf", "potrf"},   {"trsm", "trsm"},     {"syrk", "syrk"},    {"gemm", "gemm"},
    {"getrf", "getrf"},   {"getrf_nopiv", "getrf"},
    {"geqrt", "geqrt"},   {"geqrf", "geqrt"},   {"ormqr", "ormqr"},  {"unmqr", "ormqr"},
    {"tpqrt", "tpqrt"},   {"tsqrt", "tpqrt"},   {"tpmqrt", "tpmqrt"}, {"tsmqr", "tpmqrt"},
};

static const char *find_operation(const char *at, size_t length)
{
    size_t i;

    for (i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strlen(operations[i][0]) == length && memcmp(operations[i][0], at, length) == 0)
            return operations[i][1];
    return NULL;
}

/*
 * Derive the operation from a name such as "dgeqrf:960": the part before the colon, without the
 * letter of the precision.
 */
static hs_status derive_operation(struct reader *r, const struct hsi_field *kernel, size_t *offset)
{
    const char *colon = memchr(kernel->at, ':', kernel->length);
    size_t      length = colon ? (size_t)(colon - kernel->at) : kernel->length;
    const char *found = find_operation(kernel->at, length);

    if (!found && length > 1 && memchr("sdcz", kernel->at[0], 4))
        found = find_operation(kernel->at + 1, length - 1);
    if (found)
        return keep(r, found, strlen(found), offset);
    return keep(r, kernel->at, length, offset);
}

static const struct hsi_field *field_of(const struct reader *r, int column)
{
    static const struct hsi_field absent = {.at = "", .length = 0};

    return r->column[column] < 0 ? &absent : &r->csv.fields[r->column[column]];
}

static hs_status read_operation(struct reader *r, size_t *offset)
{
    const struct hsi_field *operation = field_of(r, OPERATION);

    if (operation->length)
        return keep(r, operation->at, operation->length, offset);
    return derive_operation(r, field_of(r, KERNEL), offset);
}

static hs_status read_factorisation(struct reader *r, size_t *offset)
{
    const struct hsi_field *field = field_of(r, FACTORISATION);

    if (field->length && !hsi_field_is(field, "cholesky") && !hsi_field_is(field, "lu") &&
        !hsi_field_is(field, "qr"))
        return hsi_csv_fail(&r->csv, field, "factorisation %s; expected cholesky, lu, qr, or "
                            "nothing for all of them", QUOTED(field));
    return keep(r, field->at, field->length, offset);
}

static hs_status read_times(struct reader *r, struct entry *entry)
{
    hs_status st = hsi_field_read_time(&r->csv, field_of(r, CPU), "cpu", &entry->cpu);

    if (st == HS_OK)
        st = hsi_field_read_time(&r->csv, field_of(r, GPU), "gpu", &entry->gpu);
    if (st == HS_OK && isinf(entry->cpu) && isinf(entry->gpu))
        st = hsi_csv_fail(&r->csv, field_of(r, KERNEL), "kernel %s has no implementation; "
                          "expected a CPU or a GPU time", QUOTED(field_of(r, KERNEL)));
    return st;
}

static hs_status refuse_second(struct reader *r, const struct entry *entry)
{
    const struct entry *known = r->entries.data;
    const char         *operation = text_at(r, entry->operation);
    const char         *owner = text_at(r, entry->factorisation);
    size_t              i;
    char                shown[HSI_QUOTE];

    for (i = 0; i < entry_count(r); i++)
        if (strcmp(text_at(r, known[i].operation), operation) == 0 &&
            strcmp(text_at(r, known[i].factorisation), owner) == 0)
            return hsi_csv_fail(&r->csv, field_of(r, KERNEL), "operation %s%s%s has a kernel on "
                                "line %llu already; expected one",
                                hsi_quote(operation, strlen(operation), shown),
                                *owner ? " of " : "", owner, (unsigned long long)known[i].line);
    return HS_OK;
}

static hs_status read_kernel(struct reader *r)
{
    const struct hsi_field *kernel = field_of(r, KERNEL);
    struct entry            entry = {.line = r->csv.line};
    hs_status               st;

    if (entry_count(r) == MOST_KERNELS)
        return hsi_csv_fail(&r->csv, NULL, "more than %u kernels", MOST_KERNELS);
    if (kernel->length == 0)
        return hsi_csv_fail(&r->csv, kernel, "no kernel; expected a name such as dgemm:960");
    st = keep(r, kernel->at, kernel->length, &entry.kernel);
    if (st == HS_OK)
        st = read_times(r, &entry);
    if (st == HS_OK)
        st = read_operation(r, &entry.operation);
    if (st == HS_OK)
        st = read_factorisation(r, &entry.factorisation);
    if (st == HS_OK)
        st = refuse_second(r, &entry);
    if (st != HS_OK)
        return st;
    if (hsi_vector_append(&r->entries, &entry, sizeof entry))
        return hsi_csv_fail_status(&r->csv, HS_ENOMEM);
    return HS_OK;
}

static hs_status read_rows(struct reader *r)
{
    int       found = 1;
    hs_status st = HS_OK;

    while (st == HS_OK) {
        st = hsi_csv_next_row(&r->csv, r->width, &found);
        if (st != HS_OK || !found)
            break;
        st = read_kernel(r);
    }
    return st;
}

static hs_status make_table(struct reader *r, hs_kernel_table **out)
{
    const struct entry *entry = r->entries.data;
    size_t              count = entry_count(r), kernels = count * sizeof(hs_kernel), i;
    struct block       *block = malloc(sizeof *block + kernels + r->text.size);
    char               *text;

    if (!block)
        return hsi_csv_fail_status(&r->csv, HS_ENOMEM);
    text = (char *)block + sizeof *block + kernels;
    memcpy(text, r->text.data, r->text.size);
    for (i = 0; i < count; i++)
        block->kernels[i] = (hs_kernel){text + entry[i].factorisation, text + entry[i].operation,
                                        text + entry[i].kernel, entry[i].cpu, entry[i].gpu};
    block->table = (hs_kernel_table){text + r->name, text + r->source, r->header.cpus,
                                     r->header.gpus, r->header.unit, count, block->kernels};
    *out = &block->table;
    return HS_OK;
}

hs_status hs_kernel_table_read(int fd, hs_kernel_table **out, hs_error *error)
{
    struct reader r = {.width = 0};
    hs_status     st;
    int           saved_errno;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    hsi_header_init(&r.header, "kernels");
    st = hsi_csv_open(&r.csv, fd, error);
    if (st != HS_OK)
        return st;
    st = read_header(&r);
    if (st == HS_OK)
        st = read_rows(&r);
    if (st == HS_OK)
        st = make_table(&r, out);
    saved_errno = errno;
    hsi_vector_free(&r.entries);
    hsi_vector_free(&r.text);
    hsi_csv_close(&r.csv);
    errno = saved_errno;
    return st;
}

/* The table is the first member of its block. */
void hs_kernel_table_free(hs_kernel_table *table)
{
    free(table);
}
