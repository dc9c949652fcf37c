import { named } from "../engine/job-events.ts";
import type { Engine } from "../engine/engine.ts";
import { checkId } from "../checks/check-options.ts";
import { change } from "./change.ts";
import { checkJobKeys } from "./read-values.ts";

interface TriggerItem {
  readonly id: string;
}

const triggerKeys = { id: true } satisfies Record<keyof TriggerItem, true>;

/** Makes scheduled jobs ready now; all or none. */
export async function triggerJobs(engine: Engine, items: readonly TriggerItem[], tx: unknown): Promise<void> {
  if (items.length === 0) return;
  const ids = [...new Set(items.map(jobIdOf))];
  const jobs = await change(engine, tx, () => engine.state.trigger(ids, engine.callOptions(tx)));
  engine.events.record(
    jobs.map(({ jobId, chainId, typeName, claimName }) => {
      return { type: "job-triggered", jobId, chainId, typeName, ...named(claimName) };
    }),
    tx,
  );
}

function jobIdOf(item: TriggerItem): string {
  checkJobKeys(item, triggerKeys, "triggerJob");
  return checkId(item.id, "id");
}
