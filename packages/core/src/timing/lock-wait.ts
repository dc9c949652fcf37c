/**
 * How long a call that carries several callers' work waits for rows that others hold, in milliseconds. Then what is free goes
 * on, and the rest by itself. Long beside the time between two commits, short beside a user's transaction.
 */
export const lockWaitMs = 200;
