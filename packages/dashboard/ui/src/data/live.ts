import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { routes } from "../../../src/protocol/routes.ts";
import type { ProgressView } from "../../../src/protocol/progress.ts";
import type { LiveEvent, OverviewResponse } from "../../../src/protocol/overview.ts";
import { setServerTime } from "./now.ts";

/** The state of the connection that delivers live events. */
export const liveState = signal<"connecting" | "live" | "not-watched" | "no-store" | "lost">("connecting");

interface Listener {
  readonly chain?: string | undefined;
  /** Jobs whose progress the page shows. */
  readonly jobs?: readonly string[] | undefined;
  readonly onProgress?: (progress: Readonly<Record<string, ProgressView>>) => void;
  readonly onOverview?: (overview: OverviewResponse) => void;
  readonly onChanged?: () => void;
  readonly onChain?: (exists: boolean) => void;
}

/**
 * Receives live events while the component is shown. After a broken connection the listener is notified of a change, so nothing
 * is missed.
 */
export function useLive(listener: Listener): void {
  // The connection outlives a render; its events go to the listener of the newest one.
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(
    () =>
      follow({
        chain: listener.chain,
        jobs: listener.jobs,
        onProgress: (progress) => newest.current.onProgress?.(progress),
        onOverview: (overview) => newest.current.onOverview?.(overview),
        onChanged: () => newest.current.onChanged?.(),
        onChain: (exists) => newest.current.onChain?.(exists),
      }),
    [listener.chain, listener.jobs?.join()],
  );
}

function follow({ chain, jobs = [], onProgress, onOverview, onChanged, onChain }: Listener): () => void {
  const url = new URL(routes.events.path, document.baseURI);
  if (chain !== undefined) url.searchParams.set("chain", chain);
  for (const job of jobs) url.searchParams.append("job", job);
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let wasLost = false;

  /** What happened meanwhile was not told. */
  const catchUp = () => {
    onChanged?.();
    onChain?.(true);
  };
  const receive = (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as LiveEvent;
    setServerTime(event.now);
    if (event.type === "overview") onOverview?.(event);
    else if (event.type === "changed") onChanged?.();
    else if (event.type === "progress") onProgress?.(event.progress);
    else if (event.type === "store") {
      liveState.value = event.isAway ? "no-store" : "live";
      if (!event.isAway) catchUp();
    } else if (event.type === "watching") liveState.value = event.isLive ? "live" : "not-watched";
    else onChain?.(event.exists);
  };

  const open = () => {
    source = new EventSource(url);
    for (const type of ["overview", "changed", "watching", "progress", "store", "chain"])
      source.addEventListener(type, receive);
    source.addEventListener("open", () => {
      liveState.value = "live";
      if (wasLost) catchUp();
      wasLost = false;
    });
    source.addEventListener("error", () => {
      liveState.value = "lost";
      wasLost = true;
      // The browser stops reconnecting after a response that is not a stream, for example a proxy's error page during a restart.
      if (source?.readyState !== EventSource.CLOSED) return;
      clearTimeout(again);
      again = setTimeout(open, 5_000);
    });
  };

  liveState.value = "connecting";
  open();
  return () => {
    clearTimeout(again);
    source?.close();
  };
}
