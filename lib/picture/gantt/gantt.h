/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_GANTT_GANTT_H
#define HSI_PICTURE_GANTT_GANTT_H

#include <hybridsched/io.h>

#include "core/idle.h"
#include "picture/gantt/palette.h"
#include "picture/svg.h"
#include "picture/picture.h"
#include "picture/task_runs.h"
#include "picture/ticks.h"

/*
 * A Gantt chart is made in two passes. The layout (layout.c, legend.c) computes all places: a panel
 * per schedule, in it a band of rows per worker type, and the legend. Then gantt.c draws from back
 * to front: the page, the rows, the grid; the entries of a band, whose rows are single workers
 * (lanes.c) or groups (worker_groups.c); above them failures (failures.c), arrows from victims to
 * thieves (spoliations.c), the axis (axis.c), copies of data (copies.c), ready tasks
 * (ready_tasks.c) and marked times (makespan_lines.c). Colours are in graph_style.c and palette.c.
 * Names in bars keep clear of lines (text_room.c). The critical path (critical_path.c) and the
 * dependency arrows under a pointer (arrows.c) are drawn over the entries.
 */

typedef struct hsi_panel hsi_panel;

/* The rows of a worker type. A row is a worker's lane, or stands for `group` workers. */
typedef struct hsi_band {
    const hsi_panel *panel;
    hs_type          type;
    unsigned         first, workers;
    unsigned         group, rows;
    double           top;     /* y of the first row */
    double           pitch;   /* distance between rows */
    double           height;  /* height of the bars in a row */
    double           heading; /* approximate width of the band's heading */
} hsi_band;

/* A line segment; an area for text. */
typedef struct hsi_segment {
    double x1, y1, x2, y2;
} hsi_segment;

typedef struct hsi_box {
    double left, right, top, bottom;
} hsi_box;

/* The rows with copies of data: a row shows `group` memories, usually one. */
typedef struct hsi_copy_rows {
    unsigned group, rows;
    double   top, pitch;
} hsi_copy_rows;

/* An entry and its worker. */
typedef struct hsi_part {
    const hs_entry *entry;
    unsigned        worker;
    /* order by cost: 1 for the victim of the costliest spoliation; 0: not a victim's entry */
    size_t          rank;
} hsi_part;

/* A schedule in the chart: the picture's own, or the prediction. */
struct hsi_panel {
    const char           *name; /* name of the panel; NULL: the chart has one panel */
    const hs_schedule    *s;
    const hs_named_bound *bound; /* bound to draw; NULL: none */
    hs_metrics            metrics;
    hsi_band              band[2];  /* bands of the GPUs and of the CPUs */
    double                heading;  /* baseline of the panel's name */
    /* upper end of the lines of makespan and bound; labels are above */
    double                top;
    double                bottom;   /* lower end of the lines of makespan and bound */
    /* whether the schedule is a measured run, and the instance has estimated times */
    bool                  happened;
    hsi_runs              runs;     /* run of each task; for task graphs only */
    hsi_path_step        *path;     /* steps of the critical path, from the end of the schedule */
    size_t                path_count;
    /* number of ready tasks over time; empty except for a run of a task graph */
    hsi_ready_counts      backlog;
    double                ready_top; /* top of the chart of ready tasks */
    const hs_transfer    *transfers;
    size_t                transfer_count;
    hsi_copy_rows         copies; /* rows with copies of data; none without copies */
    hsi_part             *parts;  /* entries of aborted tasks, by task and start (spoliations.c) */
    size_t                part_count;
    hsi_part            **spoliation; /* victims' entries of spoliations, by rank */
    size_t                spoliations;
};

/* The ticks of the axis and their notation (axis.c). */
typedef struct hsi_ticks {
    unsigned      minutes; /* step in minutes; 0: decimal ticks */
    hsi_tick_step step;
    int           power; /* power of ten in the axis name; 0: none */
} hsi_ticks;

