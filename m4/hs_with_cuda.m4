# HS_WITH_CUDA
# Define the option --with-cuda[=yes|no|DIR], by default auto: the CUDA toolkit, version 12 or later,
# with cuBLAS and cuSOLVER, in DIR, in /usr/local/cuda or in the compiler's search path. configure
# fails if an explicit yes or DIR finds no toolkit. Requires OpenBLAS and LAPACKE, which verify
# results. Set hs_with_cuda, CUDA_CFLAGS, CUDA_LIBS and the conditional HAVE_CUDA.
AC_DEFUN([HS_WITH_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [CUDA toolkit, for the GPU module @<:@auto@:>@])],
    [], [with_cuda=auto])
  hs_with_cuda=no
  CUDA_CFLAGS= CUDA_LIBS=
  AS_IF([test "x$with_cuda" != xno], [
    AS_CASE(["$with_cuda"],
      [auto|yes], [hs_cuda_dir=/usr/local/cuda],
      [AS_IF([test ! -f "$with_cuda/include/cuda_runtime_api.h"],
         [AC_MSG_ERROR([--with-cuda=$with_cuda: there is no $with_cuda/include/cuda_runtime_api.h])])
       hs_cuda_dir=$with_cuda])
    CUDA_LIBS="-lcusolver -lcublas -lcudart"
    AS_IF([test -f "$hs_cuda_dir/include/cuda_runtime_api.h"], [
      CUDA_CFLAGS="-isystem $hs_cuda_dir/include"
      hs_cuda_lib=$hs_cuda_dir/lib
      AS_IF([test -d "$hs_cuda_dir/lib64"], [hs_cuda_lib=$hs_cuda_dir/lib64])
      CUDA_LIBS="-L$hs_cuda_lib -Wl,-rpath,$hs_cuda_lib $CUDA_LIBS"])
    hs_saved_CPPFLAGS=$CPPFLAGS; CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
    hs_saved_LIBS=$LIBS; LIBS="$CUDA_LIBS $LIBS"
    AC_MSG_CHECKING([for the CUDA toolkit])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <cuda_runtime_api.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#if CUDART_VERSION < 12000
#error too old
#endif]], [[
  cudaGraphExec_t exec;
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  return cudaGraphInstantiate(&exec, NULL, 0) + cublasCreate(&blas) + cusolverDnCreate(&solver);
]])], [hs_with_cuda=yes])
    AC_MSG_RESULT([$hs_with_cuda])
    CPPFLAGS=$hs_saved_CPPFLAGS
    LIBS=$hs_saved_LIBS
    AS_IF([test "$hs_with_cuda" = yes && test "$hs_with_openblas$hs_with_lapacke" != yesyes], [
      hs_with_cuda=no
      AS_IF([test "x$with_cuda" != xauto],
        [AC_MSG_ERROR([--with-cuda was given, but the module needs OpenBLAS and LAPACKE too])])])
    AS_IF([test "$hs_with_cuda" = no && test "x$with_cuda" != xauto],
      [AC_MSG_ERROR([--with-cuda was given, but no CUDA toolkit from version 12 on was found])])
  ])
  AS_IF([test "$hs_with_cuda" = no], [CUDA_CFLAGS= CUDA_LIBS=])
  AC_SUBST([CUDA_CFLAGS])
  AC_SUBST([CUDA_LIBS])
  AM_CONDITIONAL([HAVE_CUDA], [test "$hs_with_cuda" = yes])
])
