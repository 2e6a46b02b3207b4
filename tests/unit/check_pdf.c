/* SPDX-License-Identifier: BSD-3-Clause */
/* Test the PDF of plots: the table of objects, the styles of elements, paths, and texts. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/pdf/content.h"
#include "common/pdf/pdf.h"
#include "common/plot/plot.h"
#include "suite.h"

/* Return the PDF of an SVG, which the caller frees; NULL: refused. */
static char *as_pdf(const char *svg, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    int   is_known;

    ck_assert_ptr_nonnull(out);
    is_known = pdf_write(out, svg);
    fclose(out);
    if (is_known)
        return text;
    ck_assert_uint_eq(*length, 0);
    free(text);
    return NULL;
}

/* Check that each entry of the table of objects is the place of the object. */
static void check_objects(const char *pdf)
{
    const char *start = strstr(pdf, "startxref\n"), *table;
    unsigned    count;
    int         used;
    char        head[32];

    ck_assert_ptr_nonnull(start);
    table = pdf + strtoul(start + 10, NULL, 10);
    ck_assert_int_eq(sscanf(table, "xref\n0 %u\n0000000000 65535 f \n%n", &count, &used), 1);
    table += used;
    ck_assert_uint_gt(count, 3);
    for (unsigned i = 1; i < count; i++, table += 20) {
        snprintf(head, sizeof head, "%u 0 obj\n", i);
        ck_assert(strncmp(pdf + strtoul(table, NULL, 10), head, strlen(head)) == 0);
        ck_assert(strncmp(table + 10, " 00000 n \n", 10) == 0);
    }
    ck_assert(strncmp(table, "trailer", 7) == 0);
}

START_TEST(plots_of_all_kinds_are_converted)
{
    static const double x[] = {1, 2, 3}, y[] = {2, 1, 3}, low[] = {1, 1, 2}, high[] = {3, 2, 4};
    plot_series         series[] = {{.name = "a (\\b) <c>", .count = 3, .x = x, .y = y},
                                    {.name = "b", .count = 3, .x = x, .y = y, .published = true}};
    plot_spec plot = {.title = "T", .x_name = "x", .y_name = "y", .series = series, .count = 2};

    for (int kind = PLOT_BOXES; kind <= PLOT_AREAS; kind++) {
        char  *svg = NULL, *pdf;
        size_t length;
        FILE  *out = open_memstream(&svg, &length);

        plot.kind = (plot_kind)kind;
        series[0].low = kind == PLOT_LINES ? low : NULL;
        series[0].high = kind == PLOT_LINES ? high : NULL;
        plot_write(out, &plot);
        fclose(out);
        pdf = as_pdf(svg, &length);
        ck_assert_ptr_nonnull(pdf);
        ck_assert(strncmp(pdf, "%PDF-1.4\n", 9) == 0);
        check_objects(pdf);
        ck_assert(kind == PLOT_AREAS || strstr(pdf, "(a \\(\\\\b\\) <c>) Tj"));
        free(pdf);
        free(svg);
    }
}
END_TEST

START_TEST(later_rules_precede)
{
    static const char sheet[] =
        "text{font-size:12px;fill:#1f2937}\n.b{font-weight:600}.e{text-anchor:end}\n"
        ".k{font-size:11px;fill:#4b5563}.x,.y{stroke:#abc;stroke-width:1.5}"
        ".u{fill:none;stroke:#102030;stroke-dasharray:1.5 4}"
        ".r{stroke-linecap:round;stroke-linejoin:round;fill-opacity:.4}\n"
        "@media print{.b{fill:#000}.k{font-size:99px}}";
    element_style style = style_of_element(sheet, "text", "k e");

    ck_assert_double_eq(style.font_size, 11);
    ck_assert_int_eq(style.fill, 0x4b5563);
    ck_assert_double_eq(style.anchor, 1);
    ck_assert(!style.bold && style.stroke < 0);
    style = style_of_element(sheet, "text", "b");
    ck_assert(style.bold && style.fill == 0x1f2937);
    style = style_of_element(sheet, "line", "y u");
    ck_assert(style.fill < 0 && style.stroke == 0x102030 && style.stroke_width == 1.5);
    ck_assert(style.dashes == 2 && style.dash[0] == 1.5 && style.dash[1] == 4);
    style = style_of_element(sheet, "path", "x r");
    ck_assert(style.stroke == 0xaabbcc && style.cap == 1 && style.join == 1);
    ck_assert_double_eq(style.fill_opacity, 0.4);
    style = style_of_element(sheet, "rect", "kk");
    ck_assert(style.fill == 0 && style.stroke < 0 && style.font_size == 12);
}
END_TEST