typedef struct hsi_gantt {
    hsi_output         out;
    const hs_instance *in;
    hs_picture         picture;
    hs_unit            unit;
    hsi_palette        palette;
    unsigned           panels;
    /* panels from above: the prediction, if any, then the picture's schedule */
    hsi_panel          panel[2];
    double             span;                /* time at the right end, > 0 */
    double             left, width, bottom; /* place of the plot without labels */
    /* whether short neighbours share a bar, because tasks are many */
    bool               sliced;
    hsi_ticks          ticks;
    double             subtitle; /* baseline of the first line */
    unsigned           subtitle_lines;
    /* whether the chart is for telephones, which have no pointer: without hover arrows */
    bool               narrow;
    /* number of dependent pairs of tasks; larger than HSI_ARROWS_MOST: not counted exactly */
    size_t             dependencies;
    char               spoliations[96]; /* legend text for spoliation arrows */
    hsi_legend         legend;
    double             legend_top;
    double             least_height; /* smallest row height of all bands */
    double             page_width, page_height;
} hsi_gantt;

enum { HSI_ARROWS_MOST = 10000 }; /* an arrow takes about 2 x 60 bytes in the file */

/* Return whether dependency arrows appear over tasks. */
static inline bool hsi_gantt_shows_dependencies(const hsi_gantt *g)
{
    return !g->narrow && g->dependencies > 0 && g->dependencies * g->panels <= HSI_ARROWS_MOST;
}

/* Room above a panel for the labels of its lines. */
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

/** Compute the sizes and places of all parts (layout.c). */
void hsi_gantt_layout(hsi_gantt *g);

/** Return the panel of the picture's own schedule. */
static inline const hsi_panel *hsi_gantt_main_panel(const hsi_gantt *g)
{
    return &g->panel[g->panels - 1];
}

/** Limit of the bytes of a node's name in front of the name of a row. */
enum { HSI_NODE_NAME = 16 };

/** Return the name of the node whose first row of the band this is; NULL: one node, or another row,
 * or rows with several workers. */
const char *hsi_row_node(const hsi_band *band, unsigned row);

/** Format the workers of a row: "cpu3" or "cpu0–99". */
void hsi_row_name(const hsi_band *band, unsigned row, char name[40]);

/*
 * The contents of a merged bar: time, or number of workers, by class and by state (run or aborted).
 */
typedef struct hsi_mix {
    double weight[HSI_COLOURS][2];
} hsi_mix;

/** Return the sum over all classes in a state; -1: in both states. */
double hsi_mix_total(const hsi_mix *mix, int state);

/** Return the class with the largest part in a state. */
unsigned hsi_mix_heaviest(const hsi_mix *mix, int state);

/** Write the share of each class in `whole`, e.g. "80 % dgemm, 17.3 % dsyrk; 2.7 % aborted". */
void hsi_put_class_shares(hsi_gantt *g, const hsi_mix *mix, double whole);

/** Draw a band whose rows are single workers (lanes.c). */
void hsi_draw_worker_rows(hsi_gantt *g, const hsi_band *band);

/**
 * If the chart has dependency arrows, draw a transparent shape with title and arrows over each
 * entry of a band.
 */
void hsi_draw_entry_hovers(hsi_gantt *g, const hsi_band *band);

/** Draw the transparent shape of an entry of a worker in the band. */
void hsi_draw_entry_hover(hsi_gantt *g, const hsi_band *band, unsigned worker, const hs_entry *e);

/** Write the dependency arrows of a task (arrows.c). */
void hsi_put_dependency_arrows(hsi_gantt *g, const hsi_panel *panel, uint32_t task);

/**
 * Spoliations (spoliations.c). find: collect the spoliations of a panel, HS_ENOMEM. put: write
 * ", spoliated by gpu0" for an entry. gantt_spoliations, hidden_spoliations: return whether any
 * exist; whether the arrows of some are shown on hover only. set_spoliation_text: set the legend
 * text. draw: draw the arrows of the costliest spoliations. put_hidden: write the hover arrows of
 * an entry into its group. draw_spoliation_hovers: draw such groups for entries without one.
 */
