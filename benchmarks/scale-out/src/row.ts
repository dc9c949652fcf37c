import type { Contender, Mode } from "@chainwright/bench-peers";
import type { NotifyName } from "./notify.ts";

/** A queue with the settings of its workers. */
export interface Row {
  readonly name: string;
  readonly mode: Mode;
  /** Jobs at a time as the command line says, or the settings that the contender's documentation recommends for throughput. */
  readonly pace: "as asked" | "recommended";
  /** Undefined for other queues. */
  readonly notify: NotifyName | undefined;
  readonly contender: Contender;
}
