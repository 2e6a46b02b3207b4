/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Test that a reader accepts a file cut short or damaged at any byte, or refuses it with the line
 * and column of the error.
 */

#include "io_fixture.h"
#include "suite.h"

#include "support/hash.h"

static const char instance_text[] =
    "# hybridsched instance 1\n# cpus 2\n# gpus 1\r\n# unit ms\n# note \xc3\xa9t\xc3\xa9\n"
    "id,cpu,gpu,priority,kernel,cpu_command,gpu_command,restartable,count\n"
    "a,11.1,12,9,dpotrf:960,,,,1\n"
    "\"b,\"\"1\"\"\",310,inf,-3,,\"./render\n--frame 7\",,yes,2\n"
    "\xe6\x97\xa5,,0.25,0,k,,run,no,\r\n"
    ",1e-3,2.5E+2,17,k,x y,z,,1\n"
    "t10,12345.678901234567,3,-17,k,,,,1";

static const char plan_text[] =
    "# hybridsched plan 1\n# cpus 2\n# gpus 1\n# unit ms\n# seed 3\n# algorithm heteroprio\n"
    "# seed 7\n# makespan 312.5\n# bound theorem2 12.25\n# instance-digest 0123456789abcdef\n"
    "id,worker,start,end,state,cpu,gpu,priority,kernel\n"
    "\"a,1\",cpu0,0,11.1,run,11.1,12,9,k\n"
    "b#1,cpu1,0,2.5,aborted,310,2,-3,\n"
    "b#1,gpu0,2.5,4.5,run,310,2,-3,\r\n"
    "\xe6\x97\xa5,gpu0,4.5,5,run,inf,.5,,k\n";

static const char affinity_text[] =
    "# what is where\ntask,worker,score\na,cpu0,1.5\n\"b,\"\"1\"\"#2\",gpu0,-2e3\n"
    "\xe6\x97\xa5,cpu1,7\n";

static const char graph_text[] =
    "# cpus 2\n# gpus 1\n# link h2d 0.5 1e9\n# link d2h 0 2e9\n# data-bytes 8\n# data x y 16\n"
    "id,cpu,gpu,count,after,data\n"
    "a,1,2,1,f:100,x y:rw;z:r\n"
    "b;1,3,4,3,a,z:w\n"
    "c,5,,1,,z:r\n"
    "\"d\"\"\",1,1,2,\"b\\;1#2;c:1.5\",\n"
    ",2,2,1,\"d\"\"\",x y:r\n"
    "e,2,2,1,t4;a,\n"
    "f,2,2,1,,";

static const char graph_plan_text[] =
    "# cpus 1\n# gpus 1\n# link h2d 0.5 1e9\n# link d2h 0 2e9\n# data z 8\n# algorithm a\n"
    "id,worker,start,end,state,row,cpu,gpu,after,data\n"
    "b#2,cpu0,9,12,run,1,3,4,a:7,z:r\n"
    "b#1,gpu0,2,3,aborted,1,3,4,a:7,z:r\n"
    "b#1,gpu0,3,7,run,1,3,4,a:7,z:r\n"
    "a,gpu0,0,2,run,0,1,2,,z:rw\n"
    "c,cpu0,20,21,run,4,1,2,b;a,\n";

static const char stg_text[] = "  3\n 0 0 0\n 1  5 1  0\n 2 4.5 2  0 1\n 3 2e1 2 1 2 # why\r\n"
                               "4 0 1 3\n# Information\n";

static const char dot_text[] =
    "\xef\xbb\xbf/* a */ strict digraph \"x y\" {\n  graph [cpus=3, gpus=1, unit=ms, link_h2d=\"1 "
    "1e9\","
    "\n    link_d2h=\"0 1e9\", data=\"z:8;\xc3\xa9\\\\;:4\"]; // all\n  node [cpu=4, gpu=1; "
    "shape=box]\n"
    "  a -> {b c [cpu=7 priority=-3]} -> d:n:sw [bytes=\"1e6\"];\n# line\n"
    "  subgraph cluster_1 { label=<a <b>z</b>>; node [gpu=inf restartable=no] e; f -> e -> f2 }\n"
    "  g [id=\"g\\\"\\\ng\" data=\"z:rw;\xc3\xa9\\\\;:r\"] h [data=\"z:r\", kernel=k]\n"
    "  q1 [shape=point] q1 -> x; a -> q1; g -> h [class=data] e -> \"e\" + \"2\"\n}\n";

