/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/pdf/style_sheet.h"

#include <stdlib.h>
#include <string.h>

/* A part of a text, not terminated. */
typedef struct slice {
    const char *at;
    size_t      length;
} slice;

static bool is_text(slice part, const char *text)
{
    return part.length == strlen(text) && memcmp(part.at, text, part.length) == 0;
}

/* Cut the text before one of the characters in `ends`, and go behind that character. */
static slice cut(const char **rest, const char *ends)
{
    slice part = {*rest, strcspn(*rest, ends)};

    *rest += part.length + (part.at[part.length] != '\0');
    while (part.length > 0 && strchr(" \n", *part.at))
        part.at++, part.length--;
    return part;
}

static bool has_class(const char *classes, slice wanted)
{
    while (*classes) {
        slice own = {classes, strcspn(classes, " ")};

        if (own.length == wanted.length && memcmp(own.at, wanted.at, own.length) == 0)
            return true;
        classes += own.length + (classes[own.length] == ' ');
    }
    return false;
}

/* Return whether a list of selectors, `.CLASS` or `TAG`, has the element. */
static bool selects(slice selectors, const char *tag, const char *classes)
{
    const char *at = selectors.at, *end = at + selectors.length;

    while (at < end) {
        slice one = {at, 0};

        while (at + one.length < end && at[one.length] != ',')
            one.length++;
        at += one.length + 1;
        if (one.length > 1 && *one.at == '.' &&
            has_class(classes, (slice){one.at + 1, one.length - 1}))
            return true;
        if (is_text(one, tag))
            return true;
    }
    return false;
}

/* Read none, #RGB or #RRGGBB. */
static long read_colour(slice value)
{
    char text[8] = "";
    long colour;

    if (value.length < 4 || value.length > 7 || *value.at != '#')
        return -1;
    memcpy(text, value.at + 1, value.length - 1);
    colour = strtol(text, NULL, 16);
    if (value.length > 4)
        return colour;
    return (colour >> 8) * 0x110000 + (colour >> 4 & 15) * 0x1100 + (colour & 15) * 0x11;
}

static void read_dashes(slice value, element_style *style)
{
    const char *at = value.at;
    char       *end;

    style->dashes = 0;
    while (at < value.at + value.length && style->dashes < STYLE_DASHES) {
        double length = strtod(at, &end);

        if (end == at)
            return;
        style->dash[style->dashes++] = length;
        at = end + (*end == ' ');
    }
}

static int read_corner(slice value)
{
    return is_text(value, "round") ? 1 : is_text(value, "square") ? 2 : 0;
}

static void set_property(element_style *style, slice name, slice value)
{
    if (is_text(name, "fill"))
        style->fill = read_colour(value);
    else if (is_text(name, "stroke"))
        style->stroke = read_colour(value);
    else if (is_text(name, "fill-opacity"))
        style->fill_opacity = strtod(value.at, NULL);
    else if (is_text(name, "stroke-opacity"))
        style->stroke_opacity = strtod(value.at, NULL);
    else if (is_text(name, "stroke-width"))
        style->stroke_width = strtod(value.at, NULL);
    else if (is_text(name, "stroke-dasharray"))
        read_dashes(value, style);
    else if (is_text(name, "stroke-linecap"))
        style->cap = read_corner(value);
    else if (is_text(name, "stroke-linejoin"))
        style->join = read_corner(value);
    else if (is_text(name, "font-size"))
        style->font_size = strtod(value.at, NULL);
    else if (is_text(name, "font-weight"))
        style->bold = strtod(value.at, NULL) >= 600;
    else if (is_text(name, "text-anchor"))
        style->anchor = is_text(value, "end") ? 1 : is_text(value, "middle") ? 0.5 : 0;
}

element_style style_of_element(const char *sheet, const char *tag, const char *classes)
{
    element_style style = {.fill = 0,
                           .stroke = -1,
                           .fill_opacity = 1,
                           .stroke_opacity = 1,
                           .stroke_width = 1,
                           .font_size = 12};

    while (*sheet && strncmp(sheet + strspn(sheet, " \n"), "@media", 6) != 0) {
        slice       selectors = cut(&sheet, "{"), rule = cut(&sheet, "}");
        const char *at = rule.at;

        if (!selects(selectors, tag, classes))
            continue;
        while (at < rule.at + rule.length) {
            slice name = cut(&at, ":}"), value = cut(&at, ";}");

            set_property(&style, name, value);
        }
    }
    return style;
}
