/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen --nodes: divide the workers of an instance evenly among nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "gen/gen.h"

/* Copy the notes. The command in the note `generator` gets the options of nodes. */
static hs_status copy_notes(const hs_instance *in, const gen_request *request, hs_builder *b)
{
    const char *key, *value;
    hs_status   status = HS_OK;

    for (size_t i = 0; status == HS_OK && (key = hs_instance_note(in, i, &value)); i++) {
        size_t room = strlen(value) + 96, used;
        char  *text = checked_calloc(room, 1);

        used = (size_t)snprintf(text, room, "%s", value);
        if (strcmp(key, "generator") == 0)
            used += (size_t)snprintf(text + used, room - used, " --nodes %zu", request->nodes);
        if (strcmp(key, "generator") == 0 && request->node_bandwidth > 0) {
            char number[32];

            hs_format_double(request->node_bandwidth, number);
            snprintf(text + used, room - used, " --node-bandwidth %s", number);
        }
        status = hs_builder_add_note(b, key, text);
        free(text);
    }
    return status;
}

static hs_status add_nodes(const hs_instance *in, size_t nodes, hs_builder *b)
{
    hs_status status = HS_OK;

    for (size_t i = 0; i < nodes && status == HS_OK; i++) {
        char name[32];

        snprintf(name, sizeof name, "node%zu", i);
        status = hs_builder_add_node(b, name, hs_instance_cpus(in) / (unsigned)nodes,
                                     hs_instance_gpus(in) / (unsigned)nodes);
    }
    return status;
}

static hs_status add_rows(const hs_instance *in, hs_builder *b)
{
    hs_status status = HS_OK;

    for (size_t i = 0; i < hs_instance_rows(in) && status == HS_OK; i++) {
        hs_task task;

        hs_task_init(&task);
        hs_instance_row(in, i, &task);
        status = hs_builder_add_row(b, &task);
    }
    return status;
}

/* Set the link between nodes: that from a host to its GPUs, with the bandwidth of the request. */
static hs_status set_link(const hs_instance *in, double node_bandwidth, hs_builder *b)
{
    double latency, bandwidth;

    if (!hs_instance_link(in, HS_H2D, &latency, &bandwidth))
        return HS_OK;
    return hs_builder_set_link(b, HS_N2N, latency,
                               node_bandwidth > 0 ? node_bandwidth : bandwidth);
}

static hs_status build(const hs_instance *in, const gen_request *request, hs_instance **out,
                       hs_error *error)
{
    hs_builder *b = NULL;
    hs_status   status = hs_builder_create(&b);

    if (status == HS_OK)
        status = hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in));
    if (status == HS_OK)
        status = hs_builder_set_unit(b, hs_instance_unit(in));
    if (status == HS_OK)
        status = copy_notes(in, request, b);
    if (status == HS_OK)
        status = add_nodes(in, request->nodes, b);
    if (status == HS_OK)
        status = add_rows(in, b);
    if (status == HS_OK)
        status = hs_builder_copy_graph(b, in);
    if (status == HS_OK)
        status = set_link(in, request->node_bandwidth, b);
    if (status == HS_OK)
        status = hs_builder_finish(b, out, error);
    hs_builder_free(b);
    return status;
}

int gen_divide_among_nodes(const gen_request *request, gen_result *result)
{
    hs_instance *in = result->instance;
    size_t       nodes = request->nodes;
    unsigned     cpus, gpus;
    double       latency, bandwidth;
    hs_error     error = {0};
    hs_status    status;

    if (hs_instance_node(in, 0, &cpus, &gpus))
        usage_error("--nodes: the imported file divides its workers among nodes already");
    if (hs_instance_cpus(in) % nodes || hs_instance_gpus(in) % nodes)
        usage_error("--nodes: %u CPUs and %u GPUs cannot be divided evenly among %zu nodes",
                    hs_instance_cpus(in), hs_instance_gpus(in), nodes);
    if (request->node_bandwidth > 0 && !hs_instance_link(in, HS_H2D, &latency, &bandwidth))
        usage_error("--node-bandwidth: the instance has no links; --ccr gives a graph links");
    result->instance = NULL;
    status = build(in, request, &result->instance, &error);
    hs_instance_free(in);
    return gen_report_error(status, &error, request);
}
