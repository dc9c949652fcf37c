/** A moment in text, or a delay. */
type GivenSchedule = { readonly at: string } | { readonly afterMs: number };

interface Timed {
  readonly schedule?: GivenSchedule | undefined;
  readonly waitUntil?: GivenSchedule | "forever" | undefined;
  readonly deadline?: GivenSchedule | undefined;
}

/** A schedule as the client takes it. */
function scheduleOf(given: GivenSchedule): { readonly at: Date } | { readonly afterMs: number } {
  return "at" in given ? { at: new Date(given.at) } : given;
}

/** The same options, with moments as dates, and without those that are not given. */
export function momentsOf(item: Timed): object {
  const { schedule, waitUntil, deadline, ...rest } = item;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(schedule !== undefined && { schedule: scheduleOf(schedule) }),
    ...(deadline !== undefined && { deadline: scheduleOf(deadline) }),
    ...(waitUntil !== undefined && { waitUntil: waitUntil === "forever" ? waitUntil : scheduleOf(waitUntil) }),
  };
}
