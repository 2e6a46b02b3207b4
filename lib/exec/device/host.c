/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks on the host that use handles of devices. */
#include <stdio.h>

#include "exec/device/devices.h"

static void explain(hsi_devices *d, hsi_ledger_answer answer, char why[HS_WHY])
{
    if (answer == HSI_LEDGER_STALE)
        snprintf(why, HS_WHY, "its data are not those that the tasks before it have made");
    else
        snprintf(why, HS_WHY, "its data are lost with a GPU: %.300s", d->why_lost);
}

/* Begin a task. If the answer is HSI_LEDGER_OK, `step` has the steps to wait for. */
static hsi_ledger_answer begin(hsi_devices *d, hsi_use *use, size_t count, hsi_waits *waits)
{
    hsi_issue         issue;
    hsi_moment        step[HSI_MOST_STREAMS + 1];
    hsi_ledger_answer answer;
    size_t            steps;

    for (uint32_t s = 0; s < d->streams; s++)
        waits->number[s] = 0;
    hsi_issue_lock(&issue, d, 0);
    do
        answer = hsi_ledger_begin(d->ledger, HSI_LEDGER_HOST, use, count, &issue.entered);
    while (hsi_issue_again(&issue, answer, true));
    for (size_t i = 0; i < count && answer == HSI_LEDGER_OK; i++) {
        steps = hsi_ledger_order(d->ledger, HSI_LEDGER_HOST, use[i].range, use[i].mode & HS_WRITE,
                                 HS_NONE, step);
        while (steps-- > 0)
            if (waits->number[step[steps].stream] < step[steps].number)
                waits->number[step[steps].stream] = step[steps].number;
    }
    hsi_issue_transfers(&issue);
    hsi_issue_unlock(&issue);
    return answer;
}

static void await(hsi_devices *d, const hsi_waits *waits)
{
    for (uint32_t s = 0; s < d->streams; s++)
        if (waits->number[s]) {
            hsi_moment step = {.stream = s & 0xffff,
                               .number = waits->number[s] & UINT64_C(0xffffffffffff)};

            hsi_devices_await(d, &step, 1);
        }
}

bool hsi_devices_take(hsi_devices *d, hsi_use *use, size_t count, char why[HS_WHY])
{
    hsi_waits         waits;
    hsi_ledger_answer answer = begin(d, use, count, &waits);
    bool              begun = answer == HSI_LEDGER_OK, there;

    if (begun)
        await(d, &waits);
    pthread_mutex_lock(&d->lock);
    there = begun && !hsi_ledger_input_was_lost(d->ledger, HSI_LEDGER_HOST, use, count);
    if (begun && !there)
        hsi_ledger_end(d->ledger, HSI_LEDGER_HOST, use, count);
    if (!there)
        explain(d, answer, why);
    pthread_mutex_unlock(&d->lock);
    return there;
}

void hsi_devices_give(hsi_devices *d, const hsi_use *use, size_t count, uint32_t version,
                      hsi_given given)
{
    pthread_mutex_lock(&d->lock);
    if (given == HSI_GIVEN_NEW)
        hsi_ledger_commit(d->ledger, HSI_LEDGER_HOST, use, count, version);
    else if (given == HSI_GIVEN_SPOILED)
        hsi_ledger_fail(d->ledger, HSI_LEDGER_HOST, use, count, version);
    hsi_ledger_end(d->ledger, HSI_LEDGER_HOST, use, count);
    pthread_mutex_unlock(&d->lock);
}
