/* SPDX-License-Identifier: BSD-3-Clause */

/* Read journals for a caller without a handle. */

#include <stdlib.h>

#include "core/error.h"
#include "exec/error_text.h"
#include "exec/journal/journal.h"

static hs_journal_state public_state(unsigned char state)
{
    switch ((hsi_element_address)state) {
    case HSI_PAST_DONE:
        return HS_JOURNAL_DONE;
    case HSI_PAST_CHANGED:
    case HSI_PAST_UNDONE:
        return HS_JOURNAL_CHANGED;
    case HSI_PAST_FAILED:
        return HS_JOURNAL_FAILED;
    case HSI_PAST_NONE:
        break;
    }
    return HS_JOURNAL_NONE;
}

hs_status hs_journal_read(const hs_instance *in, const char *const *path, size_t count,
                          bool emulated, hs_journal_state *state,
                          void (*attempt)(void *data, const hs_journal_attempt *attempt),
                          void *data, hs_error *error)
{
    hs_error         fault = {0};
    hsi_journal_past past = {.emulated = emulated,
                             .others = path,
                             .other_count = count,
                             .attempt = attempt,
                             .data = data};
    size_t           n;
    hs_status        st = HS_ENOMEM;

    if (!in || (count > 0 && !path) || !state)
        return hsi_error_copy_to_caller(error, HS_EINVAL, &fault);
    n = hs_instance_tasks(in);
    past.state = calloc(n + 1, sizeof *past.state);
    past.attempts = calloc(n + 1, sizeof *past.attempts);
    if (past.state && past.attempts)
        st = hsi_journal_read_others(in, &past, &fault);
    for (size_t i = 0; st == HS_OK && i < n; i++)
        state[i] = public_state(past.state[i]);
    free(past.state);
    free(past.attempts);
    return hsi_error_copy_to_caller(error, st, &fault);
}
