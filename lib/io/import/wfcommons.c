/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import of WfCommons workflows, WfFormat 1.5: the graph is in workflow.specification, the times in
 * workflow.execution. An edge carries the files that its first task writes and its second reads.
 * The text is walked through several times, because its parts may come in any order; unknown parts
 * are skipped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "io/import/import.h"
#include "io/import/json.h"

typedef struct wf_task {
    const char *at;
    hsi_text    id, name;
    double      seconds;                               /* NaN: no execution read yet */
    const char *parents, *children, *inputs, *outputs; /* arrays; NULL: missing */
    size_t      followers;
} wf_task;

/* A task that writes a file, in a linked list. */
typedef struct wf_maker {
    uint32_t task, next; /* number of the task and of the next list entry, each + 1; 0: none */
} wf_maker;

typedef struct wf_file {
    double   bytes;
    uint32_t makers; /* first entry of the list of tasks that write the file, + 1 */
    uint32_t reader; /* last task that reads the file, + 1 */
} wf_file;

typedef struct wf {
    hsi_import  r;
    hsi_json    json;
    hsi_arena   arena;
    bool        has_version;
    const char *tasks, *files, *runs; /* arrays; NULL: missing */
    hsi_vector  task;                 /* wf_task */
    hsi_words   names;                /* names of files */
    hsi_vector  file;                 /* wf_file */
    hsi_vector  makers;               /* wf_maker */
    /* per task: child (+ 1) of the last edge found that leaves the task */
    uint32_t   *parent_of;
    size_t     *edge_of;              /* per task: index of this edge */
} wf;

typedef hs_status (*on_member)(wf *w, hsi_text name, void *data, int *taken);
typedef hs_status (*on_element)(wf *w, void *data);

/* Call `member` for each member of the object at the cursor; skip members not taken. */
static hs_status each_member(wf *w, on_member member, void *data)
{
    int       first = 1, found = 0;
    hsi_text  name;
    hs_status st;

    while ((st = hsi_json_next_member(&w->json, &first, &found, &name)) == HS_OK && found) {
        int taken = 0;

        st = member(w, name, data, &taken);
        if (st == HS_OK && !taken)
            st = hsi_json_skip_value(&w->json);
        if (st != HS_OK)
            return st;
    }
    return st;
}

/* Call `element` for each element of the array at `at`; NULL: no array. */
static hs_status each_element(wf *w, const char *at, on_element element, void *data)
{
    int       first = 1, found = 0;
    hs_status st = HS_OK;

    if (!at)
        return HS_OK;
    w->json.at = at;
    while ((st = hsi_json_next_element(&w->json, &first, &found)) == HS_OK && found) {
        st = element(w, data);
        if (st != HS_OK)
            return st;
    }
    return st;
}

static hs_status missing(const wf *w, const char *at, const char *what)
{
    return hsi_import_fail(&w->r.text, at, "no %s; expected one, as WfFormat 1.5 has it", what);
}

/* Store the position of an array in *at, to read it later. */
static hs_status keep_array(wf *w, hsi_text name, const char **at, int *taken)
{
    char      c;
    hs_status st;

    if (*at)
        return hsi_import_fail(&w->r.text, name.at, "'%.*s' is there twice", (int)name.length,
                               name.at);
    st = hsi_json_peek_value(&w->json, &c);
    if (st == HS_OK && c != '[')
        return hsi_import_fail(&w->r.text, w->json.at, "'%.*s' is no array", (int)name.length,
                               name.at);
    *at = w->json.at;
    *taken = 0;
    return st;
}

static hs_status in_specification(wf *w, hsi_text name, void *data, int *taken)
{
    (void)data;
    if (hsi_text_is(name, "tasks"))
        return keep_array(w, name, &w->tasks, taken);
    return hsi_text_is(name, "files") ? keep_array(w, name, &w->files, taken) : HS_OK;
}

static hs_status in_execution(wf *w, hsi_text name, void *data, int *taken)
{
    (void)data;
    return hsi_text_is(name, "tasks") ? keep_array(w, name, &w->runs, taken) : HS_OK;
}

static hs_status in_workflow(wf *w, hsi_text name, void *data, int *taken)
{
    (void)data;
    *taken = 1;
    if (hsi_text_is(name, "specification"))
        return each_member(w, in_specification, NULL);
    if (hsi_text_is(name, "execution"))
        return each_member(w, in_execution, NULL);
    *taken = 0;
    return HS_OK;
}

