import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { environment } from "../src/environment.ts";

test("the sidecar imports nothing that the project's environment names", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ctxmgr-environment-")));
  try {
    for (const path of ["bare/lib", "project/.git", "project/src", "project/sub/.git", "project2"]) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    symlinkSync(join(folder, "project"), join(folder, "link"));
    const at = (path: string): string => join(folder, path);
    const cases: [string, string[], string[]][] = [
      ["project/src", [".", "", "src", at("project"), at("project/lib"), at("link")], []],
      ["project/src", [at("project2"), "/opt/lib", at("gone")], [at("project2"), "/opt/lib", at("gone")]],
      ["link", [at("project/src"), at("bare")], [at("bare")]],
      ["project/sub", [at("project"), at("project/src")], [at("project/src")]],
      ["bare/lib", [at("bare"), at("project2")], [at("project2")]],
      ["bare", [at("bare"), at("bare/lib"), at("project")], [at("project")]],
    ];
    for (const [cwd, given, left] of cases) {
      const made = environment({ PYTHONPATH: given.join(":"), PATH: "/bin" }, at(cwd));
      const expected = { PATH: "/bin", ...(left.length > 0 ? { PYTHONPATH: left.join(":") } : {}), PYTHONSAFEPATH: "1" };
      assert.deepEqual(made, expected, `${cwd}: ${given}`);
    }
    assert.equal(environment({ PYTHONPATH: "/opt:.." }, "/")["PYTHONPATH"], "/opt");
    const others = { PYTHONHOME: ".", PYTHONUSERBASE: ".", PYTHONWARNINGS: "error::a.B", PYTHONSAFEPATH: "", A: "1" };
    assert.deepEqual(environment(others, folder), { A: "1", PYTHONSAFEPATH: "1" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
