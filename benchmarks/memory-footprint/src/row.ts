import type { BackendName } from "@chainwright/backends";
import type { Servers } from "@chainwright/bench-measuring";
import type { AnyClient, NotifyAdapter, Observer, StateAdapter } from "chainwright";

/** Something to weigh: an adapter or an observer, with everything else in-process. */
export interface Row {
  readonly name: string;
  /** Servers that it cannot do without. */
  readonly needs: readonly BackendName[];
  /** Whether it is a state adapter, whose waiting and ended jobs are somewhere. */
  readonly keepsState: boolean;
  /** What an application has anyway: connected clients, a telemetry SDK, a folder. The baseline holds it. */
  prepare(servers: Servers): Promise<Prepared>;
}

export interface Prepared {
  /** Builds what is weighed; it can be built again once it is closed. */
  build(): Promise<Parts>;
  close(): Promise<void>;
}

export interface Parts {
  readonly stateAdapter: StateAdapter;
  readonly notifyAdapter?: NotifyAdapter | undefined;
  readonly observers?: readonly Observer[] | undefined;
  /** What is built around the client. */
  attach?(client: AnyClient): Attached;
}

export interface Attached {
  /** Asks it for what people look at. */
  use(): Promise<void>;
}
