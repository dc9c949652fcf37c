/** A lane that claims visit. */
export interface OpenLane {
  readonly id: number;
  readonly name: string;
  readonly limits: string;
  readonly rank: number;
  readonly turn: number;
  readonly served: number;
  readonly weight: number;
}

/** What a claim gives a lane, and the place that the lane has in the queue afterwards. */
export interface Share {
  readonly lane: OpenLane;
  readonly jobs: number;
  /** The jobs that it has been given in its turn, if the turn is not over. */
  readonly served: number;
  /** In the order of these the turns of lanes ended. Undefined: it keeps its turn. */
  readonly endedAs: number | undefined;
}

/**
 * Deals jobs to lanes in their order, as many a turn as a lane weighs, until none is left. Lanes that had their turn stand behind
 * the others, so that over many claims each gets its part, however few jobs a claim has to give.
 */
export function dealTurns(lanes: readonly OpenLane[], jobs: number): readonly Share[] {
  const shares = lanes.map((lane) => ({
    lane,
    jobs: 0,
    served: lane.served,
    endedAs: undefined as number | undefined,
  }));
  let [left, ended] = [jobs, 0];
  while (left > 0 && shares.length > 0) {
    for (const share of shares) {
      if (left === 0) break;
      const given = Math.min(left, Math.max(1, share.lane.weight - share.served));
      left -= given;
      share.jobs += given;
      share.served += given;
      if (share.served < share.lane.weight) continue;
      share.served = 0;
      share.endedAs = ended;
      ended += 1;
    }
  }
  return shares.filter((share) => share.jobs > 0);
}
