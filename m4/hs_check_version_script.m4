# HS_CHECK_VERSION_SCRIPT
# Set HS_SYMBOLS_LDFLAGS to the flags that link a library with lib/hybridsched.map, and HS_POLICY_LDFLAGS to
# those with lib/hybridsched-policy.map; both are empty if the linker does not support version scripts.
# HS_POLICY_LDFLAGS also binds calls between functions of the library at link time, if the linker can.
AC_DEFUN([HS_CHECK_VERSION_SCRIPT], [
  AC_MSG_CHECKING([whether the linker takes version scripts])
  hs_saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script=$srcdir/lib/hybridsched.map"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[int hs_symbol(void); int hs_symbol(void) { return 0; }]])],
    [hs_has_version_script=yes
     HS_SYMBOLS_LDFLAGS='-Wl,--version-script=$(top_srcdir)/lib/hybridsched.map'
     HS_POLICY_LDFLAGS='-Wl,--version-script=$(top_srcdir)/lib/hybridsched-policy.map'],
    [hs_has_version_script=no HS_SYMBOLS_LDFLAGS= HS_POLICY_LDFLAGS=])
  LDFLAGS=$hs_saved_LDFLAGS
  AC_MSG_RESULT([$hs_has_version_script])
  AC_MSG_CHECKING([whether the linker takes -Bsymbolic-functions])
  LDFLAGS="$LDFLAGS -shared -fPIC -Wl,-Bsymbolic-functions"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[int hs_symbol(void); int hs_symbol(void) { return 0; }]])],
    [hs_has_symbolic=yes HS_POLICY_LDFLAGS="$HS_POLICY_LDFLAGS -Wl,-Bsymbolic-functions"],
    [hs_has_symbolic=no])
  LDFLAGS=$hs_saved_LDFLAGS
  AC_MSG_RESULT([$hs_has_symbolic])
  AC_SUBST([HS_SYMBOLS_LDFLAGS])
  AC_SUBST([HS_POLICY_LDFLAGS])
])
