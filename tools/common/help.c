/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/help.h"

#include <string.h>

enum { WIDTH = 80, HELP_COLUMN = 30 };

void help_wrap(FILE *out, const char *text, int column, int indent)
{
    if (column > indent) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", indent - column, "");
    column = indent;
    while (*text) {
        size_t length = strcspn(text, " \n");

        if (column > indent && column + 1 + (int)length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, text);
        column += (int)length;
        text += length;
        if (*text == '\n') {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        text += *text != '\0';
    }
    fputc('\n', out);
}

static void print_option(const option_spec *spec, FILE *out)
{
    char heading[128];
    int  used;

    if (spec->letter)
        used = snprintf(heading, sizeof heading, "  -%c, --%s", spec->letter, spec->name);
    else
        used = snprintf(heading, sizeof heading, "      --%s", spec->name);
    if (spec->argument && used < (int)sizeof heading)
        used += snprintf(heading + used, sizeof heading - (size_t)used, "=%s", spec->argument);
    fputs(heading, out);
    help_wrap(out, spec->help, used + 1 > HELP_COLUMN ? WIDTH : used, HELP_COLUMN);
}

void help_print(const tool_spec *tool, FILE *out, const void *line)
{
    const option_spec *spec;

    fprintf(out, "Usage: %s [OPTION]...%s%s\n", tool->name, *tool->operands ? " " : "",
            tool->operands);
    help_wrap(out, tool->summary, 0, 0);
    fputs("\nOptions:\n", out);
    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        print_option(spec, out);
    if (tool->epilogue) {
        fputc('\n', out);
        tool->epilogue(out, line);
    }
}
