"""What holds for `run` and `proxy`, where no host sends a policy: two TOML files, environment, flags.

Knows nothing of what is done with it, and starts nothing.
"""

from ctxmgr.settings.fault import SettingsFault
from ctxmgr.settings.layers import read
from ctxmgr.settings.showing import as_json, lines

__all__ = ["SettingsFault", "as_json", "lines", "read"]