static const char wfcommons_text[] =
    "{ \"name\": \"\\u00e9\\ud83d\\ude00\", \"schemaVersion\":\"1.5\", \"x\": "
    "[null,true,[{}],-1.5E+3],\r\n"
    "\"workflow\":{\"specification\":{\"tasks\":[{\"name\":\"a\",\"id\":\"1\",\"parents\":[],"
    "\"children\":"
    "[\"2\",\"\xc3\xa9\"],\n\"outputFiles\":[\"f\",\"g\"]},{\"name\":\"b\",\"id\":\"2\","
    "\"parents\":[\"1\"],"
    "\"children\":[\"\xc3\xa9\"],\"inputFiles\":[\"f\"]},{\"name\":\"a\",\"id\":\"\\u00E9\","
    "\"parents\":["
    "\"2\" "
    ",\"1\"],\"children\":[],\"inputFiles\":[\"g\",\"f\"]}],\"files\":[{\"id\":\"f\","
    "\"sizeInBytes\":"
    "10},{\"id\":\"g\",\"sizeInBytes\":0}]},\"execution\":{\"tasks\":[{\"id\":\"2\","
    "\"runtimeInSeconds\":1},"
    "{\"id\":\"1\",\"runtimeInSeconds\":2.5e1},{\"id\":\"\xc3\xa9\",\"runtimeInSeconds\":0.1}]}}}"
    "\n";

static const char models_text[] = "%rec: worker_count\n"
                                  "\n"
                                  "Architecture: cpu0\n"
                                  "NbWorkers: 2\n"
                                  "\n"
                                  "Architecture: cuda0\n"
                                  "NbWorkers: 1\n"
                                  "\n"
                                  "MemoryNode: 0\n"
                                  "Name: NUMA 0\n"
                                  "\n"
                                  "MemoryNode: 1\n"
                                  "Name: CUDA 0\n"
                                  "\n"
                                  "MemoryNodeSrc: 0\n"
                                  "MemoryNodeDst: 1\n"
                                  "Bandwidth: 8e3\n"
                                  "Latency: 1.5\n"
                                  "\n"
                                  "MemoryNodeSrc: 1\n"
                                  "MemoryNodeDst: 0\n"
                                  "Bandwidth: 8000\n"
                                  "Latency: 2\n"
                                  "\n"
                                  "%rec: timing\n"
                                  "\n"
                                  "Model: gemm\n"
                                  "Architecture: cpu0\n"
                                  "Footprint: 9a\n"
                                  "Mean: 1.5e+04\n"
                                  "\n"
                                  "Name: gemm\n"
                                  "Architecture: cuda0\n"
                                  "Footprint: 9a\n"
                                  "Mean: 1e3\n";

static const char tasks_text[] = "# jobs\n"
                                 "Name: g\n"
                                 "Model: gemm\n"
                                 "JobId: 0_1\n"
                                 "SubmitOrder: 1\n"
                                 "Priority: -4\n"
                                 "Footprint: 9a\n"
                                 "Handles: a b\n"
                                 "Modes: R RW\n"
                                 "Sizes: 10 20\n"
                                 "MPIRank: 0\n"
                                 "\n"
                                 "Name: sync\n"
                                 "JobId: 0_2\n"
                                 "DependsOn: 0_1 7\n"
                                 "\n"
                                 "Control: WontUse\n"
                                 "JobId: 9\n"
                                 "\n"
                                 "Model: gemm\n"
                                 "JobId: 0_3\n"
                                 "SubmitOrder: 3\n"
                                 "DependsOn: 0_2\n"
                                 "Footprint: 9a\n"
                                 "Handles: b a s b\n"
                                 "Modes: RWC X S R\n"
                                 "Sizes: 10 20 1 1\n"
                                 "MPIRank: 1\n";

enum kind {
    INSTANCE,
    PLAN,
    AFFINITIES,
    GRAPH,
    GRAPH_PLAN,
    STG,
    DOT,
    WFCOMMONS,
    MODELS,
    TASKS,
    KINDS
};

static const struct {
    const char *text;
    size_t      length;
} texts[KINDS] = {
    {instance_text, sizeof instance_text - 1},
    {plan_text, sizeof plan_text - 1},
    {affinity_text, sizeof affinity_text - 1},
    {graph_text, sizeof graph_text - 1},
    {graph_plan_text, sizeof graph_plan_text - 1},
    {stg_text, sizeof stg_text - 1},
    {dot_text, sizeof dot_text - 1},
    {wfcommons_text, sizeof wfcommons_text - 1},
    {models_text, sizeof models_text - 1},
    {tasks_text, sizeof tasks_text - 1},
};

