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

/** The intensity of an attack, and when it ends. */
export interface Scale {
  /** Chains to start at least. */
  readonly chains: number;
  /** Workers to kill at least. */
  readonly kills: number;
  /** Times to kill the server, where there is one. */
  readonly serverKills: number;
  /** The attack ends after this time even if it is incomplete. */
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
  /** The attacks other than killing processes. */
  readonly deeds: Deeds;
}

/** An attack under way. */
export interface Attack {
  readonly scale: Scale;
  /** The direct way to the store, without faults. */
  readonly place: StorePlace;
  /** The ways of the processes under attack to the store. */
  readonly roads: readonly [Road, ...Road[]];
  readonly weather: Weather;
  readonly server: Server | undefined;
  /** The disk of the store, if the attack fills it. */
  readonly disk: SmallDisk | undefined;
  readonly examiner: Examiner;
  readonly chance: Chance;
  readonly against: Against;
  readonly tally: Tally;
  /** The folder of the journals. */
  readonly folder: string;
  /** The number of chains when they were last counted. */
  chains: number;
  /** Set when everything planned has happened, or at the time limit. */
  over: boolean;
  /** Processes that were started and may still run. */
  readonly children: Set<Child>;
  /** The rules that were broken during the attack, with counts. */
  readonly brokenOnTheWay: Map<string, number>;
  /** Journals of starters that have ended. */
  readonly starterJournals: string[];
}
