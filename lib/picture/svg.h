/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_SVG_H
#define HSI_PICTURE_SVG_H

#include <hybridsched/io.h>

#include "io/text/output.h"

/* Numbers and names in readable form, and elements of SVG. */

/**
 * Style rules for shapes besides tasks; the dark rules begin a media query that the caller closes.
 */
extern const char hsi_svg_style[], hsi_svg_dark_style[];

/** Return the printed name of a unit: microseconds have a Greek letter. */
const char *hsi_unit_text(hs_unit unit);

/** Write a time, e.g. "12.3 ms". */
void hsi_put_time(hsi_output *out, double time, hs_unit unit);

/** Write a time, e.g. "31067 s (8 h 38 min)"; short times have no duration in words. */
void hsi_put_time_and_duration(hsi_output *out, double time, hs_unit unit);

/** Write an interval, e.g. "3.25 – 4.125 ms", each end rounded to `digits` digits. */
void hsi_put_interval(hsi_output *out, double from, double to, int digits, hs_unit unit);

/** Write a number, e.g. "100 000", with narrow no-break spaces. */
void hsi_put_count(hsi_output *out, uint64_t count);

/** Write a size, e.g. "46.1 MB". */
void hsi_put_bytes(hsi_output *out, double bytes);

/** Write a share in [0, 1], e.g. "97.4 %"; 100 only for 1. */
void hsi_put_percent(hsi_output *out, double share);

/** Write `text`, escaped; cut to `limit` bytes and an ellipsis if it is longer. */
void hsi_put_name(hsi_output *out, const char *text, size_t limit);

/** Return the number of columns of `text` in a monospaced font. */
unsigned hsi_text_columns(const char *text, size_t length);

/** Write `<rect class="KIND" x= y= width= height=`; the caller closes the element. */
void hsi_put_rect(hsi_output *out, const char *css_class, double x, double y, double width,
                  double height);

/** Write a <rect> like hsi_put_rect() with the class of a palette colour. */
void hsi_put_class_rect(hsi_output *out, unsigned task_class, bool aborted, double x, double y,
                        double width, double height);

/** Write a complete <path> of a rectangle, shorter than a <rect>, for a part of a bar. */
void hsi_put_class_path(hsi_output *out, unsigned task_class, bool aborted, double x, double y,
                        double width, double height);

/** Write `<text class="KIND" x= y=>`; the caller closes the element. */
void hsi_put_text_at(hsi_output *out, const char *css_class, double x, double y);

/** Write a complete text element; the text must need no escapes. */
void hsi_put_label(hsi_output *out, const char *css_class, double x, double y, const char *text);

void hsi_put_line(hsi_output *out, const char *css_class, double x1, double y1, double x2,
                  double y2);

/** Begin a cross that is 2 * `half_width` wide and high; the caller closes the element. */
void hsi_put_cross(hsi_output *out, double x, double y, double half_width);

#endif
