/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_SVG_H
#define HSI_PICTURE_SVG_H

#include <hybridsched/io.h>

#include "io/text/output.h"

/* Numbers and names as people read them, and the elements of SVG. */

/** Rules for the classes of what is no task, and those of dark screens, which begin a query. */
extern const char hsi_svg_style[], hsi_svg_dark_style[];

/** As people write it: that of microseconds has a Greek letter. */
const char *hsi_unit_text(hs_unit unit);

/** "12.3 ms" */
void hsi_put_time(hsi_output *out, double time, hs_unit unit);

/** "31067 s (8 h 38 min)": the second where that helps. */
void hsi_put_long_time(hsi_output *out, double time, hs_unit unit);

/** "3.25 – 4.125 ms", each rounded to so many digits */
void hsi_put_interval(hsi_output *out, double from, double to, int digits, hs_unit unit);

/** "100 000", with narrow spaces that do not break. */
void hsi_put_count(hsi_output *out, uint64_t count);

/** "46.1 MB" */
void hsi_put_bytes(hsi_output *out, double bytes);

/** "97.4 %", of a share in [0, 1]; 100 only when it is that. */
void hsi_put_percent(hsi_output *out, double share);

/** `text`, escaped; of more than `limit` bytes the beginning and an ellipsis. */
void hsi_put_name(hsi_output *out, const char *text, size_t limit);

/** Columns that a monospaced font would take for `text`. */
unsigned hsi_text_columns(const char *text, size_t length);

/** `<rect class="KIND" x= y= width= height=`, without what closes it. */
void hsi_put_rect(hsi_output *out, const char *kind, double x, double y, double width,
                  double height);

/** The same for a class of the palette. */
void hsi_put_class_rect(hsi_output *out, unsigned class, int aborted, double x, double y,
                        double width, double height);

/** The whole element, shorter, of a part of a bar. */
void hsi_put_class_part(hsi_output *out, unsigned class, int aborted, double x, double y,
                        double width, double height);

/** `<text class="KIND" x= y=>` */
void hsi_put_text_at(hsi_output *out, const char *kind, double x, double y);

/** The whole element, of a text that needs no escapes. */
void hsi_put_label(hsi_output *out, const char *kind, double x, double y, const char *text);

void hsi_put_line(hsi_output *out, const char *kind, double x1, double y1, double x2, double y2);

/** A cross, as wide and high as 2 * `reach`. */
void hsi_put_cross(hsi_output *out, double x, double y, double reach);

#endif
