// The environment of the sidecar, in which it imports nothing of the project that it is started in.
//
// Rules:
// 1. Of variables of Python's only PYTHONPATH is handed on, and PYTHONSAFEPATH is set, which is `python -P`.
// 2. PYTHONPATH loses folders that are relative, that `cwd` lies in, or that are inside the project: the nearest folder
//    with `.git` from `cwd` upward, else `cwd`. The root of the file system is no project.

import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";

export function environment(given: NodeJS.ProcessEnv, cwd: string): NodeJS.ProcessEnv {
  const made = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith("PYTHON")));
  const here = real(cwd) + sep;
  const inside = project(real(cwd));
  const isForeign = (one: string): boolean =>
    isAbsolute(one) && !(real(one) + sep).startsWith(inside) && !here.startsWith(real(one) + sep);
  const folders = (given["PYTHONPATH"] ?? "").split(delimiter).filter(isForeign).join(delimiter);
  return { ...made, ...(folders && { PYTHONPATH: folders }), PYTHONSAFEPATH: "1" };
}

/** How paths inside begin. */
function project(cwd: string): string {
  for (let above = cwd; dirname(above) !== above; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above + sep;
  }
  return dirname(cwd) === cwd ? "\0" : cwd + sep; // no path begins with that
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
