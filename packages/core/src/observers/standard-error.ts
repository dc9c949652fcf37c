import type { FailureReporterOptions } from "./failure-reporter.ts";

/** Standard error, in the time of people, whatever clock the client has. */
export const toStandardError: FailureReporterOptions = {
  write: (text) => console.error(text),
  setTimer(callback, delayMs) {
    const handle = setTimeout(callback, delayMs);
    // A program ends although a report may follow.
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};
