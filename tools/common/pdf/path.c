/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of SVG with the commands of plots: lines, and half circles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/pdf/content.h"

#define KAPPA 0.5522847498 /* of the Bezier curve that is next to a quarter of a circle */

typedef struct pen {
    FILE  *out;
    double x, y, start_x, start_y;
} pen;

static void move_to(pen *p, double x, double y)
{
    fprintf(p->out, "%g %g m\n", x, y);
    p->x = p->start_x = x;
    p->y = p->start_y = y;
}

static void line_to(pen *p, double x, double y)
{
    fprintf(p->out, "%g %g l\n", x, y);
    p->x = x;
    p->y = y;
}

/* Draw half a circle to (x + across, y); up: above the line, with y growing downwards. */
static void half_circle(pen *p, double across, bool up)
{
    double r = across / 2, height = up ? -fabs(r) : fabs(r), k = KAPPA, x = p->x, y = p->y;

    fprintf(p->out, "%g %g %g %g %g %g c\n", x, y + k * height, x + r - k * r, y + height, x + r,
            y + height);
    fprintf(p->out, "%g %g %g %g %g %g c\n", x + r + k * r, y + height, x + across, y + k * height,
            x + across, y);
    p->x = x + across;
}

/* Read `count` numbers behind a command; return false if there are fewer. */
static bool read_numbers(const char **d, int count, double *number)
{
    char *end;

    for (int i = 0; i < count; i++) {
        number[i] = strtod(*d + (**d == ','), &end);
        if (end == *d)
            return false;
        *d = end;
    }
    return true;
}

static int numbers_of(char command)
{
    switch (command) {
    case 'M':
    case 'm':
    case 'L':
    case 'l':
        return 2;
    case 'H':
    case 'h':
    case 'V':
    case 'v':
        return 1;
    case 'a':
        return 7;
    default:
        return strchr("Zz", command) ? 0 : -1;
    }
}

static void draw(pen *p, char command, const double *n)
{
    switch (command) {
    case 'M':
        move_to(p, n[0], n[1]);
        break;
    case 'm':
        move_to(p, p->x + n[0], p->y + n[1]);
        break;
    case 'L':
        line_to(p, n[0], n[1]);
        break;
    case 'l':
        line_to(p, p->x + n[0], p->y + n[1]);
        break;
    case 'H':
        line_to(p, n[0], p->y);
        break;
    case 'h':
        line_to(p, p->x + n[0], p->y);
        break;
    case 'V':
        line_to(p, p->x, n[0]);
        break;
    case 'v':
        line_to(p, p->x, p->y + n[0]);
        break;
    case 'a': /* from left to right, the clockwise half is above */
        half_circle(p, n[5], (n[4] > 0) == (n[5] > 0));
        break;
    default:
        fputs("h\n", p->out);
        p->x = p->start_x;
        p->y = p->start_y;
    }
}

bool pdf_path(FILE *out, const char *d)
{
    pen p = {.out = out};

    for (;;) {
        double number[7];
        char   command;
        int    count;

        d += strspn(d, " ,");
        if (!*d)
            return true;
        command = *d++;
        count = numbers_of(command);
        if (count < 0 || !read_numbers(&d, count, number))
            return false;
        if (command == 'a' && (number[0] != number[1] || fabs(number[5]) != 2 * number[0] ||
                               number[6] != 0))
            return false; /* no half circle */
        draw(&p, command, number);
    }
}
