/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_OPENCL_FAULTS_H
#define TESTS_OPENCL_FAULTS_H

#include <stdbool.h>

/*
 * OpenCL with planned faults: the program defines the functions that the module and CLBlast call,
 * and each calls the function of the library or fails. Closing calls never fail. Repeated calls of
 * clGetEventInfo() count once, since their number depends on timing. Calls of CLBlast for temporary
 * buffers never fail, because CLBlast 1.5.3 then ends the program.
 */

/* Let the call with this number fail, from 1, with an error of OpenCL; 0: none. Restart the count.
 */
void opencl_fail_call(unsigned call, int error);

/* Let the command of a later copy fail when it is executed, counted from 1 at the next one; 0:
 * none. */
void opencl_fail_copy(unsigned copy);

/* Return the name of the call that failed; NULL: none has failed. */
const char *opencl_failed_call(void);

/* Return the number of buffers, queues and contexts that were created and not released. */
int opencl_live_objects(void);

#endif
