import type { Mutant } from "../mutant.ts";

/** Keep signals from being lost, from being taken twice, and from coming in another order. */
export const signalMutants: readonly Mutant[] = [
  {
    name: "signals: the oldest comes first",
    in: "core:beginWait",
    find: "of rows.untaken(chain, typeName)) {",
    replace: "of [...rows.untaken(chain, typeName)].toReversed()) {",
  },
  {
    name: "signals: what is there is taken when a wait begins",
    in: "core:beginWait",
    find: "if (!isOver) {",
    replace: "if (isOver) {",
  },
  {
    name: "signals: an id counts once in a chain",
    in: "core:addSignal",
    find: "if (signalId !== undefined && known?.ids.has(signalId) === true) return undefined;",
    replace: "",
  },
  {
    name: "signals: what a wait has received stays when its time is over",
    in: "core:promote",
    find: "for (let row = takeUpTo(waits, now); row !== undefined; row = takeUpTo(waits, now)) {",
    replace:
      "for (let row = takeUpTo(waits, now); row !== undefined; row = takeUpTo(waits, now)) {\n      row.wait = row.wait && { ...row.wait, received: [] };",
  },
  {
    name: "signals: a rollback undoes them",
    in: "core:addSignal",
    find: "store.journal?.push(() => {\n    all.rows.pop();",
    replace: "[].forEach(() => {\n    all.rows.pop();",
  },
  {
    name: "signals: a chain that was cancelled while it waited waits again",
    in: "core:waitsAgain",
    find: "return wait.until === undefined || wait.until > now;",
    replace: "return wait.until === undefined && now < 0;",
  },
  {
    name: "signals: the buffer of a chain is bounded",
    in: "core:deliver",
    find: "rows.countUntaken(chain) >= mostBufferedSignals",
    replace: "rows.countUntaken(chain) < 0",
  },
  {
    name: "topics: what is kept reaches a job that begins to wait",
    in: "core:beginWait",
    find: "rows.addSignal(chain, publication, publication.at);",
    replace: "publication.at;",
  },
  {
    name: "signals: what no job has taken at the end of a chain is reported",
    in: "core:followEnd",
    find: "if (count > 0) effects.unused = [{ chainId: ended.chain.id, count }];",
    replace: "",
  },
  {
    name: "signals: a woken job sends a hint",
    in: "core:noteWaiting",
    find: "if (event.wokeJobId !== undefined)",
    replace: "if (event.wokeJobId === undefined)",
  },
];
