/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators of a page, from the elements of an SVG: rect, line, circle, path and text. */
#include "common/pdf/content.h"

#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"

/* An element; all parts point into the SVG. */
typedef struct element {
    char        tag[16];
    const char *attributes, *end; /* up to the end of the tag */
    const char *text;             /* behind the tag */
} element;

/* Copy the value of an attribute. Return false if the element has none, or a longer one. */
static bool get_attribute(const element *e, const char *name, char *value, size_t size)
{
    char        wanted[32];
    const char *at, *end;

    snprintf(wanted, sizeof wanted, " %s=\"", name);
    at = strstr(e->attributes, wanted);
    if (!at || at >= e->end)
        return false;
    at += strlen(wanted);
    end = strchr(at, '"');
    if (!end || (size_t)(end - at) >= size)
        return false;
    memcpy(value, at, (size_t)(end - at));
    value[end - at] = '\0';
    return true;
}

/* Return a coordinate; `all` if it is 100%, 0 without the attribute. */
static double get_number(const element *e, const char *name, double all)
{
    char value[32];

    if (!get_attribute(e, name, value, sizeof value))
        return 0;
    return strcmp(value, "100%") == 0 ? all : strtod(value, NULL);
}

static element_style get_style(const pdf_content *content, const element *e)
{
    char classes[64] = "";

    get_attribute(e, "class", classes, sizeof classes);
    return style_of_element(content->sheet ? content->sheet : "", e->tag, classes);
}

/* Return the number of the state with these opacities, which is added if it is new. */
static size_t find_state(pdf_content *content, double fill, double stroke)
{
    size_t i = 0;

    while (i < content->state_count &&
           (content->state[i].fill != fill || content->state[i].stroke != stroke))
        i++;
    if (i == content->state_count && i < PDF_STATES) {
        content->state[i].fill = fill;
        content->state[i].stroke = stroke;
        content->state_count++;
    }
    return i < PDF_STATES ? i : 0;
}

static void put_colour(FILE *out, long colour, const char *operator)
{
    fprintf(out, "%.3g %.3g %.3g %s\n", (double)(colour >> 16) / 255,
            (double)(colour >> 8 & 255) / 255, (double)(colour & 255) / 255, operator);
}

static void put_style(pdf_content *content, const element_style *style)
{
    FILE *out = content->out;

    fprintf(out, "/G%zu gs\n", find_state(content, style->fill_opacity, style->stroke_opacity));
    if (style->fill >= 0)
        put_colour(out, style->fill, "rg");
    if (style->stroke < 0)
        return;
    put_colour(out, style->stroke, "RG");
    fprintf(out, "%g w %d J %d j [", style->stroke_width, style->cap, style->join);
    for (unsigned i = 0; i < style->dashes; i++)
        fprintf(out, "%g ", style->dash[i]);
    fputs("] 0 d\n", out);
}

/* Fill and stroke the current path. */
static void paint(const pdf_content *content, const element_style *style)
{
    fputs(style->fill >= 0 ? (style->stroke >= 0 ? "B\n" : "f\n")
                           : (style->stroke >= 0 ? "S\n" : "n\n"),
          content->out);
}

static void put_line(pdf_content *content, const element *e)
{
    element_style style = get_style(content, e);

    style.fill = -1;
    put_style(content, &style);
    fprintf(content->out, "%g %g m %g %g l\n", get_number(e, "x1", 0), get_number(e, "y1", 0),
            get_number(e, "x2", 0), get_number(e, "y2", 0));
    paint(content, &style);
}

static void put_rect(pdf_content *content, const element *e)
{
    element_style style = get_style(content, e);

    put_style(content, &style);
    fprintf(content->out, "%g %g %g %g re\n", get_number(e, "x", 0), get_number(e, "y", 0),
            get_number(e, "width", content->width), get_number(e, "height", content->height));
    paint(content, &style);
}

static void put_circle(pdf_content *content, const element *e)
{
    element_style style = get_style(content, e);
    double        r = get_number(e, "r", 0);
    char          path[160];

    snprintf(path, sizeof path, "M%g %ga%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z",
             get_number(e, "cx", 0) - r, get_number(e, "cy", 0), r, r, 2 * r, r, r, -2 * r);
    put_style(content, &style);
    pdf_path(content->out, path);
    paint(content, &style);
}

static bool put_path(pdf_content *content, const element *e)
{
    element_style style = get_style(content, e);
    size_t        room = (size_t)(e->end - e->attributes) + 1;
    char         *d = checked_calloc(room, 1);
    bool          is_known;

    put_style(content, &style);
    is_known = get_attribute(e, "d", d, room) && pdf_path(content->out, d);
    paint(content, &style);
    free(d);
    return is_known;
}

/* Write a text. The page has its y axis downwards, so the text is turned over again. */
static void put_text(pdf_content *content, const element *e)
{
    element_style style = get_style(content, e);
    char         *text = NULL;
    size_t        size = 0;
    FILE         *string = checked_memory_stream(&text, &size);
    double        width = pdf_text(string, e->text, strcspn(e->text, "<")) * style.font_size;

    fclose(string);
    put_style(content, &style);
    fprintf(content->out, "BT /F%d %g Tf 1 0 0 -1 %g %g Tm %s Tj ET\n", style.bold ? 2 : 1,
            style.font_size, get_number(e, "x", 0) - style.anchor * width, get_number(e, "y", 0),
            text);
    free(text);
}

static void begin_page(pdf_content *content, const element *e)
{
    content->width = get_number(e, "width", 0);
    content->height = get_number(e, "height", 0);
    fprintf(content->out, "0.75 0 0 -0.75 0 %g cm\n", content->height * 0.75);
}

static void take_sheet(pdf_content *content, const element *e)
{
    size_t length = strcspn(e->text, "<");

    free(content->sheet);
    content->sheet = checked_calloc(length + 1, 1);
    memcpy(content->sheet, e->text, length);
}

static bool put_element(pdf_content *content, const element *e)
{
    static const struct {
        const char *tag;
        void (*put)(pdf_content *content, const element *e);
    } known[] = {{"svg", begin_page}, {"style", take_sheet}, {"rect", put_rect},
                 {"line", put_line},  {"circle", put_circle}, {"text", put_text}};

    if (strcmp(e->tag, "path") == 0)
        return put_path(content, e);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(e->tag, known[i].tag) == 0) {
            known[i].put(content, e);
            return true;
        }
    return false;
}

bool pdf_content_convert(pdf_content *content, const char *svg)
{
    bool is_known = true;

    for (const char *at = svg; is_known && (at = strchr(at, '<')); at++) {
        element e = {.attributes = at + 1};
        size_t  length = strcspn(at + 1, " />\n");

        if (at[1] == '/' || at[1] == '?')
            continue;
        e.end = strchr(at, '>');
        if (!e.end || length >= sizeof e.tag)
            is_known = false;
        else {
            memcpy(e.tag, at + 1, length);
            e.text = e.end + 1;
            is_known = put_element(content, &e);
        }
    }
    free(content->sheet);
    content->sheet = NULL;
    return is_known;
}
