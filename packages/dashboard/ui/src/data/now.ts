import { signal } from "@preact/signals";

/** The time that relative times are told by; it stands still while nobody looks. */
export const now = signal(Date.now());

/** How far the server's clock is ahead of this one. */
let skewMs = 0;

/** Relative times follow the server's clock: the reader's may be wrong. */
export function setServerTime(at: number): void {
  skewMs = at - Date.now();
  now.value = at;
}

const tick = () => {
  if (!document.hidden) now.value = Date.now() + skewMs;
};

setInterval(tick, 1_000);
document.addEventListener("visibilitychange", tick);
