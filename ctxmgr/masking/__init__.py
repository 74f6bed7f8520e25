"""Masks secrets of known shapes in text. Pure: it does not know where a text comes from or goes to.

Use `without_secrets` wherever text is shown to people. Nothing sent to a model or its provider is masked, except
for an original that was masked when it was archived.
"""

from typing import TYPE_CHECKING

from ctxmgr.late import late

if TYPE_CHECKING:
    from ctxmgr.masking.masks import legible, masked, secrets_in, values_without_secrets, without_secrets
else:
    legible = late("ctxmgr.masking.masks:legible")
    masked = late("ctxmgr.masking.masks:masked")
    secrets_in = late("ctxmgr.masking.masks:secrets_in")
    values_without_secrets = late("ctxmgr.masking.masks:values_without_secrets")
    without_secrets = late("ctxmgr.masking.masks:without_secrets")

__all__ = ["legible", "masked", "secrets_in", "values_without_secrets", "without_secrets"]
