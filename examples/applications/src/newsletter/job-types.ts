import { defineJobTypes } from "chainwright";
import { z } from "zod";

export const newsletterJobTypes = defineJobTypes({
  "subscriber.confirm": {
    entry: true,
    input: z.object({ email: z.email() }),
    output: z.object({ mailed: z.boolean() }),
  },
});
