import type { Action, Role } from "./protocol/actions.ts";

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

const needed: Readonly<Record<Action, Role>> = {
  retry: "operator",
  trigger: "operator",
  cancel: "operator",
  pause: "operator",
  resume: "operator",
  delete: "admin",
};

export function isRole(value: unknown): value is Role {
  return typeof value === "string" && Object.hasOwn(ranks, value);
}

export function mayAs(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least];
}

export function mayDo(role: Role, action: Action): boolean {
  return mayAs(role, needed[action]);
}

export function actionsOf(role: Role): readonly Action[] {
  return (["retry", "trigger", "cancel", "delete", "pause", "resume"] as const).filter((action) => mayDo(role, action));
}
