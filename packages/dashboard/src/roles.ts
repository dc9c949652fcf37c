import type { Principal } from "./options.ts";
import type { Action, Role } from "./protocol/actions.ts";

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

const needed: Readonly<Record<Action, Role>> = {
  retry: "operator",
  trigger: "operator",
  cancel: "operator",
  "send-signal": "operator",
  pause: "operator",
  resume: "operator",
  "change-limit": "operator",
  "reset-limit": "operator",
  "pause-limit": "operator",
  "resume-limit": "operator",
  delete: "admin",
  "pause-schedule": "operator",
  "resume-schedule": "operator",
  "trigger-schedule": "operator",
  "edit-schedule": "operator",
  "reset-schedule": "operator",
  "delete-schedule": "admin",
};

/** In the order of the session. */
const all: readonly Action[] = [
  "retry",
  "trigger",
  "cancel",
  "delete",
  "send-signal",
  "pause",
  "resume",
  "change-limit",
  "reset-limit",
  "pause-limit",
  "resume-limit",
  "pause-schedule",
  "resume-schedule",
  "trigger-schedule",
  "edit-schedule",
  "reset-schedule",
  "delete-schedule",
];

export function isRole(value: unknown): value is Role {
  return typeof value === "string" && Object.hasOwn(ranks, value);
}

export function mayDo({ role, actions }: Principal, action: Action): boolean {
  return ranks[role] >= ranks[needed[action]] && (actions?.includes(action) ?? true);
}

export function actionsOf(principal: Principal): readonly Action[] {
  return all.filter((action) => mayDo(principal, action));
}
