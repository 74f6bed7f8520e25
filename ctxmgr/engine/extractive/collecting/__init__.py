"""What messages and an earlier summary state: facts, requests, what came of them. Knows no line and no format."""
