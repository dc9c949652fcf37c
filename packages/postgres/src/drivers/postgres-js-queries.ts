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

/** A connection of postgres.js. */
interface InnerConnection {
  /** Closes it once it is idle, as at the end of its lifetime; postgres.js opens another one when it needs one. */
  end?(): Promise<unknown>;
}

/** What a query of postgres.js keeps to itself: the server's process that it was sent to, and how to cancel what runs there. */
interface Inner {
  readonly state?: object | null;
  readonly canceller?: ((running: { readonly state: object; readonly active: true }) => Promise<unknown>) | null;
  readonly options?: {
    /** Called when the query is sent; returns whether others may be sent behind it. */
    onexecute?: ((connection: InnerConnection) => boolean) | undefined;
  };
}

/**
 * Queries of which it is known where they are sent, which postgres.js does not say. With another postgres.js, which keeps other
 * things to itself, they are ordinary queries, of which nothing is cancelled and whose connections are left to their lifetime.
 */
export interface NotedQueries {
  note<Query>(query: Query): Query;
  /** The same handle; what is made with it is noted. */
  notedBy<Handle extends PostgresJsQueryable>(handle: Handle): Handle;
  /** Ends what their connection is busy with, whichever query that is. A query that waits for a connection is not sent any more. */
  cancel(): "unsent" | "sent";
  /** Closes their connection once it is idle. */
  endConnection(): void;
}

export function noteQueries(): NotedQueries {
  let noted: (PostgresJsQuery & Inner) | undefined;
  let connection: InnerConnection | undefined;

  const note = <Query>(query: Query): Query => {
    // One that was sent stays: it knows the server's process. Others may be fragments, which are never sent.
    if (noted?.state || !isQuery(query)) return query;
    noted = query;
    if (query.options !== undefined && connection === undefined) {
      query.options.onexecute = (sentOn) => {
        connection = sentOn;
        return true;
      };
    }
    return query;
  };

  return {
    note,
    notedBy: (handle) =>
      new Proxy(handle, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (name !== "unsafe" || typeof value !== "function") return value;
          return (...parameters: unknown[]): unknown => note(Reflect.apply(value, target, parameters));
        },
        apply: (target, self, parameters) =>
          typeof target === "function"
            ? note(Reflect.apply<unknown, unknown[], unknown>(target, self, parameters))
            : undefined,
      }),
    cancel: () => {
      if (noted?.state === null) {
        noted.cancel();
        return "unsent";
      }
      // Over a connection of its own, which may fail as well.
      if (noted?.state) noted.canceller?.({ state: noted.state, active: true }).catch(() => undefined);
      return "sent";
    },
    endConnection: () => {
      connection?.end?.().catch(() => undefined);
    },
  };
}

function isQuery(made: unknown): made is PostgresJsQuery & Inner {
  return typeof made === "object" && made !== null && "canceller" in made;
}
