/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages for the rows and edges that hs_builder_finish() refuses. */
#include <stdio.h>

#include "core/builder.h"
#include "core/error.h"

static const char *quote_row(const hs_builder *b, size_t row, uint32_t copy, char shown[HSI_QUOTE])
{
    char   name[HS_MAX_ID + 16];
    size_t length = hsi_store_row_name(&b->content, row, copy, name, sizeof name);

    return hsi_quote(name, length, shown);
}

/* Write a cycle, "'a' after 'c' after 'b' after 'a'", the middle of a long cycle omitted. */
static void describe_cycle(const hs_builder *b, char *text, size_t size)
{
    enum { NAMED = 4 };
    const size_t *rows = b->fault.cycle.data;
    size_t        count = b->fault.cycle.size / sizeof *rows, used = 0;
    char          shown[HSI_QUOTE];

    for (size_t i = 0; i <= count && used < size; i++) {
        const char *before = i == 0 ? "" : " after ";

        if (i == NAMED && i < count) {
            before = " ... after ";
            i = count;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", before,
                                 quote_row(b, rows[(count - i) % count], 0, shown));
    }
}

static hs_status describe_graph(const hs_builder *b, hs_error *error)
{
    const hsi_fault *fault = &b->fault;
    const hsi_data  *handles = &b->content.relations->data;
    char             row[HSI_QUOTE], other[HSI_QUOTE], cycle[HS_WHY];

    if (fault->kind != HSI_FAULT_NO_ROW)
        quote_row(b, fault->row, 0, row);
    switch (fault->kind) {
    case HSI_FAULT_SELF:
        return hsi_error_set(error, HS_EGRAPH, "task %s comes after itself: name other tasks", row);
    case HSI_FAULT_TWICE:
        return hsi_error_set(error, HS_EGRAPH, "task %s comes after %s twice: name each task once",
                             row, quote_row(b, fault->other, fault->copy, other));
    case HSI_FAULT_ACCESS_TWICE:
        hsi_quote(hsi_data_name(handles, fault->other), hsi_data_name_length(handles, fault->other),
                  other);
        return hsi_error_set(error, HS_EGRAPH, "task %s accesses data %s twice: name each once, "
                             "with rw if the task reads and writes it", row, other);
    case HSI_FAULT_CYCLE:
        describe_cycle(b, cycle, sizeof cycle);
        return hsi_error_set(error, HS_EGRAPH, "tasks wait for each other: %.450s: remove an edge",
                             cycle);
    default:
        return hsi_error_set(error, HS_EGRAPH, "an edge or an access names a row, or a copy of a "
                             "row, that does not exist");
    }
}

static hs_status describe_row(const hs_builder *b, hs_status status, size_t row, hs_error *error)
{
    char shown[HSI_QUOTE];

    quote_row(b, row, 0, shown);
    if (status == HS_EDUPLICATE)
        return hsi_error_set(error, status, "two tasks have the name %s: rename one", shown);
    if (status == HS_EWORKER)
        return hsi_error_set(error, status, "task %s can run on no worker, of %u CPUs and %u GPUs: "
                             "give it a time on a type with workers", shown, b->cpus, b->gpus);
    return hsi_error_set(error, status, "with task %s the times are too large to be added up: give "
                         "times with a finite sum", shown);
}

hs_status hsi_builder_describe_failure(const hs_builder *b, hs_status status, size_t row,
                                       hs_error *error)
{
    bool is_row = status == HS_EDUPLICATE || status == HS_EWORKER || status == HS_EOVERFLOW;

    if (error == NULL || status == HS_OK)
        return status;
    if (is_row && row < b->content.rows)
        describe_row(b, status, row, error);
    else if (status == HS_EGRAPH)
        describe_graph(b, error);
    else if (status == HS_EINVAL && b->cpus + b->gpus == 0)
        hsi_error_set(error, status, "there are no workers: set their numbers");
    else if (status == HS_EINVAL && b->content.nodes.count > 0 &&
             !hsi_nodes_have(&b->content.nodes, b->cpus, b->gpus))
        hsi_error_set(error, status, "the nodes together do not have the %u CPUs and %u GPUs: "
                      "correct the numbers of the nodes", b->cpus, b->gpus);
    else if (status == HS_EINVAL)
        hsi_error_set(error, status, "a link lacks its counterpart: h2d and d2h need each other, "
                      "d2d and n2n need both, and several nodes with links need n2n");
    else
        hsi_error_set(error, status, "%s", hs_status_text(status));
    if (is_row || status == HS_EGRAPH)
        error->line = row + 1;
    return status;
}