/* Return the operators of a path, which the caller frees; NULL: refused. */
static char *operators_of(const char *d)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);
    bool   is_known = pdf_path(out, d);

    fclose(out);
    if (is_known)
        return text;
    free(text);
    return NULL;
}

START_TEST(paths_are_lines_and_half_circles)
{
    static const char *const refused[] = {"M1 1q2 2 3 3", "M1 1L2", "M1 1a2 3 0 1 0 4 0",
                                          "M1 1a2 2 0 1 0 3 0", "M1 1a2 2 0 1 0 4 1", "x"};
    char *lines = operators_of("M1 2h3v-1H0V5l2 2m1 0L9 9z");
    char *circle = operators_of("M10 20m-2 0a2 2 0 1 1 4 0");

    ck_assert_str_eq(lines, "1 2 m\n4 2 l\n4 1 l\n0 1 l\n0 5 l\n2 7 l\n3 7 m\n9 9 l\nh\n");
    ck_assert_str_eq(circle, "10 20 m\n8 20 m\n8 18.8954 8.89543 18 10 18 c\n"
                             "11.1046 18 12 18.8954 12 20 c\n");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert_ptr_null(operators_of(refused[i]));
    free(lines);
    free(circle);
}
END_TEST

START_TEST(texts_have_the_encoding_and_width_of_helvetica)
{
    static const char text[] = "Wi &lt;\xc3\xa9\xe2\x80\xa6\xe4\xb8\xad(";
    char             *made = NULL;
    size_t            length;
    FILE             *out = open_memstream(&made, &length);
    double            width = pdf_text(out, text, strlen(text));

    fclose(out);
    ck_assert_str_eq(made, "(Wi <\\351\\205?\\()");
    ck_assert_double_eq_tol(
        width, (944 + 222 + 278 + 584 + 556 + 1000 + 556 + 333) / 1000.0, 1e-12);
    free(made);
}
END_TEST

START_TEST(other_elements_are_refused)
{
    size_t length;
    char  *pdf = as_pdf("<svg width=\"8\" height=\"4\"><style>.a{fill:#fff}</style>"
                        "<rect class=\"a\" width=\"100%\" height=\"50%\"/></svg>", &length);

    ck_assert_ptr_nonnull(strstr(pdf, "/MediaBox [0 0 6 3]"));
    ck_assert_ptr_nonnull(strstr(pdf, "0 0 8 50 re\nf\n"));
    free(pdf);
    ck_assert_ptr_null(as_pdf("<svg><g/></svg>", &length));
    ck_assert_ptr_null(as_pdf("<svg><path class=\"a\"/></svg>", &length));
    ck_assert_ptr_null(as_pdf("<svg", &length));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("PDF");
    TCase *cases = tcase_create("plots");

    tcase_add_test(cases, plots_of_all_kinds_are_converted);
    tcase_add_test(cases, later_rules_precede);
    tcase_add_test(cases, paths_are_lines_and_half_circles);
    tcase_add_test(cases, texts_have_the_encoding_and_width_of_helvetica);
    tcase_add_test(cases, other_elements_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
