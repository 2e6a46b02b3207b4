/* SPDX-License-Identifier: BSD-3-Clause */
/* A PDF file (ISO 32000-1) of one page, from the elements of an SVG. */
#include "common/pdf/pdf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/pdf/content.h"

enum { OBJECTS = 7, STATES_OBJECT = 7 };

/* Write the opacities that the page uses, as a dictionary. */
static void put_states(FILE *out, const pdf_content *content)
{
    fputs("<<", out);
    for (size_t i = 0; i < content->state_count; i++)
        fprintf(out, " /G%zu << /ca %g /CA %g >>", i, content->state[i].fill,
                content->state[i].stroke);
    fputs(" >>", out);
}

static void put_font(FILE *out, const char *name)
{
    fprintf(out,
            "<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>", name);
}

static void put_object(FILE *out, int number, const pdf_content *content, const char *stream,
                       size_t length)
{
    switch (number) {
    case 1:
        fputs("<< /Type /Catalog /Pages 2 0 R >>", out);
        break;
    case 2:
        fputs("<< /Type /Pages /Kids [3 0 R] /Count 1 >>", out);
        break;
    case 3:
        fprintf(out,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents 4 0 R\n"
                "   /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /ExtGState %d 0 R >> >>",
                content->width * 0.75, content->height * 0.75, STATES_OBJECT);
        break;
    case 4:
        fprintf(out, "<< /Length %zu >>\nstream\n", length);
        fwrite(stream, 1, length, out);
        fputs("\nendstream", out);
        break;
    case 5:
        put_font(out, "Helvetica");
        break;
    case 6:
        put_font(out, "Helvetica-Bold");
        break;
    default:
        put_states(out, content);
    }
}

/* Write the objects of the file and, at its end, the table of offsets. */
static void put_file(FILE *out, const pdf_content *content, const char *stream, size_t length)
{
    char  *text = NULL;
    size_t size = 0, offset[OBJECTS + 1];
    FILE  *file = checked_memory_stream(&text, &size);

    fputs("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", file);
    for (int i = 1; i <= OBJECTS; i++) {
        fflush(file);
        offset[i] = size;
        fprintf(file, "%d 0 obj\n", i);
        put_object(file, i, content, stream, length);
        fputs("\nendobj\n", file);
    }
    fflush(file);
    offset[0] = size;
    fprintf(file, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (int i = 1; i <= OBJECTS; i++)
        fprintf(file, "%010zu 00000 n \n", offset[i]);
    fprintf(file, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", OBJECTS + 1,
            offset[0]);
    fclose(file);
    fwrite(text, 1, size, out);
    free(text);
}

int pdf_write(FILE *out, const char *svg)
{
    pdf_content content = {.width = 0};
    char       *stream = NULL;
    size_t      length = 0;
    bool        is_known;

    content.out = checked_memory_stream(&stream, &length);
    is_known = pdf_content_convert(&content, svg);
    fclose(content.out);
    if (is_known)
        put_file(out, &content, stream, length);
    free(stream);
    return is_known;
}
