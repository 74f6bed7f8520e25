"""Floor F6: what people run on recordings. Drives ctxmgr from outside, as a host would, or a connection in process."""
