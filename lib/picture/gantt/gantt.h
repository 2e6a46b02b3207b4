/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_GANTT_GANTT_H
#define HSI_PICTURE_GANTT_GANTT_H

#include <hybridsched/io.h>

#include "core/idle.h"
#include "picture/gantt/palette.h"
#include "picture/svg.h"
#include "picture/picture.h"
#include "picture/runs.h"
#include "picture/ticks.h"

/*
 * A Gantt chart is made in two passes. The layout (layout.c, legend.c) decides where everything is:
 * a panel for each schedule, in it a band of rows for each worker type, and the legend. Then
 * gantt.c draws from behind: the page, the rows, the grid; the entries of a band whose rows are
 * single workers (lanes.c) or stand for many (groups.c); above them failures (failures.c), arrows
 * from who gave a task up to who took it over (takeovers.c), the axis (axis.c), what was copied
 * (copies.c) or ready (ready.c) and the times that are marked (lines.c). Colours are in style.c and
 * palette.c. Names in bars keep clear of lines (room.c). What ties the entries of a graph together
 * lies over them: the critical path (critical.c), and arrows that a pointer brings (arrows.c).
 */

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
    double   heading; /* the width of its heading, about */
} hsi_band;

/* A line, and an area that text takes. */
typedef struct hsi_segment {
    double x1, y1, x2, y2;
} hsi_segment;

typedef struct hsi_box {
    double left, right, top, bottom;
} hsi_box;

/* A row for each memory, or for `group` of them (copies.c). */
typedef struct hsi_copy_rows {
    unsigned group, rows;
    double   top, pitch;
} hsi_copy_rows;

/* An entry, and whose it is. */
typedef struct hsi_part {
    const hs_entry *entry;
    unsigned        worker;
    size_t          rank; /* of a victim's: 1 for the takeover that lost most time; else 0 */
} hsi_part;

/* One schedule: that of the picture, or what was predicted. */
struct hsi_panel {
    const char           *name; /* NULL: it is the only one */
    const hs_schedule    *s;
    const hs_named_bound *bound; /* NULL: none that can be drawn */
    hs_metrics            metrics;
    hsi_band              band[2]; /* GPUs, CPUs */
    double                heading; /* the baseline of its name */
    double                top;     /* its lines begin above, with their labels */
    double                bottom;  /* and end here */
    int                   happened; /* its times were measured, those of the instance estimated */
    hsi_runs              runs;     /* of a graph */
    hsi_step             *path;     /* the critical one, from its end */
    size_t                path_count;
    hsi_backlog           backlog;   /* of a graph that has run; else of no steps */
    double                ready_top; /* of the chart that shows it */
    const hs_transfer    *transfers;
    size_t                transfer_count;
    hsi_copy_rows         copies; /* if there are some */
    hsi_part             *parts;  /* of tasks that were aborted, by task and start (takeovers.c) */
    size_t                part_count;
    hsi_part            **takeover; /* the victims' parts of takeovers by another worker, by rank */
    size_t                takeovers;
};

/* Where the ticks of the axis are, and how it is written (axis.c). */
typedef struct hsi_ticks {
    unsigned minutes;            /* from one to the next; 0: they are decimal */
    hsi_tick_step step;
    int      power;              /* of ten, in the name of the axis; 0: none */
} hsi_ticks;

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
    int                sliced; /* there are many tasks, and neighbours that are short make a bar */
    hsi_ticks          ticks;
    double             subtitle; /* the baseline of its first line */
    unsigned           subtitle_lines;
    int                narrow;       /* for telephones: without a pointer, no arrows appear */
    size_t             dependencies; /* pairs of tasks, or more than HSI_ARROWS_MOST */
    char               takeovers[96]; /* the legend's text for takeover arrows */
    hsi_legend         legend;
    double             legend_top;
    double             least_height; /* of the rows */
    double             page_width, page_height;
} hsi_gantt;

enum { HSI_ARROWS_MOST = 10000 }; /* each is there twice, in some 60 bytes */

/* Do arrows come up over tasks? */
static inline int hsi_gantt_arrows(const hsi_gantt *g)
{
    return !g->narrow && g->dependencies > 0 && g->dependencies * g->panels <= HSI_ARROWS_MOST;
}

/* The labels of a panel's lines stand in that much room above it. */
#define HSI_LINE_LABELS 32.0

#define HSI_SUBTITLE_LINE 19.0

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

/* Time, or the number of workers, that a merged bar stands for: by class, and run or aborted. */
typedef struct hsi_mix {
    double weight[HSI_COLOURS][2];
} hsi_mix;

/** The sum of a state, or of both if `state` is -1. */
double hsi_mix_sum(const hsi_mix *mix, int state);

/** The class that has most of an aborted or run part. */
unsigned hsi_mix_heaviest(const hsi_mix *mix, int state);

