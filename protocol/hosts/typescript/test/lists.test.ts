import assert from "node:assert/strict";
import { test } from "node:test";
import { SidecarFault } from "../src/index.ts";
import { continues, projected, same, size, tokens, unaided, type Projection } from "../src/lists.ts";

type Message = { role: string; content: unknown };
const u = (content: unknown = "ask"): Message => ({ role: "user", content });
const a = (content: unknown = "answer"): Message => ({ role: "assistant", content });
const big = (characters: number): string => "x".repeat(characters);
const shown = (given: Message[], list: Message[]): Projection<Message> => ({ given, list, sizes: given.map(size) });

test("the same JSON is the same message", () => {
  const cases: [unknown, unknown, boolean][] = [
    [1, 1, true],
    ["a", "b", false],
    [null, {}, false],
    [[], {}, false],
    [{ a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, { b: undefined }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [[1, 2], [1], false],
    [new Date(0), new Date(0), true],
    [new Date(0), new Date(1), false],
  ];
  for (const [one, other, expected] of cases) assert.equal(same(one, other), expected, JSON.stringify([one, other]));
});

test("a list goes on from what was given, unless that was changed in place", () => {
  const given = [u(), a()];
  const before = shown([...given], given);
  const sized = (list: Message[]): boolean => continues(list, list.map(size), before);
  assert.equal(sized([...given, u()]), true);
  assert.equal(sized(structuredClone([...given, u()])), true);
  assert.equal(sized(given.slice(1)), false);
  assert.equal(sized([u("other"), a()]), false);
  given[1]!.content = "another answer";
  assert.equal(sized([...given, u()]), false);
});

test("an answer's list holds the very objects", () => {
  const list = [u(), a(), u()];
  const put = { role: "custom" };
  assert.equal(projected(list, { unchanged: true } as any), list);
  const kept = projected(list, { edits: [{ keep: [0, 2] }, { keep: [2, 3] }] } as any);
  assert.deepEqual(kept, list);
  const made = projected<object>(list, { edits: [{ put }, { keep: [1, 3] }] } as any);
  assert.deepEqual([made.length, made[0] === put, made[1] === list[1], made[2] === list[2]], [3, true, true, true]);
  const item = { type: "function_call_output" }; // of the Responses API: no role
  assert.deepEqual(projected<object>(list, { edits: [{ keep: [0, 1] }, { put: item }] } as any), [list[0], item]);
});

test("an answer that means no list is garbage", () => {
  const answers: unknown[] = [
    null,
    42,
    {},
    { edits: "all" },
    { edits: [null] },
    { edits: [{ keep: [0, 4] }] },
    { edits: [{ keep: [2, 1] }] },
    { edits: [{ keep: [-1, 1] }] },
    { edits: [{ keep: ["a", 1] }] },
    { edits: [{ keep: [0.5, 2] }] },
    { edits: [{ keep: [0, 1, 2] }] },
    { edits: [{ keep: [0, 2] }, { keep: [0, 2] }] }, // each message once
    { edits: [{ keep: [1, 2] }, { keep: [0, 1] }] }, // and in its order
    { edits: [{ put: "text" }, { keep: [0, 2] }] },
    { edits: [{ put: [] }, { keep: [0, 2] }] },
    { edits: [{ put: {} }, { keep: [0, 2] }] },
    { edits: [{ put: { role: 1 } }, { keep: [0, 2] }] },
    { edits: [{}] },
    { edits: { length: 1 } },
    { edits: [] },
  ];
  const garbage = (fault: unknown): boolean => fault instanceof SidecarFault && fault.kind === "garbage";
  for (const answer of answers) assert.throws(() => projected([u(), a()], answer as any), garbage, JSON.stringify(answer));
});

test("without an answer the last projection goes on", () => {
  const given = [u(big(900)), a(), u(), a()];
  const lean = [u("packet"), ...given.slice(2)];
  const list = [...given, u("new")];
  const sizes = list.map(size);
  assert.deepEqual(unaided(list, sizes, shown(given, lean), 200), [...lean, list[4]]);
  assert.equal(unaided(list, sizes, undefined, 1_000), list);
  const rewritten = [u("summary"), u("new")];
  assert.equal(unaided(rewritten, rewritten.map(size), shown(given, lean), 200), rewritten);
});

test("what does not fit is the host's own list, untouched", () => {
  const given = [u(big(4_000)), a()];
  const last = shown(given, [u("packet"), ...given]);
  const list = [...given, u("new")];
  const sizes = list.map(size);
  assert.equal(unaided(list, sizes, last, 200), list);
  assert.equal(unaided(list, sizes, undefined, 0), list);
  assert.equal(unaided(list, sizes, { ...last, tokens: 100 }, 200).length, 4); // what it weighs was told
  assert.equal(unaided(list, sizes, { ...last, tokens: 195 }, 200), list);
});

test("an image weighs as an image, text a quarter more than its characters", () => {
  assert.equal(size({ type: "image", data: big(1_000_000) }), 4_800);
  assert.equal(tokens([size(big(3_998))]), 1_250);
});
