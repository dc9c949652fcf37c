import type { Effect } from "./effects.ts";

/** How a saga ended. */
export interface SagaEnd {
  readonly saga: string;
  readonly status: "active" | "completed" | "failed" | "cancelled";
}

/**
 * What is wrong with sagas that have ended, by what they did and undid: of a completed one nothing is undone; of another one each effect
 * is undone by exactly one job, which began when no attempt of the step was at work any more, the last step first, and then exactly one
 * job told someone.
 */
export function judgeSagas(sagas: readonly SagaEnd[], effects: readonly Effect[]): readonly string[] {
  const bySaga = Map.groupBy(effects, ({ saga }) => saga);
  return sagas.flatMap(({ saga, status }) => {
    const own = bySaga.get(saga) ?? [];
    const wrong = status === "completed" ? judgeCompleted(own) : judgeStopped(own);
    if (status === "active") wrong.push("has not ended");
    return wrong.map((what) => `${status} saga ${saga}: ${what}`);
  });
}

function judgeCompleted(effects: readonly Effect[]): string[] {
  return effects.filter(({ what }) => what !== "done").map(({ what, effect }) => `${effect} was ${what}`);
}

function judgeStopped(effects: readonly Effect[]): string[] {
  const wrong: string[] = [];
  const done = new Set(effects.flatMap(({ what, effect }) => (what === "done" ? effect : [])));
  for (const effect of done) {
    const of = effects.filter((each) => each.effect === effect);
    const jobs = new Set(of.flatMap(({ what, jobId }) => (what === "undone" ? jobId : [])));
    if (jobs.size !== 1) wrong.push(`${effect} was undone by ${jobs.size} jobs`);
    const first = of.findIndex(({ what }) => what === "undone");
    if (first >= 0 && of.findLastIndex(({ what }) => what === "done") > first)
      wrong.push(`${effect} was done after it was undone`);
  }
  const told = new Set(effects.flatMap(({ what, jobId }) => (what === "told" ? jobId : [])));
  if (told.size !== 1) wrong.push(`someone was told by ${told.size} jobs`);
  return [...wrong, ...judgeOrder(effects)];
}

/** Of the steps of the saga itself: what its blockers did may be undone later. */
function judgeOrder(effects: readonly Effect[]): readonly string[] {
  const stepOf = new Map(effects.flatMap(({ effect, step }) => (step === undefined ? [] : [[effect, step] as const])));
  const undone = [...new Set(effects.flatMap(({ what, effect }) => (what === "undone" ? effect : [])))];
  const steps = undone.flatMap((effect) => stepOf.get(effect) ?? []);
  const isReversed = steps.every((step, at) => at === 0 || step < (steps[at - 1] ?? Infinity));
  const told = effects.findIndex(({ what }) => what === "told");
  const last = effects.findLastIndex(({ what, effect }) => what === "undone" && stepOf.has(effect));
  return [
    ...(isReversed ? [] : [`its steps were undone in the order ${steps.join(", ")}`]),
    ...(told >= 0 && told < last ? ["someone was told before its steps were undone"] : []),
  ];
}
