# The extension module: cffi's declarations of the C library.
from typing import Any

ffi: Any
lib: Any