static hs_status in_root(wf *w, hsi_text name, void *data, int *taken)
{
    hsi_text  version;
    char      c, shown[HSI_SHOWN];
    hs_status st;

    (void)data;
    *taken = 1;
    if (hsi_text_is(name, "workflow"))
        return each_member(w, in_workflow, NULL);
    *taken = hsi_text_is(name, "schemaVersion");
    if (!*taken)
        return HS_OK;
    st = hsi_json_peek_value(&w->json, &c);
    name.at = w->json.at;
    if (st == HS_OK)
        st = hsi_json_read_string(&w->json, &version);
    if (st == HS_OK && !hsi_text_is(version, "1.5"))
        return hsi_import_fail(&w->r.text, name.at, "schemaVersion %s; expected '1.5'",
                               hsi_import_quote(version, shown));
    w->has_version = true;
    return st;
}

/* The members read from a file or an execution. */
typedef struct wf_item {
    hsi_text    id;
    double      number;
    int         has_id, has_number;
    const char *of_number; /* name of the member with the number */
} wf_item;

static hs_status in_item(wf *w, hsi_text name, void *data, int *taken)
{
    wf_item *item = data;

    *taken = 1;
    if (hsi_text_is(name, "id")) {
        item->has_id = 1;
        return hsi_json_read_string(&w->json, &item->id);
    }
    *taken = hsi_text_is(name, item->of_number);
    item->has_number |= *taken;
    return *taken ? hsi_json_read_number(&w->json, &item->number) : HS_OK;
}

/* Read an object with an id and a number of at least 0. */
static hs_status read_item(wf *w, wf_item *item, const char **at)
{
    char      c;
    hs_status st = hsi_json_peek_value(&w->json, &c);

    *at = w->json.at;
    if (st == HS_OK)
        st = each_member(w, in_item, item);
    if (st == HS_OK && !item->has_id)
        return missing(w, *at, "id");
    if (st == HS_OK && !item->has_number)
        return missing(w, *at, item->of_number);
    if (st == HS_OK && item->number < 0)
        return hsi_import_fail(&w->r.text, *at, "%s is %g; expected at least 0", item->of_number,
                               item->number);
    return st;
}

static hs_status add_file(wf *w, void *data)
{
    wf_item     item = {.of_number = "sizeInBytes"};
    wf_file     file = {0};
    const char *at;
    char        shown[HSI_SHOWN];
    size_t      number;
    hs_status   st = read_item(w, &item, &at);

    (void)data;
    if (st == HS_OK)
        st = hsi_words_find_or_add(&w->names, item.id, &number);
    if (st == HS_OK && number < w->file.size / sizeof file)
        return hsi_import_fail(&w->r.text, at, "file %s is there twice",
                               hsi_import_quote(item.id, shown));
    file.bytes = item.number;
    return st == HS_OK && hsi_vector_append(&w->file, &file, sizeof file) ? HS_ENOMEM : st;
}

static hs_status in_task(wf *w, hsi_text name, void *data, int *taken)
{
    wf_task *task = data;
    const struct {
        const char  *name;
        const char **at;
    } arrays[] = {{"parents", &task->parents},
                  {"children", &task->children},
                  {"inputFiles", &task->inputs},
                  {"outputFiles", &task->outputs}};

    *taken = 1;
    if (hsi_text_is(name, "id"))
        return hsi_json_read_string(&w->json, &task->id);
    if (hsi_text_is(name, "name"))
        return hsi_json_read_string(&w->json, &task->name);
    *taken = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (hsi_text_is(name, arrays[i].name))
            return keep_array(w, name, arrays[i].at, taken);
    return HS_OK;
}

static hs_status add_task(wf *w, void *data)
{
    wf_task   task = {.seconds = NAN};
    char      c, shown[HSI_SHOWN];
    size_t    number;
    hs_status st = hsi_json_peek_value(&w->json, &c);

    (void)data;
    task.at = w->json.at;
    if (st == HS_OK)
        st = each_member(w, in_task, &task);
    if (st != HS_OK)
        return st;
    if (!task.id.at || !task.name.at)
        return missing(w, task.at, task.id.at ? "name" : "id");
    if (!task.parents || !task.children)
        return missing(w, task.at, task.parents ? "children" : "parents");
    st = hsi_words_find_or_add(&w->r.tasks, task.id, &number);
    if (st == HS_OK && number < w->task.size / sizeof task)
        return hsi_import_fail(&w->r.text, task.at, "task %s is there twice",
                               hsi_import_quote(task.id, shown));
    return st == HS_OK && hsi_vector_append(&w->task, &task, sizeof task) ? HS_ENOMEM : st;
}

