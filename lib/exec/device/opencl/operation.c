/* SPDX-License-Identifier: BSD-3-Clause */
/* gemm and syrk are CLBlast's. trsm is a kernel for blocks, and gemm, because CLBlast's blocks its
 * caller until the queue is empty. */
#include "exec/device/opencl/opencl_device.h"

#include <clblast_c.h>
#include <string.h>

/*
 * Solve a block: x(i, r), i < order, for each r, where x(i, r) is at c[i * si + r * sr]. The
 * coefficients are a(i, j), or a(j, i) if `turned`; those with j < i are there if `lower`, else
 * those with j > i.
 */
static const char source[] =
    "#ifdef DOUBLES\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "#define SOLVE(name, real)\\\n"
    "__kernel void name(__global const real *a, ulong a0, int lda, __global real *c, ulong c0,\\\n"
    "                   int si, int sr, int order, int turned, int lower, int unit)\\\n"
    "{\\\n"
    "    ulong r = get_global_id(0);\\\n"
    "    int s, t;\\\n"
    "    a += a0;\\\n"
    "    c += c0 + r * sr;\\\n"
    "    for (s = 0; s < order; s++) {\\\n"
    "        int i = lower ? s : order - 1 - s;\\\n"
    "        real x = c[(ulong)i * si];\\\n"
    "        for (t = 0; t < s; t++) {\\\n"
    "            int j = lower ? t : order - 1 - t;\\\n"
    "            x -= (turned ? a[j + (ulong)i * lda] : a[i + (ulong)j * lda]) *\\\n"
    "                 c[(ulong)j * si];\\\n"
    "        }\\\n"
    "        c[(ulong)i * si] = unit ? x : x / a[i + (ulong)i * lda];\\\n"
    "    }\\\n"
    "}\n"
    "SOLVE(solve_floats, float)\n"
    "#ifdef DOUBLES\n"
    "SOLVE(solve_doubles, double)\n"
    "#endif\n";

bool hsi_opencl_build(opencl_device *d)
{
    const uint32_t kinds =
        1u << HS_OPERATION_GEMM | 1u << HS_OPERATION_SYRK | 1u << HS_OPERATION_TRSM;
    const char         *text = source;
    cl_device_fp_config doubles = 0;
    cl_int              error;

    error = clGetDeviceInfo(d->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    if (error != CL_INVALID_VALUE && !hsi_opencl_ok(d, error, "clGetDeviceInfo"))
        return false;
    d->program = clCreateProgramWithSource(d->context, 1, &text, NULL, &error);
    if (!hsi_opencl_ok(d, error, "clCreateProgramWithSource") ||
        !hsi_opencl_ok(
            d, clBuildProgram(d->program, 1, &d->id, doubles ? "-DDOUBLES" : "", NULL, NULL),
            "clBuildProgram"))
        return false;
    d->solve[1] = clCreateKernel(d->program, "solve_floats", &error);
    if (hsi_opencl_ok(d, error, "clCreateKernel") && doubles) {
        d->solve[0] = clCreateKernel(d->program, "solve_doubles", &error);
        hsi_opencl_ok(d, error, "clCreateKernel");
    }
    d->base.operations[0] = d->solve[0] ? kinds : 0;
    d->base.operations[1] = kinds;
    return d->base.fault.kind == HS_FAULT_NONE;
}

/* An operand with its offset in elements. */
typedef struct place {
    cl_mem buffer;
    size_t at, ld;
} place;

static place place_of(const hs_operand *operand, int single)
{
    return (place){operand->buffer, operand->offset / (single ? sizeof(float) : sizeof(double)),
                   (size_t)operand->ld};
}

static place moved(place p, size_t row, size_t column)
{
    p.at += row + column * p.ld;
    return p;
}

/* A failure of CLBlast has the number of OpenCL, or one of its own below -1000. Before the first
 * launch of a size it may compile, so it may lack memory. CLBlast 1.5.3 ends the program if it gets
 * no memory for a temporary buffer of gemm or syrk. */
static bool launched(opencl_stream *s, CLBlastStatusCode status, cl_event command, const char *call)
{
    return hsi_opencl_ok(s->device, (cl_int)status, call) && hsi_opencl_add_command(s, command);
}

/* Compute C -= op(A) op(B). */
static bool product(opencl_stream *s, int single, bool a_turned, bool b_turned, size_t m, size_t n,
                    size_t k, place a, place b, place c)
{
    const CLBlastTranspose ta = a_turned ? CLBlastTransposeYes : CLBlastTransposeNo,
                           tb = b_turned ? CLBlastTransposeYes : CLBlastTransposeNo;
    CLBlastStatusCode status;
    cl_event          command = NULL;

    if (m == 0 || n == 0 || k == 0)
        return true;
    if (single)
        status = CLBlastSgemm(CLBlastLayoutColMajor, ta, tb, m, n, k, -1, a.buffer, a.at, a.ld,
                              b.buffer, b.at, b.ld, 1, c.buffer, c.at, c.ld, &s->queue, &command);
    else
        status = CLBlastDgemm(CLBlastLayoutColMajor, ta, tb, m, n, k, -1, a.buffer, a.at, a.ld,
                              b.buffer, b.at, b.ld, 1, c.buffer, c.at, c.ld, &s->queue, &command);
    return launched(s, status, command, "gemm of CLBlast");
}

static bool syrk(opencl_stream *s, const hs_operation *o)
{
    place             a = place_of(&o->a, o->single), c = place_of(&o->c, o->single);
    size_t            n = (size_t)o->n, k = (size_t)o->k;
    CLBlastStatusCode status;
    cl_event          command = NULL;

    if (n == 0 || k == 0)
        return true;
    if (o->single)
        status =
            CLBlastSsyrk(CLBlastLayoutColMajor, CLBlastTriangleLower, CLBlastTransposeNo, n, k, -1,
                         a.buffer, a.at, a.ld, 1, c.buffer, c.at, c.ld, &s->queue, &command);
    else
        status =
            CLBlastDsyrk(CLBlastLayoutColMajor, CLBlastTriangleLower, CLBlastTransposeNo, n, k, -1,
                         a.buffer, a.at, a.ld, 1, c.buffer, c.at, c.ld, &s->queue, &command);
    return launched(s, status, command, "syrk of CLBlast");
}

/* A triangular system: unknowns x(i, r), see the kernel. */
typedef struct triangle {
    place a, c;
    int   order, count; /* of i and of r */
    int   single;
    bool  left, transposed, turned, lower, unit;
} triangle;

static bool solve_block(opencl_stream *s, const triangle *t, int first, int order)
{
    opencl_device *d = s->device;
    cl_kernel      kernel = d->solve[t->single];
    size_t         i = (size_t)first, count = (size_t)t->count;
    place          a = moved(t->a, i, i), c = t->left ? moved(t->c, i, 0) : moved(t->c, 0, i);
    cl_ulong       a0 = a.at, c0 = c.at;
    cl_int lda = (cl_int)a.ld, si = t->left ? 1 : (cl_int)c.ld, sr = t->left ? (cl_int)c.ld : 1;
    cl_int n = order, turned = t->turned, lower = t->lower, unit = t->unit;
    const struct {
        size_t      size;
        const void *at;
    } argument[] = {{sizeof a.buffer, &a.buffer},
                    {sizeof a0, &a0},
                    {sizeof lda, &lda},
                    {sizeof c.buffer, &c.buffer},
                    {sizeof c0, &c0},
                    {sizeof si, &si},
                    {sizeof sr, &sr},
                    {sizeof n, &n},
                    {sizeof turned, &turned},
                    {sizeof lower, &lower},
                    {sizeof unit, &unit}};
    cl_event command;
    cl_uint  k;

    for (k = 0; k < sizeof argument / sizeof *argument; k++)
        if (!hsi_opencl_ok(d, clSetKernelArg(kernel, k, argument[k].size, argument[k].at),
                           "clSetKernelArg"))
            return false;
    return hsi_opencl_ok(
               d,
               clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &count, NULL, 0, NULL, &command),
               "clEnqueueNDRangeKernel") &&
           hsi_opencl_add_command(s, command);
}

