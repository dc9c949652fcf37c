/**
 * How many attempts fit into one round. A retry counts attempts anew and must not repeat a fence, for the worker that ran
 * attempt 1 before may be the one that runs attempt 1 now, with the first still under way. So a store numbers on: round times
 * this, plus the attempts of the round.
 *
 * @example
 * const told = claimed.attempt % attemptsInRound; // attempts since the last retry
 */
export const attemptsInRound = 2 ** 20;

/**
 * Rounds come again after so many: the greatest number fits into 32 bits.
 *
 * @example
 * const beyond = attemptRounds * attemptsInRound; // no attempt has this number
 */
export const attemptRounds = 2_000;

/**
 * The number to go on from when a retry counts attempts anew: the beginning of a round that has none.
 *
 * @example
 * nextRound(3); // attemptsInRound: the next claim is one more, of which users are told 1
 */
export function nextRound(attempt: number): number {
  return (Math.ceil(attempt / attemptsInRound) % attemptRounds) * attemptsInRound;
}

/** Attempts since the last retry, which is what users are told. */
export function attemptOf({ attempt }: { readonly attempt: number }): number {
  return attempt % attemptsInRound;
}
