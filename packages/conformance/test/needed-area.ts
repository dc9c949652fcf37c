import type { CallOptions, JobStart, Outcome, StartCall, StateAdapter, TransactionOptions } from "chainwright/adapter";
import { stateAreas, type StateArea } from "../src/state/area-names.ts";

/** The first area in which an author needs each method. */
const methods: Readonly<Record<keyof StateAdapter, StateArea>> = {
  portVersion: "start and reads",
  migrate: "start and reads",
  schema: "start and reads",
  close: "start and reads",
  start: "start and reads",
  getChains: "start and reads",
  getJobs: "start and reads",
  listChains: "start and reads",
  listJobs: "start and reads",
  reach: "start and reads",
  count: "start and reads",
  countQueued: "start and reads",
  storeId: "start and reads",
  isConflict: "start and reads",
  insideTransaction: "start and reads",
  transactionOf: "start and reads",
  connections: "start and reads",
  takesRealTime: "start and reads",
  exchange: "claim and settle",
  settle: "claim and settle",
  listDue: "claim and settle",
  countAhead: "claim and settle",
  transaction: "transactions",
  renew: "fences and leases",
  compensate: "ends",
  trigger: "trigger, cancel and delete",
  cancel: "trigger, cancel and delete",
  remove: "trigger, cancel and delete",
  listBlockers: "blockers",
  countBlockers: "blockers",
  getKeyHolders: "deduplication",
  retry: "retry",
  heartbeat: "upkeep",
  listWorkers: "upkeep",
  listLostWorkers: "history",
  readHistory: "history",
  groupFailures: "history",
  setPauses: "pauses",
  listPauses: "pauses",
  changeLimits: "limits",
  listLimits: "limits",
  listLimitDeclarations: "limits",
  tick: "schedules",
  changeSchedules: "schedules",
  dueSchedules: "schedules",
  listSchedules: "schedules",
  listTicks: "schedules",
  signal: "signals",
  note: "notes",
  listNotes: "notes",
  listSignals: "signals",
  maintain: "upkeep",
  inspect: "doctor",
  repair: "doctor",
  noteAwaited: "awaited ends",
  lockHolders: "row locks",
};

/** The first area in which an author needs this call, with this request. */
function neededArea(method: keyof StateAdapter, request: readonly unknown[]): StateArea {
  return (
    stateAreas.findLast((area) => [methods[method], ...neededBy(method, request)].includes(area)) ?? methods[method]
  );
}

function neededBy(method: keyof StateAdapter, request: readonly unknown[]): readonly StateArea[] {
  if (method === "transaction") return neededByTransaction(request[1]);
  const options = request.at(-1) as CallOptions<unknown> | undefined;
  const needed: StateArea[] = options?.tx === undefined ? [] : ["transactions"];
  if (method === "start")
    needed.push(...(request[0] as readonly StartCall[]).flatMap(({ starts }) => starts.flatMap(neededByStart)));
  if (method === "settle") needed.push(...(request[0] as readonly Outcome[]).flatMap(neededByOutcome));
  if (method === "exchange") {
    needed.push(...(request[0] as { readonly outcomes: readonly Outcome[] }).outcomes.flatMap(neededByOutcome));
  }
  return needed;
}

function neededByTransaction(options: unknown): readonly StateArea[] {
  return (options as TransactionOptions | undefined)?.holding === undefined ? [] : ["fences and leases"];
}

function neededByStart({
  schedule,
  blockers,
  deduplication,
  tags,
  limits,
  whenStopped,
  deadline,
  waits,
  signals,
}: JobStart): readonly StateArea[] {
  return [
    ...(schedule === undefined ? [] : (["claim and settle"] as const)),
    ...(blockers.length === 0 ? [] : (["blockers"] as const)),
    ...(deduplication === undefined ? [] : (["deduplication"] as const)),
    ...(limits === undefined ? [] : (["limits"] as const)),
    ...(waits === undefined && signals === undefined ? [] : (["signals"] as const)),
    ...(tags === undefined ? [] : (["tags and keys"] as const)),
    ...(whenStopped === undefined && deadline === undefined ? [] : (["ends"] as const)),
  ];
}

function neededByOutcome(outcome: Outcome): readonly StateArea[] {
  return [
    ...("chainId" in outcome.target ? (["continuations"] as const) : []),
    ...(outcome.kind === "continued" ? (["continuations"] as const) : []),
    ...(outcome.kind === "continued" ? neededByStart(outcome.next) : []),
    ...(outcome.kind === "continued" && outcome.compensation !== undefined ? (["ends"] as const) : []),
  ];
}

/** The adapter as an author has it who has implemented an area and those before it: other calls throw. */
export function limitedTo<Tx>(adapter: StateAdapter<Tx>, area: StateArea): StateAdapter<Tx> {
  const last = stateAreas.indexOf(area);
  return new Proxy(adapter, {
    get(target, name: keyof StateAdapter) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...request: readonly unknown[]): unknown => {
        const needed = neededArea(name, request);
        if (stateAreas.indexOf(needed) > last) throw new Error(`${name} with this request is a part of "${needed}"`);
        return Reflect.apply(member, target, request);
      };
    },
  });
}
