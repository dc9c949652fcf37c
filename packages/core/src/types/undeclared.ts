import type { AnyTable, Shown } from "./table.ts";

/**
 * The name of a job type that the client does not declare. It is a string that equals no declared name, so a comparison of `typeName`
 * with a declared name narrows what was read. The pattern exists in the type only: the name is stored as it was written.
 *
 * @example
 * const { items } = await client.listJobs({ status: "failed" });
 * const old: UndeclaredName[] = [];
 * for (const { typeName } of items) {
 *   if (typeName === "mail.send" || typeName === "order.place" || typeName === "order.approve") console.log("ours", typeName);
 *   else if (typeName !== "order.charge" && typeName !== "reminder.send" && typeName !== "stock.reserve") old.push(typeName);
 * }
 */
/*
 * No declared name contains NUL. A `string` with a brand would not do: the compiler finds it comparable with every name, so it would narrow
 * nothing, and it infers no union of it and of names.
 */
export type UndeclaredName = `\0(undeclared) ${string}`;

/**
 * What a read returns. `Name` is the `typeName` that it was given; without one it is `UndeclaredName`, and the result is of any type. A
 * client whose types have any string as name declares all.
 */
export type Found<Table extends AnyTable, All extends PropertyKey, Name extends PropertyKey, Undeclared> = [
  UndeclaredName,
] extends [Name]
  ? Shown<Table, All> | (string extends All ? never : Undeclared)
  : Shown<Table, Name>;
