import { defineJobTypes } from "chainwright";
import { z } from "zod";

/** Types whose workers are elsewhere, and one that is not. */
export const jobTypes = defineJobTypes({
  "image.resize": {
    entry: true,
    elsewhere: true,
    input: z.object({ width: z.number() }),
    output: z.object({ url: z.string() }),
    continueWith: ["image.publish"],
  },
  "image.publish": { elsewhere: true, input: z.object({ url: z.string() }), output: z.object({ at: z.number() }) },
  "image.order": {
    entry: true,
    elsewhere: true,
    input: z.object({ width: z.number() }),
    output: z.object({ url: z.string() }),
    signals: { paid: z.object({ by: z.string() }) },
    continueWith: ["image.publish"],
    compensate: "image.discard",
  },
  "image.discard": { entry: true, elsewhere: true, input: z.object({ url: z.string() }), output: z.null() },
  "mail.send": { entry: true, input: z.object({ to: z.string() }), output: z.object({ sent: z.boolean() }) },
});
