/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_EXPORT_H
#define HYBRIDSCHED_EXPORT_H

#if defined(__GNUC__)
#define HS_API __attribute__((visibility("default")))
#else
#define HS_API
#endif

#ifdef __cplusplus
#define HS_BEGIN_DECLS extern "C" {
#define HS_END_DECLS   }
#else
#define HS_BEGIN_DECLS
#define HS_END_DECLS
#endif

#endif
