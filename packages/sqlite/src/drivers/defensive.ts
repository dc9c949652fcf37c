/** What libraries have to switch SQLite's defensive mode. A library without one of them opens connections that are not in it. */
interface Switches {
  /** node:sqlite, in the versions of Node that know the mode. */
  enableDefensive?(isOn: boolean): unknown;
  /** better-sqlite3. */
  unsafeMode?(isOn: boolean): unknown;
}

/** Switches the defensive mode of a connection on or off, see `SqliteDatabase`. */
export function setDefensive(client: object & Switches, isOn: boolean): void {
  if (client.enableDefensive !== undefined) client.enableDefensive(isOn);
  else client.unsafeMode?.(!isOn);
}
