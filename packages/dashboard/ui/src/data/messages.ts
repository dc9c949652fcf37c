import { signal } from "@preact/signals";

/** Something that just happened, told in a corner and to screen readers. */
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

export function dismiss(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}
