/** How a stored value of one version becomes one of the next version. */
export interface VersionStep {
  readonly up: (value: unknown) => unknown;
  /** Makes a value of the version before from one of this version; undefined: none was given. */
  readonly back: ((value: unknown) => unknown) | undefined;
}

/** The versions of one input or output at run time: one more than there are steps. */
export interface VersionLadder {
  readonly steps: readonly VersionStep[];
}

/** The run-time side of `defineVersions`. */
export interface VersionSlice {
  readonly inputs: Readonly<Record<string, VersionLadder>>;
  readonly outputs: Readonly<Record<string, VersionLadder>>;
  /** The version in which the inputs of a type are written, where that is not the newest one. */
  readonly writes: Readonly<Record<string, number>>;
}
