/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TESTS_WELL_FORMED_H
#define HS_TESTS_WELL_FORMED_H

#include <stddef.h>

/* Return 1 if the whole text is one JSON value according to RFC 8259. */
int is_json(const char *text, size_t length);

/*
 * Return 1 if the whole text is well-formed XML 1.0 of the subset that the library writes: a
 * declaration, elements with attributes in double quotes, predefined and numeric references; no
 * comments, sections or document type.
 */
int is_xml(const char *text, size_t length);

/* Return 1 if the whole text is UTF-8. */
int is_utf8(const char *text, size_t length);

/* Return 1 if the whole text is UTF-8 and cannot control a terminal except by newlines: no C0, C1,
 * DEL, line separators or changes of the writing direction. */
int is_harmless(const char *text, size_t length);

#endif
