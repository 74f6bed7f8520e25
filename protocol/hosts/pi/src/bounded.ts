// pi awaits an extension without a limit: each wait here has one of its own.

/** The value, or undefined when it did not come within `ms` milliseconds. What came too late is dropped. */
export async function within<T>(ms: number, coming: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  coming.catch(() => undefined); // it may fail after nobody waits any more
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds. The client has bounds of its own, shorter where a model call waits; these hold if it has a fault. */
export const BOUND = {
  context: 10_000, // a list of 8 MB takes a tenth of a second
  event: 10_000,
  start: 20_000, // the program is loaded, a long session's tree is read
  summary: 170_000, // a model writes: ctxmgr's deadline
  compaction: 180_000, // the same with its answer on the way
  end: 5_000,
} as const;
