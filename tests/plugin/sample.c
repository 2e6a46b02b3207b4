/* SPDX-License-Identifier: BSD-3-Clause */

/* An example of a plugin: sums the divisors of every number up to 100,000. */

#include <hybridsched/plugin.h>

#include <stdio.h>

HS_PLUGIN_FILE;

enum { NUMBERS = 100000, CHUNK = 1000 };

static uint64_t sum_of_divisors(uint64_t first, uint64_t last)
{
    uint64_t sum = 0, divisor;

    for (divisor = 1; divisor <= last; divisor++)
        sum += divisor * (last / divisor - (first - 1) / divisor);
    return sum;
}

HS_PLUGIN_TASK(divisors)
{
    uint64_t sum = 0, from;

    for (from = 1; from <= NUMBERS; from += CHUNK) {
        if (hs_plugin_cancelled(task))
            return HS_PLUGIN_ABORTED;
        sum += sum_of_divisors(from, from + CHUNK - 1);
    }
    if (sum == 8224740835) /* OEIS A024916 */
        return HS_PLUGIN_DONE;
    snprintf(task->message, task->message_size, "%s: a sum of %llu is wrong", task->id,
             (unsigned long long)sum);
    return HS_PLUGIN_FAILED;
}
