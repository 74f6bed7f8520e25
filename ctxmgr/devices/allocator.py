"""The allocator: keeps large buffers on the heap, and gives back what was freed once no session is left. glibc maps
each buffer over 128 kB anew, faults its pages in and unmaps it; for an 8 MB list that costs more than everything
else (31 ms against 12 measured)."""

import gc
import sys

M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1  # malloc.h
MAP_FROM = 1 << 30  # bytes
TRIM_FROM = 256 << 20  # bytes kept for the next list


def keep_large_buffers() -> bool:
    """Called once, before the first large message. Whether the allocator took it."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        libc = ctypes.CDLL(None)
        return bool(libc.mallopt(M_MMAP_THRESHOLD, MAP_FROM) and libc.mallopt(M_TRIM_THRESHOLD, TRIM_FROM))
    except (OSError, AttributeError):  # another C library
        return False


def give_back() -> None:
    """What was freed goes back to the system. Milliseconds, and more where much is held: for when little is."""
    gc.collect()  # its free lists pin the arenas of small objects
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):  # another C library
        return
