/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_SETTINGS_H
#define HSI_CORE_SETTINGS_H

#include <hybridsched/solve.h>

#include "support/cancel.h"

/* Fill in the defaults of absent parameters. HS_EINVAL: a parameter is out of range. */
hs_status hsi_parameters_resolve(hs_parameters *parameters);

/* Copy the settings to `full`, with defaults for absent members, and check ranges. */
hs_status hsi_settings_resolve(hs_settings *full, const hs_settings *given);

/*
 * Check available[] against the workers. HS_EINVAL; HS_EAVAILABLE: it is set, but not supported
 * (`supported` is 0).
 */
hs_status hsi_settings_check_available(const hs_settings *settings, const hs_instance *in,
                                       int supported);

static inline bool hsi_cancelled(const hs_settings *settings)
{
    return settings->cancel && settings->cancel(settings->cancel_data);
}

static inline hsi_token hsi_token_of(const hs_settings *settings)
{
    hsi_token token = {settings->cancel, settings->cancel_data, false, 0};

    return token;
}

#endif
