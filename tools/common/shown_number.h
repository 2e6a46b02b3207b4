/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_COMMON_SHOWN_NUMBER_H
#define TOOLS_COMMON_SHOWN_NUMBER_H

/** Significant digits of a number in a text for people; files, CSV and JSON have exact numbers. */
enum { SHOWN_DIGITS = 6 };

/** Format a number for people: SHOWN_DIGITS digits, and every digit before the point. */
void show_number(double value, char text[32]);

/** Format two numbers for people; exactly if SHOWN_DIGITS digits do not tell different numbers. */
void show_different(double a, double b, char text_a[32], char text_b[32]);

#endif
