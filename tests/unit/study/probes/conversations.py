"""Conversations that probes ask about."""

from tests.notation import call

EDIT = call("edit", path="src/core/parse.ts", oldText="const a = 1;", newText="const limit = 25;")
TEST_RUN = call("bash", command="npm run test")
FAILING = "src/a.test.ts\n  2 failed, 5 passed"
PASSING = "Tests: 7 passed"
OPEN, DONE = (
    {"content": "write the parser", "status": "pending"},
    {"content": "read the plan", "status": "completed"},
)
TASKS = call("TodoWrite", todos=[OPEN, DONE])
COMMITTED = "[topic/limits 1a2b3c4] Raise the limit of the parser\n 1 file changed"
