/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_CERTIFICATE_H
#define HYBRIDSCHED_CERTIFICATE_H

#include <hybridsched/bound.h>

HS_BEGIN_DECLS

/**
 * The proof of a lower bound for a mistrustful reader: numbers from which the bound can be verified
 * in exact arithmetic, as hsched-formats(5) defines.
 */
typedef struct hs_certificate hs_certificate;

/** Return 1 if hs_certificate_create() supports this bound, else 0. */
HS_API int hs_bound_supports_certificate(const hs_bound *bound);

/**
 * Compute `bound` and record its proof. HS_EUNSUPPORTED: the bound has no certificates.
 * HS_EINVAL: settings.skip is set; certificates are of whole instances. NULL settings mean
 * defaults.
 */
HS_API hs_status hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                       const hs_settings *settings, hs_certificate **out);

/**
 * Prove anew that no schedule is shorter than `value`, a bound found by a search (e.g.
 * hs_report.bound of best or exact). The proof enumerates cases within the time limit of the
 * settings, 10 seconds by default; cases left unproved at the limit lower the proved value. `name`
 * is the bound's name in the certificate: up to 31 printable characters without blank or comma. The
 * proof ignores edges for a graph of more than 128 tasks and barriers. In a smaller graph it counts
 * transfers between the host and GPUs, not those between GPUs.
 */
HS_API hs_status hs_certificate_prove(const hs_instance *in, const char *name, double value,
                                      const hs_settings *settings, hs_certificate **out);
HS_API void      hs_certificate_free(hs_certificate *certificate);

/** Lower bound that the certificate proves, at most the requested value. */
HS_API double hs_certificate_proved_value(const hs_certificate *certificate);

/** Value that the bound computed, or the `value` of hs_certificate_prove(). */
HS_API double hs_certificate_requested_value(const hs_certificate *certificate);

/** Name of the bound; owned by the certificate. */
HS_API const char *hs_certificate_bound_name(const hs_certificate *certificate);

/** Write the certificate to `fd`. HS_EIO: errno has the reason. */
HS_API hs_status hs_certificate_write(int fd, const hs_certificate *certificate);

HS_END_DECLS

#endif
