/** One page of the items of a group or a filter, as the store has them now. */
export interface ItemsPage {
  readonly ids: readonly string[];
  readonly nextCursor: string | undefined;
}

/** All items of a group or a filter, also those that the page does not show. */
export interface AllItems {
  /** How many there were when they were counted; undefined: it was not counted. */
  readonly about: number | undefined;
  readonly next: (cursor: string | undefined) => Promise<ItemsPage>;
}
