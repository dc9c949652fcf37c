/**
 * How long a call with the work of several callers waits for locked rows, in milliseconds. After that the work on free rows
 * continues, and the rest is done one by one. Much longer than the time between two commits, and shorter than most transactions of users.
 */
export const lockWaitMs = 200;
