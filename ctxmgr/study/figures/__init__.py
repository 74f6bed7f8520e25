"""All figures of one session under one policy, of several, and the tables that people see. Know no sidecar."""
