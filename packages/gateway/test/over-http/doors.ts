import type { AnyClient } from "chainwright";

/** What the suite's clients and workers are made by while its cases run; set before the first one. */
export interface Doors {
  client(client: AnyClient): AnyClient;
  behind(client: AnyClient): AnyClient;
  worker(given: object, processors: readonly object[]): object;
}
