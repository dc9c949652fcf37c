/** What the state port cannot do here, and why. */
export const stateWithout = {
  userTable: "it keeps no tables",
  unmigrated: "there is nothing to migrate",
  rowLocks: "it runs one transaction at a time",
  awaited: "no other process shares it, so it notes nothing",
  faults: "faults that are planted in memory are in no log",
};