/* Result of reading a file. */
struct outcome {
    hs_status     st;
    uint64_t      digest; /* digest of instance and schedule, or number of affinities */
    hs_error      error;
};

/* Return a digest of all entries of a schedule. */
static uint64_t schedule_digest(const hs_schedule *s)
{
    uint64_t sum = 0;

    for (unsigned w = 0; w < hs_schedule_cpus(s) + hs_schedule_gpus(s); w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++) {
            sum = hsi_hash((const char *)&entries[i].start, sizeof(double), sum + w);
            sum = hsi_hash((const char *)&entries[i].end, sizeof(double), sum);
            sum += 2 * (uint64_t)entries[i].task + entries[i].state;
        }
    }
    return sum;
}

static hs_instance      *affine; /* instance for the file of affinities */
static hs_starpu_models *models; /* performance models for the file of tasks */

static void read_as(enum kind kind, int fd, struct outcome *o)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_affinity *affinities = NULL;
    size_t       count = 0;

    hs_import_settings options;
    hs_starpu_models *read_models = NULL;

    hs_import_settings_init(&options);
    options.speedup = "1=none,*=2";
    memset(o, 0, sizeof *o);
    if (kind == INSTANCE || kind == GRAPH)
        o->st = hs_instance_read(fd, NULL, &in, &o->error);
    else if (kind == PLAN || kind == GRAPH_PLAN)
        o->st = hs_plan_read(fd, NULL, &in, &s, NULL, &o->error);
    else if (kind == STG)
        o->st = hs_import_stg(fd, &options, &in, &o->error);
    else if (kind == DOT)
        o->st = hs_import_dot(fd, &options, &in, &o->error);
    else if (kind == WFCOMMONS)
        o->st = hs_import_wfcommons(fd, &options, &in, &o->error);
    else if (kind == MODELS)
        o->st = hs_starpu_models_read(fd, &read_models, &o->error);
    else if (kind == TASKS)
        o->st = hs_import_starpu(fd, models, &options, &in, &o->error);
    else
        o->st = hs_affinities_read(fd, affine, &affinities, &count, &o->error);
    if (o->st != HS_OK) {
        ck_assert_ptr_null(in);
        ck_assert_ptr_null(s);
        ck_assert_ptr_null(affinities);
    } else {
        o->digest = in ? hs_instance_digest(in) : count;
        o->digest += s ? schedule_digest(s) : 0;
    }
    hs_instance_free(in);
    hs_schedule_free(s);
    hs_starpu_models_free(read_models);
    free(affinities);
}

/* Return true if the place is in the text, or right after its end. */
static bool is_place(const char *text, size_t length, uint64_t line, uint64_t column)
{
    const char *end = text + length, *next;

    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    for (; line > 1; line--, text = next + 1)
        if (!(next = memchr(text, '\n', (size_t)(end - text))))
            return line == 2 && column == 1 && text < end;
    next = memchr(text, '\n', (size_t)(end - text));
    return line == 1 && column >= 1 && column <= (uint64_t)((next ? next : end) - text) + 1;
}

static void check_outcome(const struct outcome *o, const char *text, size_t length)
{
    if (o->st == HS_OK)
        return;
    ck_assert_msg(o->st == HS_ESYNTAX || o->st == HS_EKIND, "status %d: %s", (int)o->st,
                  o->error.why);
    ck_assert_msg(is_place(text, length, o->error.line, o->error.column), "%d:%d: %s\n%.*s",
                  (int)o->error.line, (int)o->error.column, o->error.why, (int)length, text);
    ck_assert_str_ne(o->error.why, "");
    ck_assert_msg(strspn(o->error.why, "\n") == 0 && !strchr(o->error.why, '\n'), "%s",
                  o->error.why);
}

/* Read a text, and an accepted text once more: both instances and schedules must be equal. */
static void try_text(enum kind kind, int fd, const char *text, size_t length)
{
    struct outcome o, again;

    set_text(fd, text, length);
    read_as(kind, fd, &o);
    check_outcome(&o, text, length);
    if (o.st == HS_OK) {
        set_text(fd, text, length);
        read_as(kind, fd, &again);
        ck_assert_int_eq(again.st, HS_OK);
        ck_assert_uint_eq(again.digest, o.digest);
    }
}

static void setup(void)
{
    int fd = scratch_fd();

    affine = read_text(instance_text);
    set_text(fd, models_text, sizeof models_text - 1);
    ck_assert_int_eq(hs_starpu_models_read(fd, &models, NULL), HS_OK);
    close(fd);
}

