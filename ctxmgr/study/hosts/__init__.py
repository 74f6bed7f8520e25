"""Stand-ins for real hosts: the list that pi keeps, the tree that it writes. Knows nothing of ctxmgr."""

from ctxmgr.study.hosts import pi_host
from ctxmgr.study.hosts.pi_host import HostMessage, Write, item

__all__ = ["HostMessage", "Write", "item", "pi_host"]
