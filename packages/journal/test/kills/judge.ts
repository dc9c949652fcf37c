import type { Note } from "./notes.ts";

/** A chain that is there in the end. */
export interface ThereChain {
  readonly id: string;
  readonly status: string;
  readonly group: string;
  /** How many chains its group has. */
  readonly of: number;
}

export interface ThereJob {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
}

/** How often each rule was broken. */
export interface Verdict {
  readonly lostStarts: number;
  readonly lostEnds: number;
  readonly lostDeletions: number;
  /** Chains of which a part was started, or a key has two. */
  readonly halfGroups: number;
  readonly doubledGroups: number;
  /** Attempts that ran twice under the same number. */
  readonly doubledAttempts: number;
  /** Handlers that ran after a caller was told of the end of their chain. */
  readonly ranAfterEnd: number;
  /** Jobs that have run more often than their attempts say. */
  readonly uncounted: number;
  readonly notEnded: number;
}

/** Compares what processes have seen with what is there when all work has ended. */
export function judge(notes: readonly Note[], chains: readonly ThereChain[], jobs: readonly ThereJob[]): Verdict {
  const there = new Map(chains.map((chain) => [chain.id, chain]));
  const deleting = new Set(notes.flatMap((note) => (note.kind === "deleting" ? note.chain : [])));
  const mustBeThere = (chain: string): boolean => !deleting.has(chain);
  const count = (kind: Note["kind"], isWrong: (chain: string) => boolean): number =>
    notes.filter((note) => note.kind === kind && chainsOf(note).some(isWrong)).length;
  return {
    lostStarts: count("started", (chain) => mustBeThere(chain) && !there.has(chain)),
    lostEnds: count("ended", (chain) => mustBeThere(chain) && there.get(chain)?.status !== "completed"),
    lostDeletions: count("deleted", (chain) => there.has(chain)),
    ...judgeGroups(notes, chains, deleting),
    ...judgeRuns(notes, jobs),
    notEnded: chains.filter(({ status }) => status !== "completed").length,
  };
}

function chainsOf(note: Note): readonly string[] {
  return note.kind === "started" ? note.chains : [note.chain];
}

/** A group of which a chain is being deleted is not judged. */
function judgeGroups(notes: readonly Note[], chains: readonly ThereChain[], deleting: ReadonlySet<string>) {
  const begun = new Set(
    notes.flatMap((note) =>
      note.kind === "started" && note.chains.some((chain) => deleting.has(chain)) ? note.group : [],
    ),
  );
  const groups = Map.groupBy(chains, ({ group }) => group);
  const sizes = [...groups].map(([group, { length, 0: first }]) => ({ group, length, of: first?.of ?? 0 }));
  return {
    halfGroups: sizes.filter(({ group, length, of }) => length < of && !begun.has(group)).length,
    doubledGroups: sizes.filter(({ length, of }) => length > of).length,
  };
}

function judgeRuns(notes: readonly Note[], jobs: readonly ThereJob[]) {
  const ended = new Set<string>();
  const ran = new Map<string, Set<number>>();
  let [doubledAttempts, ranAfterEnd] = [0, 0];
  for (const note of notes) {
    if (note.kind === "ended") ended.add(note.chain);
    if (note.kind !== "ran") continue;
    if (ended.has(note.chain)) ranAfterEnd += 1;
    const attempts = ran.get(note.job) ?? new Set();
    if (attempts.has(note.attempt)) doubledAttempts += 1;
    ran.set(note.job, attempts.add(note.attempt));
  }
  const uncounted = jobs.filter(({ id, attempt }) => Math.max(0, ...(ran.get(id) ?? [])) > attempt).length;
  return { doubledAttempts, ranAfterEnd, uncounted };
}
