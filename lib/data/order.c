/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependencies between steps that use one range. */
#include <string.h>

#include "data/ledger_private.h"

void hsi_ledger_reach(hsi_ledger *l, uint32_t stream, uint64_t number)
{
    if (l->reached[stream] < number)
        l->reached[stream] = number;
}

size_t hsi_ledger_order(const hsi_ledger *l, uint32_t node, uint32_t r, bool write, uint32_t stream,
                        hsi_moment *out)
{
    const hsi_range *range = range_at(l, node, r);
    size_t           count = 0;

    if (!is_reached(l, range->written) && range->written.stream != stream)
        out[count++] = range->written;
    for (uint32_t s = 0; write && s < l->streams; s++) {
        if (s != stream && !is_reached(l, used_by(range, s)))
            out[count++] = used_by(range, s);
    }
    return count;
}

hsi_moment hsi_ledger_next_step(hsi_ledger *l, uint32_t stream)
{
    return moment_of(stream, ++l->noted[stream]);
}

void hsi_ledger_note(hsi_ledger *l, uint32_t node, uint32_t r, bool write, hsi_moment step)
{
    hsi_range *range = range_at(l, node, r);

    if (write) {
        /* The step waits for every earlier use: later steps need only wait for this one. */
        memset(range->used, 0, l->streams * sizeof *range->used);
        range->written = step;
    } else {
        range->used[step.stream] = step.number;
    }
}

/* Return the nodes that must not be lost before the end of a step that copies a range. */
static uint64_t find_origins(const hsi_ledger *l, uint32_t from, const hsi_range *source,
                             hsi_moment step)
{
    uint64_t origins = UINT64_C(1) << node_of_stream(l, step.stream);

    if (from != HSI_LEDGER_HOST)
        origins |= UINT64_C(1) << from;
    return is_reached(l, source->copied) ? origins : origins | source->origins;
}

static hsi_address address_of(const hsi_range *range)
{
    return (hsi_address){range->at, range->offset, range->chunk};
}

uint32_t hsi_ledger_stream_of(const hsi_ledger *l, const hsi_transfer_op *op)
{
    return op->to == HSI_LEDGER_HOST ? (op->from - 1) * l->size.streams + l->size.out
                                     : (op->to - 1) * l->size.streams + l->size.in;
}

void hsi_ledger_number_transfer(hsi_ledger *l, hsi_transfer_op *op, uint32_t from, uint32_t to,
                                hsi_entered *out)
{
    uint32_t         stream = hsi_ledger_stream_of(l, op);
    const hsi_range *source = range_at(l, op->from, from);
    hsi_range       *target = range_at(l, op->to, to);
    hsi_moment      *wait = out->wait + out->waits;

    op->source = address_of(source);
    op->target = address_of(target);
    op->step = hsi_ledger_next_step(l, stream);
    op->first_wait = out->waits;
    op->waits = hsi_ledger_order(l, op->from, from, false, stream, wait);
    op->waits += hsi_ledger_order(l, op->to, to, true, stream, wait + op->waits);
    out->waits += op->waits;
    hsi_ledger_note(l, op->from, from, false, op->step);
    hsi_ledger_note(l, op->to, to, true, op->step);
    target->copied = op->step;
    target->origins = find_origins(l, op->from, source, op->step);
}

/* Require that a step of the executor may wait for a step. */
static hsi_ledger_answer allow_step(const hsi_ledger *l, uint32_t executor, hsi_moment step,
                                    uint64_t locked, uint64_t *needed)
{
    uint32_t other;

    if (is_reached(l, step))
        return HSI_LEDGER_OK;
    other = node_of_stream(l, step.stream);
    if (l->node[other].domain != l->node[executor].domain)
        return HSI_LEDGER_WAIT;
    if (locked >> other & 1)
        return HSI_LEDGER_OK;
    *needed |= UINT64_C(1) << other;
    return HSI_LEDGER_NEED;
}

hsi_ledger_answer hsi_ledger_allow(const hsi_ledger *l, uint32_t executor, uint32_t node,
                                   uint32_t r, bool write, hsi_entered *out)
{
    const hsi_range  *range = range_at(l, node, r);
    uint64_t          needed = 0;
    hsi_ledger_answer answer = allow_step(l, executor, range->written, out->locked, &needed);

    for (uint32_t s = 0; write && answer != HSI_LEDGER_WAIT && s < l->streams; s++)
        if (allow_step(l, executor, used_by(range, s), out->locked, &needed) == HSI_LEDGER_WAIT)
            answer = HSI_LEDGER_WAIT;
    if (answer == HSI_LEDGER_WAIT) {
        out->range = r;
        out->write = write;
        return answer;
    }
    out->needed |= needed;
    return needed ? HSI_LEDGER_NEED : HSI_LEDGER_OK;
}