/** "80 % dgemm, 17.3 % dsyrk; 2.7 % aborted": shares of `whole` (mix.c). */
void hsi_put_mix(hsi_gantt *g, const hsi_mix *mix, double whole);

/** Rectangles of a band whose rows are single workers (lanes.c). */
void hsi_draw_lanes(hsi_gantt *g, const hsi_band *band);

/** Shapes over them that have their titles, and arrows, where there are arrows. */
void hsi_draw_hovers(hsi_gantt *g, const hsi_band *band);

/** One such shape, over an entry of a worker of the band. */
void hsi_draw_hover(hsi_gantt *g, const hsi_band *band, unsigned worker, const hs_entry *e);

/** The arrows of a task (arrows.c). */
void hsi_put_arrows(hsi_gantt *g, const hsi_panel *panel, uint32_t task);

/**
 * Takeovers (takeovers.c): find them, HS_ENOMEM; write ", taken over by gpu0" where an entry was;
 * tell whether there are some, and whether some have no arrow but while a pointer is over them; set
 * the text of the legend; draw the arrows of the costliest; put those that a pointer brings into
 * the group of an entry, or draw groups for them where entries have none.
 */
hs_status hsi_find_takeovers(const hsi_gantt *g, hsi_panel *panel);
void hsi_put_takeover(hsi_gantt *g, const hsi_panel *panel, unsigned worker, const hs_entry *e);
int  hsi_gantt_takeovers(const hsi_gantt *g);
int  hsi_gantt_hidden_takeovers(const hsi_gantt *g);
void hsi_say_takeovers(hsi_gantt *g);
void hsi_draw_takeovers(hsi_gantt *g, const hsi_panel *panel);
void hsi_put_hidden_takeovers(hsi_gantt *g, const hsi_panel *panel, unsigned worker,
                              const hs_entry *e);
void hsi_draw_takeover_hovers(hsi_gantt *g, const hsi_panel *panel);

/**
 * Room for text (room.c): the left edge, in `box` and as near its middle as can be, of a text that
 * no line of the panel crosses; NAN: there is none. "L" commands of a path to the end of a segment,
 * with a gap for a heading on its way.
 */
double hsi_room_for_text(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                         double width);
void   hsi_put_around_heading(hsi_gantt *g, const hsi_panel *panel, hsi_segment s);

/** Does a line, a shown arrow of a takeover, a jump of the critical path, or the line of a bound or
 * of what was predicted cross a box? Then
 * *left and *right bound the part of it that is as high as the box, with a margin. */
int hsi_segment_blocks(hsi_segment s, const hsi_box *box, double *left, double *right);
int hsi_takeover_blocks(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                        double *left, double *right);
int hsi_critical_blocks(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                        double *left, double *right);
int hsi_line_blocks(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box, double *left,
                    double *right);

/** What the end of a schedule waited for (critical.c). */
void hsi_draw_critical(hsi_gantt *g, const hsi_panel *panel);

/** Of one whose rows stand for many (groups.c). HS_ENOMEM. */
hs_status hsi_draw_groups(hsi_gantt *g, const hsi_band *band);

/** <style> and <defs> (style.c). */
void hsi_gantt_style(hsi_gantt *g);

/** "3 GPUs"; the heading of a band, and about how wide it is (heading.c). */
void   hsi_put_workers(hsi_output *out, unsigned count, const char *type);
void   hsi_put_heading(hsi_gantt *g, const hsi_band *band);
double hsi_heading_width(const hsi_gantt *g, const hsi_band *band);

/** The axis, and its ticks through the rows of a panel (axis.c). */
void hsi_choose_ticks(hsi_gantt *g);
void hsi_draw_grid(hsi_gantt *g, const hsi_panel *panel);
void hsi_draw_axis(hsi_gantt *g);

/** What was ready meanwhile, below the lanes, and idle lanes in which something was (ready.c). */
#define HSI_READY_CHART 36.0
void hsi_draw_ready(hsi_gantt *g, const hsi_panel *panel);
void hsi_draw_kept(hsi_gantt *g, const hsi_band *band);

/** When workers waited for others to abort: can that be seen, and that in their lanes (waits.c). */
int  hsi_gantt_waits(const hsi_gantt *g);
void hsi_draw_waits(hsi_gantt *g);

/** Rows of copies above that: are there some in a panel, how many, how long their names are, and
 * all that is in them (copies.c). */
int      hsi_gantt_copies(const hsi_gantt *g);
void     hsi_divide_copies(hsi_panel *panel);
unsigned hsi_copies_columns(const hsi_panel *panel);
void     hsi_draw_copies(hsi_gantt *g, const hsi_panel *panel);

/** Makespans and bounds, with their labels (lines.c). */
void hsi_draw_lines(hsi_gantt *g);

/** A cross for each failure, or for several too close to tell apart (failures.c). */
void hsi_draw_failures(hsi_gantt *g, const hsi_band *band);

#endif
