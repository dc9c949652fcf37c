/** A pause of a job type that begins now, and replaces the one that the type has. */
export interface Pause {
  readonly typeName: string;
  readonly reason: string | undefined;
  /** Who pauses it. */
  readonly by: string | undefined;
  /** After this time it ends by itself. Undefined: it ends when the type is resumed. */
  readonly forMs: number | undefined;
}

/** Job types to pause and to resume. No type is named twice. */
export interface PauseRequest {
  readonly pauses: readonly Pause[];
  readonly resume: readonly string[];
}

/** A job type that is paused. */
export interface PausedType {
  readonly typeName: string;
  readonly reason: string | undefined;
  readonly by: string | undefined;
  /** When the pause began, in milliseconds since 1970. */
  readonly pausedAt: number;
  /** When it ends by itself, and in how many milliseconds. Undefined: it ends when the type is resumed. */
  readonly until: number | undefined;
  readonly endsInMs: number | undefined;
}
