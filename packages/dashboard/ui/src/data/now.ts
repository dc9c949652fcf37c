import { signal } from "@preact/signals";

/** The reference of relative times; it does not advance while the page is hidden. */
export const now = signal(Date.now());

/** How far the server's clock is ahead of the browser's. */
let skewMs = 0;

/** Relative times follow the server's clock, because the browser's may be wrong. */
export function setServerTime(at: number): void {
  skewMs = at - Date.now();
  now.value = at;
}

const tick = () => {
  if (!document.hidden) now.value = Date.now() + skewMs;
};

setInterval(tick, 1_000);
document.addEventListener("visibilitychange", tick);
