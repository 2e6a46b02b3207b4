/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_CERTIFICATE_H
#define HYBRIDSCHED_CERTIFICATE_H

#include <hybridsched/bound.h>

HS_BEGIN_DECLS

/**
 * What proves a lower bound to somebody who believes nothing: numbers with which it
 * can be verified in exact arithmetic, as hsched-formats(5) defines.
 */
typedef struct hs_certificate hs_certificate;

/** Can hs_certificate_create() certify this bound? */
HS_API int hs_bound_has_certificate(const hs_bound *bound);

/**
 * Compute `bound` and keep what proves it. HS_EUNSUPPORTED: there are no certificates
 * of this bound. NULL settings mean defaults.
 */
HS_API hs_status hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                       const hs_settings *settings, hs_certificate **out);

/**
 * Prove `value`, which a search found (best's or exact's hs_report.bound, say), anew: that no
 * schedule is shorter. It is proved by cases, in the time limit of the settings, 10 seconds
 * without one; what it could not prove is left out, as hs_certificate_value() says. `name` is
 * what the certificate calls the bound: up to 31 printable characters without blank or comma.
 * Of a graph of more than 128 tasks and barriers the edges are left out, of a smaller one the
 * transfers.
 */
HS_API hs_status hs_certificate_prove(const hs_instance *in, const char *name, double value,
                                      const hs_settings *settings, hs_certificate **out);
HS_API void      hs_certificate_free(hs_certificate *certificate);

/** The value it proves; the value that was to be proved, no less; and its bound's name. */
HS_API double      hs_certificate_value(const hs_certificate *certificate);
HS_API double      hs_certificate_computed(const hs_certificate *certificate);
HS_API const char *hs_certificate_bound(const hs_certificate *certificate);

/** Write it to `fd`. HS_EIO: errno says why. */
HS_API hs_status hs_certificate_write(int fd, const hs_certificate *certificate);

HS_END_DECLS

#endif
