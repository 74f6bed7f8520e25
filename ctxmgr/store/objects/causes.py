"""Turns what obstore raises into a sentence for people. What it says itself holds the address and more: none of it
is passed on. Loads no obstore: its faults are told by their names and their texts.
"""

import re

NO_OBJECT = "there is no such object"
NO_BUCKET = "the store has no such bucket"
NO_FOLDER = "there is no such folder"
NO_STORE = "the address names no store that is known"
NO_CREDENTIALS = "there are no credentials for the store, neither in the environment nor of this machine"
NO_SERVER = "no server answers where the store should be: the network, or the endpoint in the environment"
OF_METADATA = ("169.254.169.254", "/latest/api/token", "/computeMetadata/")  # asked last for credentials
REFUSALS = ("PermissionDeniedError", "UnauthenticatedError")
_STATUS = re.compile(r"status code: (\d\d\d)")


def refused(deed: str) -> str:
    """`deed`: what was wanted there, as in "they read there"."""
    return f"the store refuses these credentials, or that they {deed} there"


def cause(fault: Exception, deed: str) -> str:
    """Whose fault it is. `deed`: "read" or "write"."""
    said = f"{fault}"
    found = _STATUS.search(said)
    status = found[1] if found else ""
    if any(sign in said for sign in OF_METADATA):
        return NO_CREDENTIALS
    for sign, text in (("NoSuchBucket", NO_BUCKET), ("to canonicalize", NO_FOLDER), ("to recognise URL", NO_STORE)):
        if sign in said:
            return text
    if isinstance(fault, FileNotFoundError):
        return NO_OBJECT
    if type(fault).__name__ in REFUSALS or status in ("401", "403"):
        return refused(deed)
    if status.startswith("5"):
        return f"the store's server has a fault ({status})"
    if "HTTP error" in said:
        return NO_SERVER
    return f"the store did not answer ({type(fault).__name__})"
