/** The claims and looks of a process that are under way, each of which tells where it found the first job of the inbox. */
export interface OpenClaims {
  begin(): OpenClaim;
}

interface OpenClaim {
  /**
   * Returns the lowest of this position and those of claims that have ended since this one began: they may have put jobs into the inbox that it
   * did not see.
   */
  end(firstInInbox: number): number;
  /** It failed, or does not tell. */
  endWithout(): void;
}

export function createOpenClaims(): OpenClaims {
  const lowest = new Map<object, number>();
  return {
    begin: () => {
      const claim = {};
      lowest.set(claim, Infinity);
      return {
        end: (firstInInbox) => {
          const first = Math.min(firstInInbox, lowest.get(claim) ?? Infinity);
          lowest.delete(claim);
          // Positions begin at 1. One that looked for no jobs under limits says 0.
          if (firstInInbox > 0)
            for (const [other, position] of lowest) lowest.set(other, Math.min(position, firstInInbox));
          return first;
        },
        endWithout: () => {
          lowest.delete(claim);
        },
      };
    },
  };
}
