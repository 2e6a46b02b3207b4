/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_GANTT_GANTT_H
#define HSI_PICTURE_GANTT_GANTT_H

#include <hybridsched/io.h>

#include "io/text/output.h"
#include "picture/picture.h"

/** As people write it: that of microseconds has a Greek letter. */
const char *hsi_unit_text(hs_unit unit);

/** `value` >= 0 rounded to `digits` <= 17 digits, NUL-terminated; returns the length. */
#define HSI_ROUND_TEXT 64
size_t hsi_round_text(double value, int digits, char buffer[HSI_ROUND_TEXT]);

/** "12.3 ms" */
void hsi_put_time(hsi_output *out, double time, hs_unit unit);

/** "100 000", with narrow spaces that do not break. */
void hsi_put_count(hsi_output *out, uint64_t count);

/** "97.4 %", of a share in [0, 1]; 100 only when it is that. */
void hsi_put_percent(hsi_output *out, double share);

/** `text`, escaped; of more than `limit` bytes the beginning and an ellipsis. */
void hsi_put_name(hsi_output *out, const char *text, size_t limit);

/** Columns that a monospaced font would take for `text`. */
unsigned hsi_text_columns(const char *text, size_t length);

/** `opening`, which ends with an attribute's first quote, the value and the second. */
void hsi_put_attribute(hsi_output *out, const char *opening, double value);

/** `<rect class="KIND" x= y= width= height=`, without what closes it. */
void hsi_put_rect(hsi_output *out, const char *kind, double x, double y, double width,
                  double height);

/** The same for a class of the palette. */
void hsi_put_class_rect(hsi_output *out, unsigned class, int aborted, double x, double y,
                        double width, double height);

/** `<text class="KIND" x= y=>` */
void hsi_put_text_at(hsi_output *out, const char *kind, double x, double y);

void hsi_put_line(hsi_output *out, const char *kind, double x1, double y1, double x2, double y2);

enum {
    HSI_KERNELS = 8, /* with a colour of their own */
    HSI_SCALE = 10,  /* steps of the scale at most */
    HSI_REST = 10,   /* class of the other kernels, or of what only a CPU can run */
    HSI_GPU_ONLY = 11,
    HSI_CLASSES = 12
};

/*
 * A task's class says how it is coloured: by kernel if the instance has some,
 * else by its acceleration factor p/q on a scale of powers of two.
 */
typedef struct hsi_palette {
    int         by_kernel;
    unsigned    count;               /* classes 0 .. count-1 are in use */
    int         used[HSI_CLASSES];
    const char *kernel[HSI_KERNELS]; /* the instance's */
    int         low, step;           /* class c begins at p/q = 2^(low + c*step) */
} hsi_palette;

/** O(rows log rows). HS_ENOMEM. */
hs_status hsi_palette_choose(const hs_instance *in, hsi_palette *palette);

unsigned hsi_palette_class(const hsi_palette *palette, const hs_instance *in, size_t task);

/** Rules ".c0{...}" and the hatched ".a0{...}" for a <style>. */
void hsi_palette_style(hsi_output *out, const hsi_palette *palette);

/** The hatches for <defs>, fine enough for rows of that height. */
void hsi_palette_hatches(hsi_output *out, const hsi_palette *palette, double height);

/** Is text on that class to be light? */
int hsi_palette_dark(const hsi_palette *palette, unsigned class);

/* One line of the legend is that high. */
#define HSI_LEGEND_LINE 22.0

/* What the legend explains beside the colours. */
enum { HSI_LEGEND_ABORTED = 1, HSI_LEGEND_FAILED = 2 };

/**
 * The legend from (x, y) on, not wider than `width`. Returns its lines. NULL `out`:
 * only counts them.
 */
unsigned hsi_palette_legend(hsi_output *out, const hsi_palette *palette, unsigned also, double x,
                            double y, double width);

/** A cross, as wide and high as 2 * `reach`. */
void hsi_put_cross(hsi_output *out, double x, double y, double reach);

typedef struct hsi_panel hsi_panel;

/* The rows of one worker type. A row is a worker's lane, or stands for `group` workers. */
typedef struct hsi_band {
    const hsi_panel *panel;
    hs_type  type;
    unsigned first, workers;
    unsigned group, rows;
    double   top;    /* y of the first row */
    double   pitch;  /* from row to row */
    double   height; /* of a row */
} hsi_band;

/* One schedule: that of the picture, or what was planned. */
struct hsi_panel {
    const char           *name; /* NULL: it is the only one */
    const hs_schedule    *s;
    const hs_named_bound *bound; /* NULL: none that can be drawn */
    hs_metrics            metrics;
    hsi_band              band[2]; /* GPUs, CPUs */
    double                top;     /* its lines begin above, with their labels */
    int                   happened; /* its times were measured, those of the instance estimated */
};

typedef struct hsi_gantt {
    hsi_output         out;
    const hs_instance *in;
    hs_picture         picture;
    hs_unit            unit;
    hsi_palette        palette;
    unsigned           panels;
    hsi_panel          panel[2];     /* from above; the last is the picture's own schedule */
    double             span;         /* the time at the right end; > 0 */
    double             left, width, bottom; /* the plot, its labels apart */
    double             legend_top;
    unsigned           legend_lines;
    unsigned           legend;       /* HSI_LEGEND_... */
    double             least_height; /* of the rows */
    double             page_width, page_height;
} hsi_gantt;

/* The labels of a panel's lines stand in that much room above it. */
#define HSI_LINE_LABELS 32.0

static inline double hsi_gantt_x(const hsi_gantt *g, double time)
{
    return g->left + time / g->span * g->width;
}

static inline double hsi_row_top(const hsi_band *band, unsigned row)
{
    return band->top + row * band->pitch;
}

/** Sizes and places of everything (layout.c). */
void hsi_gantt_layout(hsi_gantt *g);

/** The schedule that the picture is of. */
static inline const hsi_panel *hsi_gantt_own(const hsi_gantt *g)
{
    return &g->panel[g->panels - 1];
}

/** "cpu3" or "cpu0-99": the workers of a row. */
void hsi_row_name(const hsi_band *band, unsigned row, char name[40]);

/** Rectangles of a band whose rows are single workers (lanes.c). */
void hsi_draw_lanes(hsi_gantt *g, const hsi_band *band);

/** Of one whose rows stand for many (groups.c). HS_ENOMEM. */
hs_status hsi_draw_groups(hsi_gantt *g, const hsi_band *band);

/** Makespans and bounds, with their labels (lines.c). */
void hsi_draw_lines(hsi_gantt *g);

/** A cross for each failure, or for several too close to tell apart (failures.c). */
void hsi_draw_failures(hsi_gantt *g, const hsi_band *band);

#endif
