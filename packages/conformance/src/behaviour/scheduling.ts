import { only, present } from "../check.ts";
import { eventually } from "./event-log.ts";
import type { AppFixture } from "./fixture.ts";
import { leapUntil } from "./leaping-clock.ts";

export interface Ran {
  readonly input: unknown;
  readonly tick: { readonly scheduleId: string; readonly at: Date; readonly missed: number } | undefined;
}

export const hour = 3_600_000;
export const hourly = { id: "hourly", typeName: "work", input: { region: "eu" }, cron: "0 * * * *" } as const;

/** Longer than all leaps of a case: a job whose lease runs out runs twice, and that is no second start. */
const longLeases = { leaseMs: 365 * 86_400_000 };

/** A worker that notes the jobs of ticks. */
export async function watched(fixture: Pick<AppFixture, "work">): Promise<Ran[]> {
  const ran: Ran[] = [];
  await fixture.work(
    {
      work: ({ job: { input, tick } }) => void ran.push({ input, tick }),
    },
    longLeases,
  );
  return ran;
}

/** Leaps to a moment after the next tick of a schedule, and returns when that tick was due. */
export async function leapToTick({ client, clock }: AppFixture, id: string, afterMs = 300): Promise<Date> {
  const { nextAt } = await scheduleOf({ client }, id);
  const at = present("it has a next tick", nextAt);
  clock.leap(Math.max(0, at.getTime() + afterMs - clock.now()));
  return at;
}

export async function scheduleOf({ client }: Pick<AppFixture, "client">, id: string) {
  return only(`there is a schedule ${id}`, (await client.listSchedules({ ids: [id] })).items);
}

export async function ticksOf({ client }: Pick<AppFixture, "client">, id: string) {
  return (await client.listTicks({ id, limit: 1_000 })).items;
}

/** Waits, in leaps that are small beside the time between two ticks, until something holds. */
export async function soon(
  { clock }: AppFixture,
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await leapUntil(clock, 100, eventually(what, condition));
}