/* Read a string that must be among `words`. */
static hs_status read_name(wf *w, const hsi_words *words, const char *what, size_t *number,
                           const char **at)
{
    hsi_text  name;
    char      c, shown[HSI_SHOWN];
    hs_status st = hsi_json_peek_value(&w->json, &c);

    *at = w->json.at;
    if (st == HS_OK)
        st = hsi_json_read_string(&w->json, &name);
    if (st != HS_OK)
        return st;
    *number = hsi_words_find(words, name);
    if (*number != HSI_NO_WORD)
        return HS_OK;
    return hsi_import_fail(&w->r.text, *at, "there is no %s %s", what,
                           hsi_import_quote(name, shown));
}

static hs_status add_run(wf *w, void *data)
{
    wf_item     item = {.of_number = "runtimeInSeconds"};
    wf_task    *task = w->task.data;
    const char *at;
    char        shown[HSI_SHOWN];
    size_t      number;
    hs_status   st = read_item(w, &item, &at);

    (void)data;
    if (st != HS_OK)
        return st;
    number = hsi_words_find(&w->r.tasks, item.id);
    if (number == HSI_NO_WORD)
        return hsi_import_fail(&w->r.text, at, "task %s is executed and not specified",
                               hsi_import_quote(item.id, shown));
    if (!isnan(task[number].seconds))
        return hsi_import_fail(&w->r.text, at, "task %s is executed twice",
                               hsi_import_quote(item.id, shown));
    task[number].seconds = item.number;
    return hsi_import_check_time(&w->r, at, item.of_number, &task[number].seconds);
}

static hs_status add_row(wf *w, const wf_task *from)
{
    hs_task   task;
    char      shown[HSI_SHOWN];
    hs_status st;

    if (isnan(from->seconds))
        return hsi_import_fail(&w->r.text, from->at,
                               "task %s is specified and not executed; "
                               "expected its runtimeInSeconds",
                               hsi_import_quote(from->id, shown));
    hs_task_init(&task);
    task.cpu = from->seconds;
    st = hsi_import_gpu_time(&w->r, from->at, from->name, task.cpu, &task.gpu);
    return st == HS_OK ? hsi_import_add_task(&w->r, from->at, from->id, &task) : st;
}

static hs_status add_output(wf *w, void *data)
{
    const uint32_t *task = data;
    wf_maker        maker = {*task + 1, 0}, *last;
    wf_file        *file;
    const char     *at;
    size_t          number;
    hs_status       st = read_name(w, &w->names, "file", &number, &at);

    if (st != HS_OK)
        return st;
    file = (wf_file *)w->file.data + number;
    maker.next = file->makers;
    last = file->makers ? (wf_maker *)w->makers.data + file->makers - 1 : NULL;
    if (last && last->task == maker.task)
        return HS_OK;
    if (hsi_vector_append(&w->makers, &maker, sizeof maker))
        return HS_ENOMEM;
    file->makers = (uint32_t)(w->makers.size / sizeof maker);
    return HS_OK;
}

static hs_status add_parent(wf *w, void *data)
{
    const uint32_t *task = data;
    wf_task        *tasks = w->task.data;
    const char     *at;
    size_t          parent;
    hs_status       st = read_name(w, &w->r.tasks, "task", &parent, &at);

    if (st != HS_OK)
        return st;
    w->parent_of[parent] = *task + 1;
    w->edge_of[parent] = w->r.edges.size / sizeof(hsi_foreign_edge);
    tasks[parent].followers++;
    return hsi_import_add_edge(&w->r, at, *task, parent, 0);
}

/* Add the bytes of an input file to the edges from its makers. */
static hs_status add_input(wf *w, void *data)
{
    const uint32_t   *task = data;
    hsi_foreign_edge *edges = w->r.edges.data;
    const wf_maker   *makers = w->makers.data;
    wf_file          *file;
    const char       *at;
    size_t            number;
    hs_status         st = read_name(w, &w->names, "file", &number, &at);

    if (st != HS_OK)
        return st;
    file = (wf_file *)w->file.data + number;
    if (file->reader == *task + 1)
        return HS_OK;
    file->reader = *task + 1;
    for (uint32_t m = file->makers; m; m = makers[m - 1].next) {
        uint32_t maker = makers[m - 1].task - 1;

        if (w->parent_of[maker] == *task + 1)
            edges[w->edge_of[maker]].bytes += file->bytes;
    }
    return HS_OK;
}

