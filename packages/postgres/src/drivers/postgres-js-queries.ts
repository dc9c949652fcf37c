/** What the driver uses of `sql`, alone and inside a transaction. */
export interface PostgresJsQueryable {
  unsafe(text: string, parameters?: (string | null)[], options?: { readonly prepare?: boolean }): PostgresJsPending;
}

/** A query of postgres.js that is not asked for in any form yet. */
interface PostgresJsPending {
  values(): PostgresJsQuery;
}

/** A query of postgres.js, sent once it is awaited. */
export interface PostgresJsQuery extends PromiseLike<unknown[][]> {
  cancel(): void;
}

/** What a query of postgres.js keeps to itself: the server's process that it was sent to, and how to cancel what runs there. */
interface Inner {
  readonly state?: object | null;
  readonly canceller?: ((running: { readonly state: object; readonly active: true }) => Promise<unknown>) | null;
}

/**
 * Ends what a connection is busy with, which postgres.js itself only does for the very query that runs. A query that waits for a
 * connection is not sent any more. With another postgres.js, which may keep other things to itself, nothing is cancelled.
 */
export function cancel(query: PostgresJsQuery): "unsent" | "sent" {
  const { state, canceller }: Inner = query as Inner;
  if (state === null) {
    query.cancel();
    return "unsent";
  }
  // Over a connection of its own, which may fail as well.
  if (state !== undefined) canceller?.({ state, active: true }).catch(() => undefined);
  return "sent";
}

/** Keeps one query of a transaction: enough to cancel what its connection is busy with. */
export interface NotedQueries {
  /** The same handle; what is sent with it is noted. */
  of<Handle extends PostgresJsQueryable>(handle: Handle): Handle;
  /** Ends what the connection is busy with, if anything was ever sent with the handle. */
  cancel(): void;
}

export function noteQueries(): NotedQueries {
  let noted: (PostgresJsQuery & Inner) | undefined;
  const note = (made: unknown): unknown => {
    // One that was sent stays: it knows the server's process. Others may be fragments, which are never sent.
    if ((noted?.state ?? undefined) === undefined && isQuery(made)) noted = made;
    return made;
  };
  return {
    of: (handle) =>
      new Proxy(handle, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (name !== "unsafe" || typeof value !== "function") return value;
          return (...parameters: unknown[]) => note(Reflect.apply(value, target, parameters));
        },
        apply: (target, self, parameters) => note(Reflect.apply(target as unknown as () => unknown, self, parameters)),
      }),
    cancel: () => {
      if (noted?.state) cancel(noted);
    },
  };
}

function isQuery(made: unknown): made is PostgresJsQuery & Inner {
  return typeof made === "object" && made !== null && "canceller" in made;
}
