"""Floor F6: what people run on recordings, from outside as a host would, or in process."""
