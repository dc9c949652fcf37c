import type { ChainwrightEvent } from "../../src/model/event.ts";
import { factOf, type Fact } from "./facts.ts";

/** Everything that is recorded during a run. */
export interface Watch {
  /** What must not be. */
  readonly violations: string[];
  /** What happened, one line each; kept for a run that is to be shown. */
  readonly history: string[];
  /** How often each fault struck. */
  readonly faults: Map<string, number>;
  /** How often each fact came true, whether or not the engine knows. */
  readonly facts: ReadonlyMap<Fact, number>;
  /** How many transactions have been opened and neither committed nor rolled back. */
  openTransactions: number;
  note(line: string): void;
  strike(fault: string): void;
  /** Facts that the store has committed. */
  committed(facts: readonly Fact[]): void;
  /** The same, once the engine is certain to get to know them. */
  known(facts: readonly Fact[]): void;
  event(event: ChainwrightEvent): void;
  /** Events without a fact, facts without an event, and duplicates of both. */
  eventViolations(): readonly string[];
}

export function createWatch(now: () => number, keepsHistory: boolean): Watch {
  const startedAt = now();
  const violations: string[] = [];
  const history: string[] = [];
  const faults = new Map<string, number>();
  const facts = new Map<Fact, number>();
  /** Facts that the engine knows, minus events raised. */
  const owed = new Map<Fact, number>();
  const note = (line: string): void => {
    if (keepsHistory) history.push(`${String(Math.round(now() - startedAt)).padStart(6)} ${line}`);
  };
  return {
    violations,
    history,
    faults,
    facts,
    openTransactions: 0,
    note,
    strike(fault) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      note(`  fault: ${fault}`);
    },
    committed(committed) {
      for (const fact of committed) {
        add(facts, fact, 1);
        note(`  ${fact}`);
      }
    },
    known(known) {
      for (const fact of known) add(owed, fact, 1);
    },
    event(event) {
      const fact = factOf(event);
      if (fact !== undefined) add(owed, fact, -1);
    },
    eventViolations: () =>
      [...owed]
        .filter(([, count]) => count !== 0)
        .map(([fact, count]) =>
          count > 0 ? `no event for ${count} x ${fact}` : `${-count} x event ${fact} that the store did not report`,
        ),
  };
}

function add(counts: Map<Fact, number>, fact: Fact, count: number): void {
  counts.set(fact, (counts.get(fact) ?? 0) + count);
}
