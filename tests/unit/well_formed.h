/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TESTS_WELL_FORMED_H
#define HS_TESTS_WELL_FORMED_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if the whole text is one JSON value according to RFC 8259. */
bool is_json(const char *text, size_t length);

/*
 * Return true if the whole text is well-formed XML 1.0 of the subset that the library writes: a
 * declaration, elements with attributes in double quotes, predefined and numeric references; no
 * comments, sections or document type.
 */
bool is_xml(const char *text, size_t length);

/* Return true if the whole text is UTF-8. */
bool is_utf8(const char *text, size_t length);

/* Return true if the whole text is UTF-8 and cannot control a terminal except by newlines: no C0,
 * C1, DEL, line separators or changes of the writing direction. */
bool is_harmless(const char *text, size_t length);

#endif
