/** What the driver uses of `sql`, alone and inside a transaction. */
export interface PostgresJsQueryable {
  unsafe(text: string, parameters?: (string | null)[], options?: { readonly prepare?: boolean }): PostgresJsPending;
}

/** A query of postgres.js whose form of result has not been chosen yet. */
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

/** Undocumented properties of a query of postgres.js: the connection it was sent on, and how to cancel it. */
interface Inner {
  readonly state?: object | null;
  readonly canceller?: ((running: { readonly state: object; readonly active: true }) => Promise<unknown>) | null;
  readonly options?: {
    /** Called when the query is sent. Returns whether others may be sent after it. */
    onexecute?: ((connection: InnerConnection) => boolean) | undefined;
  };
}

/**
 * Tracks on which connection queries are sent, which postgres.js does not report. With a version of postgres.js that lacks these
 * properties, the queries are ordinary ones: nothing is cancelled, and their connections are not closed early.
 */
export interface NotedQueries {
  note<Query>(query: Query): Query;
  /** Returns the same handle. Queries made with it are tracked. */
  notedBy<Handle extends PostgresJsQueryable>(handle: Handle): Handle;
  /** Cancels what runs on their connection, whichever query that is. A query that waits for a connection is not sent any more. */
  cancel(): "unsent" | "sent";
  /** Closes their connection once it is idle. */
  endConnection(): void;
}

export function noteQueries(): NotedQueries {
  let noted: (PostgresJsQuery & Inner) | undefined;
  let connection: InnerConnection | undefined;

  const note = <Query>(query: Query): Query => {
    // Keep a query that was sent, because it knows its connection. Others may be fragments, which are never sent.
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
