/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts of the public structs without struct_size. They are final: programs that were compiled
 * with an earlier version allocate these structs. tests/exports.sh checks that none is missing here.
 */
#include <check.h>
#include <stddef.h>

#include <hybridsched/backend.h>
#include <hybridsched/device.h>
#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>
#include <hybridsched/plugin.h>

#include "suite.h"

/* A struct and its last member, with the size and the offset on machines with 64-bit pointers. */
#define LAYOUT(type, size, last, offset) {#type, sizeof(type), size, offsetof(type, last), offset}

static const struct {
    const char *name;
    size_t      size, expected_size;
    size_t      offset, expected_offset;
} layouts[] = {
    LAYOUT(hs_access, 12, mode, 8),
    LAYOUT(hs_address, 24, offset, 16),
    LAYOUT(hs_affinity, 16, score, 8),
    LAYOUT(hs_backend_item, 16, task, 8),
    LAYOUT(hs_backend_worker, 8, backend, 0),
    LAYOUT(hs_body, 8, backend, 0),
    LAYOUT(hs_call_ops, 24, pointer, 16),
    LAYOUT(hs_column, 32, words, 24),
    LAYOUT(hs_copies, 16, copies, 8),
    LAYOUT(hs_copy_sample, 16, seconds, 8),
    LAYOUT(hs_critical_step, 16, entry, 8),
    LAYOUT(hs_decision, 32, start, 24),
    LAYOUT(hs_device, 288, fault, 40),
    LAYOUT(hs_device_info, 216, memory, 208),
    LAYOUT(hs_device_ops, 192, calls, 184),
    LAYOUT(hs_entry, 24, state, 20),
    LAYOUT(hs_error, 536, why, 24),
    LAYOUT(hs_event, 16, own, 8),
    LAYOUT(hs_exec_call, 24, argument, 16),
    LAYOUT(hs_exec_node, 16, launch, 8),
    LAYOUT(hs_exec_record, 24, outcome, 22),
    LAYOUT(hs_fault, 244, text, 4),
    LAYOUT(hs_idle, 16, other, 8),
    LAYOUT(hs_kernel, 40, gpu, 32),
    LAYOUT(hs_kernel_table, 48, kernels, 40),
    LAYOUT(hs_named_bound, 40, value, 32),
    LAYOUT(hs_operand, 24, ld, 16),
    LAYOUT(hs_operation, 200, work_bytes, 192),
    LAYOUT(hs_parameters, 128, reserved, 40),
    LAYOUT(hs_picture_failure, 24, why, 16),
    LAYOUT(hs_placement, 32, state, 24),
    LAYOUT(hs_plugin_data, 48, mode, 40),
    LAYOUT(hs_queue_handle, 16, slot, 8),
    LAYOUT(hs_queue_task, 32, priority, 24),
    LAYOUT(hs_range_ops, 16, end, 8),
    LAYOUT(hs_segment_ops, 32, release, 24),
    LAYOUT(hs_stream, 24, own, 16),
    LAYOUT(hs_task_id, 16, task, 8),
    LAYOUT(hs_transfer, 40, to, 32),
    LAYOUT(hs_type_metrics, 40, acceleration, 32),
    LAYOUT(hs_wait, 32, victim, 24),
    LAYOUT(hs_wake, 32, worker, 8)
};

START_TEST(layouts_are_final)
{
    size_t i;

    for (i = 0; sizeof(void *) == 8 && i < sizeof layouts / sizeof *layouts; i++) {
        ck_assert_msg(layouts[i].size == layouts[i].expected_size,
                      "%s has %zu bytes instead of %zu", layouts[i].name, layouts[i].size,
                      layouts[i].expected_size);
        ck_assert_msg(layouts[i].offset == layouts[i].expected_offset,
                      "the last member of %s is at %zu instead of %zu", layouts[i].name,
                      layouts[i].offset, layouts[i].expected_offset);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layouts");
    TCase *tests = tcase_create("final");

    tcase_add_test(tests, layouts_are_final);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