static hs_status take_child(wf *w, void *data)
{
    const uint32_t *task = data;
    wf_task        *tasks = w->task.data;
    char            shown[2][HSI_SHOWN];
    const char     *at;
    size_t          child;
    hs_status       st = read_name(w, &w->r.tasks, "task", &child, &at);

    if (st != HS_OK)
        return st;
    if (w->parent_of[child] == *task + 1 || !hsi_import_has_edge(&w->r, child, *task))
        return hsi_import_fail(&w->r.text, at, "task %s is a child of %s %s",
                               hsi_import_quote(tasks[child].id, shown[0]),
                               hsi_import_quote(tasks[*task].id, shown[1]),
                               w->parent_of[child] == *task + 1
                                   ? "twice; expected each child once"
                                   : "and does not name it as a parent; expected both or neither");
    /* parent_of now holds, per child, the parent of the last edge found */
    w->parent_of[child] = *task + 1;
    tasks[*task].followers--;
    return HS_OK;
}

/* Check that the lists of parents and of children have the same edges. */
static hs_status check_children(wf *w)
{
    const wf_task *task = w->task.data;
    char           shown[HSI_SHOWN];
    hs_status      st = HS_OK;

    hsi_import_sort_edges(&w->r);
    memset(w->parent_of, 0, w->r.rows * sizeof *w->parent_of);
    for (uint32_t i = 0; i < w->r.rows && st == HS_OK; i++) {
        st = each_element(w, task[i].children, take_child, &i);
        if (st == HS_OK && task[i].followers)
            return hsi_import_fail(&w->r.text, task[i].at,
                                   "%zu of the tasks that name %s as a parent are not among its "
                                   "children; expected all",
                                   task[i].followers, hsi_import_quote(task[i].id, shown));
    }
    return st;
}

static hs_status add_edges(wf *w)
{
    const wf_task *task = w->task.data;
    hs_status      st = HS_OK;

    w->parent_of = calloc(w->r.rows + 1, sizeof *w->parent_of);
    w->edge_of = malloc((w->r.rows + 1) * sizeof *w->edge_of);
    if (!w->parent_of || !w->edge_of)
        return HS_ENOMEM;
    for (uint32_t i = 0; i < w->r.rows && st == HS_OK; i++)
        st = each_element(w, task[i].outputs, add_output, &i);
    for (uint32_t i = 0; i < w->r.rows && st == HS_OK; i++) {
        st = each_element(w, task[i].parents, add_parent, &i);
        if (st == HS_OK)
            st = each_element(w, task[i].inputs, add_input, &i);
    }
    return st == HS_OK ? check_children(w) : st;
}

static hs_status read_parts(wf *w)
{
    hs_status st;

    if (!w->has_version)
        return missing(w, w->r.text.at, "schemaVersion");
    if (!w->tasks)
        return missing(w, w->r.text.at, "workflow.specification.tasks");
    if (!w->runs)
        return missing(w, w->r.text.at, "workflow.execution.tasks");
    st = each_element(w, w->files, add_file, NULL);
    if (st == HS_OK)
        st = each_element(w, w->tasks, add_task, NULL);
    if (st == HS_OK)
        st = each_element(w, w->runs, add_run, NULL);
    for (size_t i = 0; i < w->task.size / sizeof(wf_task) && st == HS_OK; i++)
        st = add_row(w, (const wf_task *)w->task.data + i);
    return st == HS_OK ? add_edges(w) : st;
}

static hs_status read_file(wf *w, hs_instance **out)
{
    hs_status st;

    w->json = (hsi_json){&w->r.text, w->r.text.at, &w->arena};
    st = each_member(w, in_root, NULL);
    if (st == HS_OK)
        st = hsi_json_expect_end(&w->json);
    if (st == HS_OK)
        st = read_parts(w);
    return st == HS_OK ? hsi_import_finish(&w->r, "WfCommons", out) : st;
}

hs_status hs_import_wfcommons(int fd, const hs_import_settings *settings, hs_instance **out,
                              hs_error *error)
{
    wf            w = {0};
    hs_status     st;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_import_open(&w.r, fd, settings);
    if (st == HS_OK)
        st = read_file(&w, out);
    free(w.parent_of);
    free(w.edge_of);
    hsi_vector_free(&w.task);
    hsi_vector_free(&w.file);
    hsi_vector_free(&w.makers);
    hsi_words_free(&w.names);
    hsi_arena_close(&w.arena);
    return hsi_import_close(&w.r, st, error);
}
