/** What a chain's first job says about it. */
export interface ChainHead {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly awaited: number | null;
  readonly dedup_key: string | null;
  readonly dedup_scope: string | null;
}
