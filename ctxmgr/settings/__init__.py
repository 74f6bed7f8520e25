"""The settings of `run` and `proxy`, where no host sends a policy: two TOML files, environment variables, flags.

It does not know how they are used, and starts nothing.
"""

from ctxmgr.settings.files import models_file, user_path
from ctxmgr.settings.keys import APIS, COMPACTIONS, Api, SettingsFault, is_address, policy_value, token_count
from ctxmgr.settings.layers import ProgramSettings, meant_variable, read
from ctxmgr.settings.showing import show

__all__ = [
    "APIS",
    "Api",
    "COMPACTIONS",
    "ProgramSettings",
    "SettingsFault",
    "is_address",
    "meant_variable",
    "models_file",
    "policy_value",
    "read",
    "show",
    "token_count",
    "user_path",
]
