"""Nothing that a host sends is an error, in any format: what cannot be read is of no role."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import FORMATS

ODD = [
    "[]",
    "nul",
    "[" * 3_000,
    # as anthropic spells what is odd
    '{"role":"wizard"}',
    '{"role":"user","content":{"a":[1]}}',
    '{"role":"user","content":[3,null,{"type":"tool_result"},{"type":"tool_result","content":[7]}]}',
    '{"role":"assistant","content":[{"type":"tool_use"},{"type":"thinking"},{"type":9}],"usage":3}',
    # as gemini spells what is odd
    '{"role":"wizard","parts":[{"text":"x"}]}',
    '{"candidates":[{}]}',
    '{"role":"user","content":"x"}',
    '{"role":"user","parts":[3,null,{"functionResponse":4},{"functionResponse":{"parts":7}},{"inlineData":1}]}',
    '{"role":"model","parts":[[],{"functionCall":4},{"functionCall":{"id":7,"name":[],"args":"x"}}]}',
    # as openai spells what is odd
    '{"role":"wizard","content":"x"}',
    '{"role":"assistant","content":[[]],"tool_calls":[3],"function_call":4}',
    '{"role":"assistant","tool_calls":[{"id":7,"function":"f"}]}',
    '{"role":"tool","tool_call_id":null,"content":null}',
    # as responses spells what is odd
    '{"type":"hologram"}',
    '{"type":"function_call_output","output":{"a":1}}',
    '{"type":"shell_call_output","output":[3,{"stdout":4,"outcome":5}]}',
    '{"type":"reasoning","summary":3,"content":[{}]}',
    '{"type":"local_shell_call","action":3}',
    '{"object":"response","output":[[[]]]}',
]


def test_nothing_odd_is_an_error_in_any_format() -> None:
    for name, form in FORMATS.items():
        for raw in ODD:
            assert form.view(raw.encode()).role, (name, raw[:60])


@given(st.sampled_from(sorted(FORMATS)), st.binary())
def test_nor_are_any_bytes(name: str, raw: bytes) -> None:
    assert FORMATS[name].view(raw).role
