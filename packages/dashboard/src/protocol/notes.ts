import type { ProgressView } from "./progress.ts";
import type { PayloadView } from "./views.ts";

export interface NotedView {
  readonly value: PayloadView;
  /** The number of the attempt. */
  readonly attempt: number;
  readonly at: number;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LineView {
  readonly level: LogLevel;
  readonly message: string;
  readonly data: PayloadView;
  readonly attempt: number;
  readonly at: number;
}

/**
 * GET notes?id&level&text: what the handler of a job has noted. `level`: lines of this level or a higher one. `text`: lines that contain it, in any case.
 */
export interface NotesResponse {
  readonly now: number;
  readonly progress: (NotedView & ProgressView) | undefined;
  /** Undefined: none, or the job has completed. */
  readonly checkpoint: NotedView | undefined;
  /** Results of `once`, by name. */
  readonly memos: readonly (NotedView & { readonly name: string })[];
  /** How many memos are left out. */
  readonly moreMemos: number;
  /** The newest lines that match, oldest first. */
  readonly lines: readonly LineView[];
  /** Whether older lines match too. */
  readonly moreLines: boolean;
}
