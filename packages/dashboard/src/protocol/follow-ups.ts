import type { ChainStatus } from "./views.ts";

/** A chain that the stop of another one has started. */
export interface FollowUpView {
  readonly id: string;
  readonly typeName: string;
  readonly kind: "compensation" | "when-stopped";
  readonly status: ChainStatus;
}
