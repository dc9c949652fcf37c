import { ChainwrightError } from "chainwright";

/** Rejects once a transaction has been open for too long. */
export function createLimit(limitMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new ChainwrightError(
        "timeout",
        `a transaction was open for more than ${limitMs} ms and has been rolled back, for nobody else can write meanwhile: ` +
          "do slow work before it, and pass `tx` to every call inside it",
      );
      reject(error);
    }, limitMs);
  });
  return { passed, clear: () => clearTimeout(timer) };
}
