import { defineJobTypes } from "chainwright";
import { z } from "zod";

/** A chain of two steps, each of which runs in another language. */
export const jobTypes = defineJobTypes({
  /** In Python. */
  "text.count": {
    entry: true,
    elsewhere: true,
    input: z.object({
      text: z.string(),
      /** How many attempts fail, to show retries. */
      failures: z.number().int(),
      /** How long each step takes. */
      ms: z.number().int(),
    }),
    continueWith: ["text.report"],
  },
  /** In Go. */
  "text.report": {
    elsewhere: true,
    input: z.object({ text: z.string(), words: z.number().int(), ms: z.number().int() }),
    output: z.object({ line: z.string() }),
  },
});