/* Subtract what a solved block contributes to the unknowns from `rest` on, `size` many. */
static bool update(opencl_stream *s, const triangle *t, int first, int order, int rest, int size)
{
    size_t f = (size_t)first, r = (size_t)rest, w = (size_t)order, n = (size_t)size;
    place  a = t->turned ? moved(t->a, f, r) : moved(t->a, r, f);

    if (t->left)
        return product(s, t->single, t->transposed, false, n, (size_t)t->count, w, a,
                       moved(t->c, f, 0), moved(t->c, r, 0));
    return product(s, t->single, false, t->transposed, (size_t)t->count, n, w, moved(t->c, 0, f), a,
                   moved(t->c, 0, r));
}

static bool trsm(opencl_stream *s, const hs_operation *o)
{
    bool     left = o->options & HS_LEFT, transposed = o->options & HS_TRANSPOSED;
    triangle t = {.a = place_of(&o->a, o->single),
                  .c = place_of(&o->c, o->single),
                  .order = left ? o->m : o->n,
                  .count = left ? o->n : o->m,
                  .single = o->single,
                  .left = left,
                  .transposed = transposed,
                  .turned = left == transposed,
                  .unit = o->options & HS_UNIT};
    int      done, order, first;

    t.lower = !(o->options & HS_UPPER) != t.turned;
    if (t.count == 0)
        return true;
    for (done = 0; done < t.order; done += order) {
        order = t.order - done < OPENCL_BLOCK ? t.order - done : OPENCL_BLOCK;
        first = t.lower ? done : t.order - done - order;
        if (!solve_block(s, &t, first, order) ||
            !update(s, &t, first, order, t.lower ? first + order : 0, t.order - done - order))
            return false;
    }
    return true;
}

static bool launch(opencl_stream *s, const hs_operation *o)
{
    if (o->kind == HS_OPERATION_SYRK)
        return syrk(s, o);
    if (o->kind == HS_OPERATION_TRSM)
        return trsm(s, o);
    return product(s, o->single, false, o->options & HS_TRANSPOSED, (size_t)o->m, (size_t)o->n,
                   (size_t)o->k, place_of(&o->a, o->single), place_of(&o->b, o->single),
                   place_of(&o->c, o->single));
}

/* An operation that failed after its first command has an effect, so the device is lost. */
int hsi_opencl_launch(hs_stream *stream, const hs_operation *o)
{
    opencl_stream *s = stream->own;
    uint64_t       commands = s->passed + s->count;

    if (hsi_device_is_lost(stream->device) || o->kind >= HS_OPERATION_KINDS ||
        !(stream->device->operations[o->single] >> o->kind & 1))
        return 0;
    if (launch(s, o))
        return 1;
    if (s->passed + s->count > commands)
        stream->device->fault.kind = HS_FAULT_LOST;
    return 0;
}
