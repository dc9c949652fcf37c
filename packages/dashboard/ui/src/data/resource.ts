import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError } from "./api.ts";

/** Data of the server, as far as it is loaded. */
export interface Resource<out Data> {
  /** The newest response; kept while a newer one is being loaded. */
  readonly data: ReadonlySignal<Data | undefined>;
  /** The error of the last request, if it failed. */
  readonly error: ReadonlySignal<unknown>;
  readonly loading: ReadonlySignal<boolean>;
  readonly refresh: () => void;
}

interface ResourceCell<Data> extends Resource<Data> {
  readonly stop: () => void;
}

/** Loads data when the component appears and whenever `key` changes, or only on `refresh`. Aborts its request with the component. */
export function useResource<Data>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Data>,
  first: "at once" | "when refreshed" = "at once",
): Resource<Data> {
  // The key contains everything that the request depends on.
  const resource = useMemo(() => createResource(ask), [key]);
  useEffect(() => {
    if (first === "at once") resource.refresh();
    return resource.stop;
  }, [resource]);
  return resource;
}

const againMs = 4_000;
const passing: ReadonlySet<string> = new Set(["unreachable", "store-unavailable", "busy"]);

/** Whether the next request may succeed although nothing is done: the page then recovers by itself. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiError && passing.has(error.code);
}

function createResource<Data>(ask: (signal: AbortSignal) => Promise<Data>): ResourceCell<Data> {
  const data = signal<Data | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const loading = signal(true);
  let busy = false;
  let asked = new AbortController();
  let askAgain = false;
  let again: ReturnType<typeof setTimeout> | undefined;

  const settle = () => {
    busy = false;
    loading.value = false;
    if (askAgain) refresh();
  };

  function refresh() {
    // One request at a time: a refresh during a request starts another one right after it.
    askAgain = busy;
    if (busy) return;
    clearTimeout(again);
    busy = true;
    const mine = new AbortController();
    asked = mine;
    loading.value = true;
    ask(mine.signal).then(
      (response) => {
        if (mine.signal.aborted) return;
        data.value = response;
        error.value = undefined;
        settle();
      },
      (failure: unknown) => {
        if (mine.signal.aborted) return;
        error.value = failure;
        settle();
        if (isPassing(failure)) again = setTimeout(refresh, againMs);
      },
    );
  }

  return {
    data,
    error,
    loading,
    refresh,
    stop() {
      clearTimeout(again);
      asked.abort();
      busy = false;
    },
  };
}
