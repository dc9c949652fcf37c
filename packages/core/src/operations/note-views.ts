import { parse } from "../checks/json.ts";
import type { LogLineRecord, Noted } from "../model/note.ts";
import type { LoggedLine, NotedValue } from "../types/note-calls.ts";

export function notedView({ value, attempt, at }: Noted): NotedValue {
  return { value: value === "" ? undefined : parse(value), attempt, at: new Date(at) };
}

export function lineView({ level, message, data, attempt, at }: LogLineRecord): LoggedLine {
  return { level, message, data: data === undefined ? undefined : parse(data), attempt, at: new Date(at) };
}
