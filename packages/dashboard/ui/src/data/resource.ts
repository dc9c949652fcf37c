import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

/** Something that the server knows, as far as it has said so. */
export interface Resource<out Data> {
  /** The newest answer; stays while a newer one is on its way. */
  readonly data: ReadonlySignal<Data | undefined>;
  /** Why the last question has no answer. */
  readonly error: ReadonlySignal<unknown>;
  readonly loading: ReadonlySignal<boolean>;
  readonly refresh: () => void;
}

interface ResourceCell<Data> extends Resource<Data> {
  readonly stop: () => void;
}

/**
 * Asks when it appears and whenever its key changes, or only when refreshed; whatever is under way ends with the component.
 */
export function useResource<Data>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Data>,
  first: "at once" | "when refreshed" = "at once",
): Resource<Data> {
  // The key says all that the question depends on.
  const resource = useMemo(() => createResource(ask), [key]);
  useEffect(() => {
    if (first === "at once") resource.refresh();
    return resource.stop;
  }, [resource]);
  return resource;
}

function createResource<Data>(ask: (signal: AbortSignal) => Promise<Data>): ResourceCell<Data> {
  const data = signal<Data | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const loading = signal(true);
  let busy = false;
  let asked = new AbortController();
  let askAgain = false;

  const settle = () => {
    busy = false;
    loading.value = false;
    if (askAgain) refresh();
  };

  function refresh() {
    // One question at a time: what changes meanwhile is asked for right after.
    askAgain = busy;
    if (busy) return;
    busy = true;
    const mine = new AbortController();
    asked = mine;
    loading.value = true;
    ask(mine.signal).then(
      (answer) => {
        if (mine.signal.aborted) return;
        data.value = answer;
        error.value = undefined;
        settle();
      },
      (failure: unknown) => {
        if (mine.signal.aborted) return;
        error.value = failure;
        settle();
      },
    );
  }

  return {
    data,
    error,
    loading,
    refresh,
    stop() {
      asked.abort();
      busy = false;
    },
  };
}