hs_status hsi_find_spoliations(const hsi_gantt *g, hsi_panel *panel);
void hsi_put_spoliation(hsi_gantt *g, const hsi_panel *panel, unsigned worker, const hs_entry *e);
bool      hsi_gantt_shows_spoliations(const hsi_gantt *g);
bool      hsi_gantt_has_hidden_spoliations(const hsi_gantt *g);
void hsi_set_spoliation_text(hsi_gantt *g);
void hsi_draw_spoliations(hsi_gantt *g, const hsi_panel *panel);
void hsi_put_hidden_spoliations(hsi_gantt *g, const hsi_panel *panel, unsigned worker,
                                const hs_entry *e);
void hsi_draw_spoliation_hovers(hsi_gantt *g, const hsi_panel *panel);

/**
 * Room for text. room_for_text: return the left edge, in `box` and nearest to its middle, of a text
 * that no line of the panel crosses; NAN: no room. put_around_heading: write "L" commands of a path
 * to the end of a segment, with a gap at a heading.
 */
double hsi_find_text_position(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                              double width);
void   hsi_put_segment_around_heading(hsi_gantt *g, const hsi_panel *panel, hsi_segment s);

/**
 * Return whether a box is crossed by a segment, a shown spoliation arrow, a jump of the critical
 * path, or the line of a bound or of the prediction. *left and *right then bound the part of the
 * line within the height of the box, with a margin.
 */
bool hsi_segment_crosses(hsi_segment s, const hsi_box *box, double *left, double *right);
bool hsi_spoliation_crosses(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                            double *left, double *right);
bool hsi_critical_path_crosses(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                               double *left, double *right);
bool hsi_bound_line_crosses(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                            double *left, double *right);

/** Draw the critical path. */
void hsi_draw_critical_path(hsi_gantt *g, const hsi_panel *panel);

/** Draw a band whose rows are groups of workers. HS_ENOMEM. */
hs_status hsi_draw_group_rows(hsi_gantt *g, const hsi_band *band);

/** Write <style> and <defs>. */
void hsi_gantt_style(hsi_gantt *g);

/**
 * Write a count, e.g. "3 GPUs"; write the heading of a band; return its approximate width.
 */
void   hsi_put_worker_count(hsi_output *out, unsigned count, const char *type_name);
void   hsi_put_heading(hsi_gantt *g, const hsi_band *band);
double hsi_heading_width(const hsi_gantt *g, const hsi_band *band);

/** Choose the ticks; draw the grid through the rows of a panel; draw the axis (axis.c). */
void hsi_choose_ticks(hsi_gantt *g);
void hsi_draw_grid(hsi_gantt *g, const hsi_panel *panel);
void hsi_draw_axis(hsi_gantt *g);

/**
 * Draw the curve of ready tasks below the lanes, and idle times with a ready task in the lanes.
 */
#define HSI_READY_CHART 36.0
void hsi_draw_ready_counts(hsi_gantt *g, const hsi_panel *panel);
void hsi_draw_idle_with_ready_task(hsi_gantt *g, const hsi_band *band);

/** Return whether any wait for a victim is visible; draw the waits in the lanes (waits.c). */
bool hsi_gantt_shows_waits(const hsi_gantt *g);
void hsi_draw_waits(hsi_gantt *g);

/**
 * Rows of copies (copies.c): return whether any panel has copies; compute the rows of a panel;
 * return the longest name in columns; draw the rows.
 */
bool     hsi_gantt_shows_copies(const hsi_gantt *g);
void     hsi_divide_copies(hsi_panel *panel);
unsigned hsi_copies_label_columns(const hsi_panel *panel);
void     hsi_draw_copies(hsi_gantt *g, const hsi_panel *panel);

/** Draw makespans and bounds with their labels. */
void hsi_draw_bound_lines(hsi_gantt *g);

/** Draw a cross per failure, or for several failures too close to distinguish (failures.c). */
void hsi_draw_failures(hsi_gantt *g, const hsi_band *band);

#endif
