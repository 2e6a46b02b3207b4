/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --share: the instance of a share. */
#include "common/notes.h"
#include "exec/share.h"

typedef struct instance_part {
    const hs_instance *whole;
    const uint32_t    *task; /* the tasks of the part */
    size_t             count;
    const uint32_t    *number; /* by task of the whole, for those of the part: number in the part */
} instance_part;

/* Add the links within a node. */
static hs_status add_links(const hs_instance *in, hs_builder *b)
{
    static const hs_link links[] = {HS_H2D, HS_D2H, HS_D2D};
    double               latency, bandwidth;
    hs_status            status = HS_OK;

    for (size_t i = 0; status == HS_OK && i < sizeof links / sizeof *links; i++)
        if (hs_instance_link(in, links[i], &latency, &bandwidth))
            status = hs_builder_set_link(b, links[i], latency, bandwidth);
    return status;
}

/* Add the row of a task under the task's name. */
static hs_status add_row(const hs_instance *in, size_t task, hs_builder *b)
{
    char    name[HS_MAX_ID + 16];
    hs_task row;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    hs_instance_name(in, task, name, sizeof name);
    row.id = name;
    row.count = 1;
    return hs_builder_add_row(b, &row);
}

/* Let a handle lie at the start where it does in the whole instance. */
static hs_status copy_memory(const hs_instance *in, size_t handle, hs_builder *b, size_t copy)
{
    uint32_t memory = hs_instance_handle_memory_node(in, handle);
    uint32_t hosts = (uint32_t)hs_instance_nodes(in);

    return memory < hosts ? hs_builder_set_handle_memory(b, copy, HS_CPU, memory)
                          : hs_builder_set_handle_memory(b, copy, HS_GPU, memory - hosts);
}

/* Add the accesses and predecessors of a row, which is a single task. */
static hs_status add_edges(const instance_part *part, size_t row, hs_builder *b)
{
    const hs_instance *in = part->whole;
    hs_status          status = HS_OK;
    size_t             other, handle;
    uint32_t           copy;
    hs_access_mode     mode;
    double             bytes;

    for (size_t i = 0; status == HS_OK && hs_instance_access(in, row, i, &handle, &mode); i++) {
        status = hs_builder_add_handle(b, hs_instance_handle_name(in, handle), &other);
        if (status == HS_OK)
            status = hs_builder_set_handle_bytes(b, other, hs_instance_handle_bytes(in, handle));
        if (status == HS_OK)
            status = copy_memory(in, handle, b, other);
        if (status == HS_OK)
            status = hs_builder_add_access(b, part->number[row], other, mode);
    }
    for (size_t i = 0;
         status == HS_OK && hs_instance_predecessor(in, row, i, &other, &copy, &bytes); i++)
        status = hs_builder_add_predecessor(b, part->number[row], part->number[other], 0, bytes);
    return status;
}

static hs_status add_tasks(const instance_part *part, hs_builder *b)
{
    hs_status status = HS_OK;

    for (size_t i = 0; status == HS_OK && i < part->count; i++)
        status = add_row(part->whole, part->task[i], b);
    for (size_t i = 0; status == HS_OK && hs_instance_has_graph(part->whole) && i < part->count;
         i++)
        status = add_edges(part, part->task[i], b);
    return status;
}

static hs_status build(const instance_part *part, unsigned cpus, unsigned gpus, hs_instance **out,
                       hs_error *error)
{
    const hs_instance *in = part->whole;
    hs_builder        *b = NULL;
    hs_status          status = hs_builder_create(&b);

    if (status == HS_OK)
        status = hs_builder_set_workers(b, cpus, gpus);
    if (status == HS_OK)
        status = hs_builder_set_unit(b, hs_instance_unit(in));
    if (status == HS_OK)
        status = notes_copy(in, b);
    if (status == HS_OK)
        status = add_links(in, b);
    if (status == HS_OK)
        status = add_tasks(part, b);
    if (status == HS_OK)
        status = hs_builder_finish(b, out, error);
    hs_builder_free(b);
    return status;
}

hs_status exec_share_instance(const hs_instance *whole, const uint32_t *task, size_t count,
                              unsigned cpus, unsigned gpus, uint32_t *number, hs_instance **out,
                              hs_error *error)
{
    const instance_part part = {.whole = whole, .task = task, .count = count, .number = number};

    for (size_t i = 0; i < count; i++)
        number[task[i]] = (uint32_t)i;
    return build(&part, cpus, gpus, out, error);
}
