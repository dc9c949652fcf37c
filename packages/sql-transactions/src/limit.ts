import { ChainwrightError } from "chainwright";

/** The longest delay of a timer. */
const longestTimerMs = 2 ** 31 - 1;

/** Rejects when a transaction has been open for longer than `limitMs`; `Infinity` means never. */
export function createLimit(limitMs: number, why: string) {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    if (limitMs > longestTimerMs) return;
    timer = setTimeout(() => {
      const error = new ChainwrightError(
        "timeout",
        `a transaction was open for more than ${limitMs} ms and was rolled back, because ${why}: do slow work before it, and ` +
          "pass `tx` to every call inside it",
      );
      reject(error);
    }, limitMs);
  });
  return { passed, clear: () => clearTimeout(timer) };
}
