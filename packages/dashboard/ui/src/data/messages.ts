import { signal } from "@preact/signals";

/** A short message, shown in a corner and announced by screen readers. */
export interface Message {
  readonly id: number;
  readonly kind: "done" | "failed";
  readonly text: string;
}

export const messages = signal<readonly Message[]>([]);

const shownMs = { done: 6_000, failed: 12_000 };

let count = 0;

export function say(kind: Message["kind"], text: string): void {
  count += 1;
  const id = count;
  messages.value = [...messages.value, { id, kind, text }].slice(-4);
  setTimeout(() => dismiss(id), shownMs[kind]);
}

/** For a request whose failure leaves the page as it was. */
export function sayFailure(error: unknown): void {
  say("failed", error instanceof Error ? error.message : String(error));
}

export function dismiss(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}
