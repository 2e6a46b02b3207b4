/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about impossible decisions of policies: the time, the worker, the task, the reason. */
#include <stdio.h>

#include "core/error.h"
#include "core/impossible_decision.h"
#include "support/decimal/decimal.h"

static const char *quote_task(const hs_instance *in, uint32_t task, char shown[HSI_QUOTE])
{
    char name[HS_MAX_ID + 16];

    if (task < hs_instance_tasks(in))
        return hsi_quote(name, hs_instance_name(in, task, name, sizeof name), shown);
    snprintf(shown, HSI_QUOTE, "number %u", task);
    return shown;
}

hs_status hsi_impossible_decision(const hs_instance *in, unsigned worker, const hs_decision *d,
                                  double now, const char *reason, hs_error *error)
{
    char here[16], there[16], task[HSI_QUOTE], time[HSI_DECIMAL_MAX], until[HSI_DECIMAL_MAX];

    hs_worker_name(hs_instance_cpus(in), worker, here);
    hs_worker_name(hs_instance_cpus(in), d->victim, there);
    hsi_decimal_write(now, time);
    hsi_decimal_write(d->until, until);
    quote_task(in, d->task, task);
    if (d->kind != HS_DECIDE_WAIT && d->task >= hs_instance_tasks(in))
        reason = "there is no such task";
    switch (d->kind) {
    case HS_DECIDE_START:
        return hsi_error_set(error, HS_ESCHEDULE, "at %s the policy starts task %s on %s, but %s",
                             time, task, here, reason);
    case HS_DECIDE_SPOLIATE:
        return hsi_error_set(error, HS_ESCHEDULE,
                             "at %s the policy lets %s spoliate task %s on %s, but %s", time, here,
                             task, there, reason);
    case HS_DECIDE_WAIT:
        return hsi_error_set(error, HS_ESCHEDULE,
                             "at %s the policy lets %s wait until %s, but %s", time, here, until,
                             reason);
    }
    return hsi_error_set(error, HS_ESCHEDULE, "at %s the policy decides %d for %s, but %s", time,
                         (int)d->kind, here, reason);
}

hs_status hsi_impossible_loss(const hs_instance *in, uint32_t task, double now, hs_error *error)
{
    char shown[HSI_QUOTE], time[HSI_DECIMAL_MAX];

    hsi_decimal_write(now, time);
    return hsi_error_set(error, HS_ESCHEDULE, "at %s the policy gives up task %s, but " HSI_TAKEN,
                         time, quote_task(in, task, shown));
}

hs_status hsi_task_is_left(const hs_instance *in, uint32_t task, double now, hs_error *error)
{
    char shown[HSI_QUOTE], time[HSI_DECIMAL_MAX];

    hsi_decimal_write(now, time);
    return hsi_error_set(error, HS_ESCHEDULE,
                         "at %s the policy lets every worker wait, but task %s has not run", time,
                         quote_task(in, task, shown));
}
