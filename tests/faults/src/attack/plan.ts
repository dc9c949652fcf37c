import type { Server } from "@chainwright/backends";
import type { SmallDisk } from "@chainwright/backends/small-disk";
import type { Examiner, StorePlace } from "../store/open-store.ts";
import type { Against, Child } from "./children.ts";
import type { Shapes } from "../work/shapes.ts";
import type { Deeds } from "./deed-names.ts";
import type { Chance } from "./random.ts";
import type { Road } from "./roads.ts";
import type { Tally } from "./tally.ts";
import type { Weather } from "./weather.ts";

/** How hard an attack is, and when it is over. */
export interface Scale {
  /** Chains to start at least. */
  readonly chains: number;
  /** Workers to kill at least. */
  readonly kills: number;
  /** Times to kill the server, where there is one. */
  readonly serverKills: number;
  /** The attack ends after this time, whatever it has reached. */
  readonly minutes: number;
  readonly processes: number;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** How long a handler takes at most. */
  readonly delayMs: number;
  /** Chains are started as long as fewer jobs are open. */
  readonly backlog: number;
  /** How long a worker lives at most before it is killed. */
  readonly lifeMs: number;
  /** The chains that are started. */
  readonly shapes: Shapes;
  /** What is done beside the killing of processes. */
  readonly deeds: Deeds;
}

/** An attack under way. */
export interface Attack {
  readonly scale: Scale;
  /** The direct way to the store, for everything that has to be right. */
  readonly place: StorePlace;
  /** The ways of the processes under attack. */
  readonly roads: readonly [Road, ...Road[]];
  readonly weather: Weather;
  readonly server: Server | undefined;
  /** The disk that the store is on, if it is one that gets full. */
  readonly disk: SmallDisk | undefined;
  readonly examiner: Examiner;
  readonly chance: Chance;
  readonly against: Against;
  readonly tally: Tally;
  /** The folder of the journals. */
  readonly folder: string;
  /** Number of chains at the last look. */
  chains: number;
  /** Set when all that was planned has happened, or when time is up. */
  over: boolean;
  /** Processes that were started and may still run. */
  readonly children: Set<Child>;
  /** Rules that were broken during the attack, and how often. */
  readonly brokenOnTheWay: Map<string, number>;
  /** Journals of starters that have ended. */
  readonly starterJournals: string[];
}
