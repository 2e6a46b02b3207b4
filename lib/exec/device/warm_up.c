/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warm-up. The first launch of an operation loads its code, and libraries delay work until the
 * first call in a stream. Neither may happen in a measured run, or while a segment is collected.
 * The operands are in the memory for replicas, which holds anything, and the results are dropped.
 */
#include "exec/device/devices.h"
#include "support/clock.h"

/* Wait for the work of a stream of which no step is numbered yet. */
static bool drain(hsi_device_node *node, unsigned stream)
{
    const hs_device_ops *ops = node->ops;
    hsi_device_stream   *s = &node->stream[stream];
    int64_t              start = hsi_clock_ns();
    int                  state;

    if (!ops->record(&s->stream, &s->event[0]))
        return false;
    while ((state = ops->query(&s->event[0])) == 0)
        hsi_device_pause(start);
    return state > 0;
}

/* Return the address of a replica's memory. */
static hs_address unit_at(const hsi_device_node *node, size_t number)
{
    size_t   unit = node->devices->unit;
    uint32_t c = 0;

    for (; number >= node->chunk_bytes[c] / unit; c++)
        number -= node->chunk_bytes[c] / unit;
    return (hs_address){node->device, node->chunk[c], number * unit};
}

/* Launch an operation and wait for it, so the queue of the stream never fills. */
static bool launch(hsi_device_node *node, unsigned stream, hs_operation op)
{
    hs_operand *operand[] = {&op.a, &op.b, &op.c, &op.t};
    size_t      units = 0;

    for (unsigned k = 0; k < HSI_MOST_OPERANDS; k++)
        if (operand[k]->ld) {
            hs_address at = unit_at(node, units++);

            operand[k]->buffer = at.buffer;
            operand[k]->offset = at.offset;
        }
    op.info = (hs_operand){.buffer = node->info};
    op.work = (hs_operand){.buffer = node->work[stream]};
    op.work_bytes = node->work_bytes;
    return node->ops->launch(&node->stream[stream].stream, &op) && drain(node, stream);
}

bool hsi_node_warm_up(hsi_device_node *node, unsigned stream)
{
    const hs_range_ops *ranges = node->ops->ranges;
    bool                done = true;

    if (ranges)
        ranges->begin("warm-up");
    for (size_t i = 0; i < node->devices->operations && done; i++)
        done = launch(node, stream, node->devices->operation[i]);
    if (ranges)
        ranges->end();
    return done;
}