static void teardown(void)
{
    hs_instance_free(affine);
    hs_starpu_models_free(models);
}

START_TEST(whole_files_are_accepted)
{
    struct outcome o;
    int            fd = scratch_fd();

    set_text(fd, texts[_i].text, texts[_i].length);
    read_as((enum kind)_i, fd, &o);
    ck_assert_msg(o.st == HS_OK, "%d:%d: %s", (int)o.error.line, (int)o.error.column, o.error.why);
    close(fd);
}
END_TEST

START_TEST(file_cut_at_every_byte)
{
    int fd = scratch_fd();

    for (size_t length = 0; length <= texts[_i].length; length++)
        try_text((enum kind)_i, fd, texts[_i].text, length);
    for (size_t start = 0; start <= texts[_i].length; start++)
        try_text((enum kind)_i, fd, texts[_i].text + start, texts[_i].length - start);
    close(fd);
}
END_TEST

/* Values of replaced or inserted bytes. */
static const unsigned char foreign[] = {0,   '\n', '\r', ',', '"',  '#',  '-',  '.', '0',  '9',
                                        'e', 'a',  ' ',  '+', 0x80, 0xc3, 0xff, 'i', 0xef, 0x1b,
                                        '{', '}',  '[',  ']', ':',  '=',  '\\', '<', '>',  ';'};

START_TEST(every_byte_replaced)
{
    char  *text = malloc(texts[_i].length);
    int    fd = scratch_fd(), wanted = rounds(sizeof foreign), step = 800 / rounds(800);
    size_t values = (size_t)wanted < sizeof foreign ? (size_t)wanted : sizeof foreign;

    ck_assert_ptr_nonnull(text);
    for (size_t at = 0; at < texts[_i].length; at++)
        for (size_t f = 0; f < values; f++) {
            memcpy(text, texts[_i].text, texts[_i].length);
            text[at] = (char)foreign[f];
            try_text((enum kind)_i, fd, text, texts[_i].length);
        }
    for (size_t bit = 0; bit < 8 * texts[_i].length; bit += step > 1 ? (size_t)step : 1) {
        memcpy(text, texts[_i].text, texts[_i].length);
        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        try_text((enum kind)_i, fd, text, texts[_i].length);
    }
    free(text);
    close(fd);
}
END_TEST

START_TEST(every_byte_removed_or_inserted)
{
    size_t length = texts[_i].length;
    char  *text = malloc(length + 1);
    int    fd = scratch_fd();

    ck_assert_ptr_nonnull(text);
    for (size_t at = 0; at < length; at++) {
        memcpy(text, texts[_i].text, at);
        memcpy(text + at, texts[_i].text + at + 1, length - at - 1);
        try_text((enum kind)_i, fd, text, length - 1);
        for (size_t f = 0; f < 8; f++) {
            memcpy(text + at + 1, texts[_i].text + at, length - at);
            text[at] = (char)foreign[f];
            try_text((enum kind)_i, fd, text, length + 1);
        }
    }
    free(text);
    close(fd);
}
END_TEST

/* Damage the text up to four times: replace a byte, or copy a part to another place. */
START_TEST(file_damaged_in_several_places)
{
    size_t length = texts[_i].length;
    char  *text = malloc(length);
    int    fd = scratch_fd();

    ck_assert_ptr_nonnull(text);
    hsi_random_seed(&source, 9, (uint64_t)_i);
    for (int i = 0; i < rounds(3000); i++) {
        memcpy(text, texts[_i].text, length);
        for (unsigned damages = 1 + below(4); damages > 0; damages--) {
            unsigned at = below((unsigned)length), from = below((unsigned)length);
            unsigned most = (unsigned)length - (at > from ? at : from);

            if (below(2))
                text[at] = (char)foreign[below(sizeof foreign)];
            else
                memmove(text + at, texts[_i].text + from, below(most < 40 ? most + 1 : 40));
        }
        try_text((enum kind)_i, fd, text, length);
    }
    free(text);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("damaged files");
    TCase *tests = tcase_create("damage");

    tcase_set_timeout(tests, 600);
    tcase_add_checked_fixture(tests, setup, teardown);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, whole_files_are_accepted, 0, KINDS);
    tcase_add_loop_test(tests, file_cut_at_every_byte, 0, KINDS);
    tcase_add_loop_test(tests, every_byte_replaced, 0, KINDS);
    tcase_add_loop_test(tests, every_byte_removed_or_inserted, 0, KINDS);
    tcase_add_loop_test(tests, file_damaged_in_several_places, 0, KINDS);
    return run_suite(suite);
}
