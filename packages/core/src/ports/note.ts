import type { Memo, Reports } from "../model/note.ts";
import type { Fence, LostReason } from "../model/outcome.ts";

/** What an attempt notes about its job. All values are JSON text. */
export interface NoteItem extends Reports {
  readonly target: Fence;
  /** Each name at most once. */
  readonly memos?: readonly Memo[] | undefined;
  /** It replaces the checkpoint on record. Undefined: that stays. */
  readonly checkpoint?: string | undefined;
}

/**
 * `noted`; `lost`, because the attempt does not hold its job, and nothing was written; or `busy`: another transaction has locked the
 * job, nothing was written, and the same item may be sent again.
 */
export type NoteReply =
  | {
      readonly status: "noted";
      /** In the order of the item's memos. Undefined: it has none. */
      readonly memos?: readonly StoredMemo[] | undefined;
    }
  | { readonly status: "lost"; readonly reason: LostReason }
  | { readonly status: "busy" };

/** The memo on record under a name. */
export interface StoredMemo {
  readonly value: string;
  /** Whether this call wrote it. False: another one was first, and this call changed nothing. */
  readonly isNew: boolean;
}

/** Selects what was noted about jobs. */
export interface NotesQuery {
  readonly items: readonly NotesOf[];
  /** The most lines of each job. 0: none. */
  readonly lines: number;
  readonly order: "ascending" | "descending";
  /** `none`: without the memos of the jobs. */
  readonly memos: "all" | "none";
}

/** A job whose notes are read. */
export interface NotesOf {
  readonly jobId: string;
  /** Only lines behind this `seq` in the order of the query. Undefined: from the first one on. */
  readonly after?: number | undefined;
}
