import type { Examiner } from "./examiner.ts";
import type { ReleaseName } from "./release/place.ts";

/** What a run left behind. */
export interface Evidence {
  readonly jobs: readonly JobRow[];
  readonly effects: readonly EffectRow[];
  /** In the order in which they were given. */
  readonly leases: readonly LeaseRow[];
  readonly said: Said;
  /** The workers whose processes were killed. */
  readonly killed: ReadonlySet<string>;
  /** When the migration ran. */
  readonly migration: Span;
  /** When a type was paused, and for whom. */
  readonly pause: Pause;
}

export interface JobRow {
  readonly id: string;
  readonly chain_id: string;
  readonly step: number;
  readonly type: string;
  readonly status: string;
  /** Of the chain, on its first job only. */
  readonly chain_status: string | null;
  readonly attempt: number;
  readonly key: string | null;
}

export interface EffectRow {
  readonly job_id: string;
  readonly attempt: number;
  readonly asked: number;
  readonly release: ReleaseName;
  readonly wrong: string | null;
}

export interface LeaseRow {
  readonly job_id: string;
  readonly attempt: number;
  readonly worker: string;
  /** When the claim began. */
  readonly at: number;
}

export interface Pause extends Span {
  readonly typeName: string;
  /** The releases whose workers observe a pause. */
  readonly releases: ReadonlySet<ReleaseName>;
}

export interface Span {
  readonly began: number;
  readonly ended: number;
}

/** What processes wrote down. */
export interface Said {
  /** The jobs that a chain has, by its id. */
  readonly planned: ReadonlyMap<string, number>;
  readonly acknowledged: readonly string[];
  /** The release of each worker, by its id. */
  readonly workers: ReadonlyMap<string, ReleaseName>;
  /** The chains that starts under a key returned. */
  readonly keyed: readonly { readonly chainId: string; readonly key: string }[];
  readonly troubles: readonly string[];
  readonly slowExchanges: readonly Span[];
}

export async function readStore({ rows }: Examiner): Promise<Pick<Evidence, "jobs" | "effects" | "leases">> {
  return {
    jobs: await rows<JobRow>("select id, chain_id, step, type, status, chain_status, attempt, key from rolling_job"),
    effects: await rows<EffectRow>("select job_id, attempt, asked, release, wrong from rolling_effect"),
    leases: await rows<LeaseRow>("select job_id, attempt, worker, at from rolling_lease order by n"),
  };
}

/** Reads the lines of journals, which begin with the name of the process. */
export function readSaid(journals: readonly { readonly name: string; readonly lines: readonly string[] }[]): Said {
  const said = {
    planned: new Map<string, number>(),
    acknowledged: [] as string[],
    workers: new Map<string, ReleaseName>(),
    keyed: [] as { chainId: string; key: string }[],
    troubles: [] as string[],
    slowExchanges: [] as Span[],
  };
  for (const { name, lines } of journals) {
    for (const line of lines) {
      const [kind = "", first = "", second = ""] = line.split(" ");
      if (kind === "planned") said.planned.set(first, Number(second));
      else if (kind === "acknowledged") said.acknowledged.push(first);
      else if (kind === "worker") said.workers.set(first, name.startsWith("this") ? "this" : "last");
      else if (kind === "keyed") said.keyed.push({ chainId: first, key: second });
      else if (kind === "exchange")
        said.slowExchanges.push({ began: Number(first), ended: Number(first) + Number(second) });
      else if (kind === "trouble") said.troubles.push(`${name}: ${line.slice(kind.length + 1)}`);
    }
  }
  return said;
}
