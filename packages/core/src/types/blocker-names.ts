/**
 * The declared blockers as a tuple of names, in which `{ anyOf }` is a union and `{ rest }` any number. Anything else stays as it is,
 * and is refused.
 */
export type BlockerNames<List> = List extends readonly PropertyKey[] ? List : Spelt<List>;

type Spelt<List> = List extends readonly []
  ? readonly []
  : List extends readonly [{ readonly rest: infer Names }]
    ? readonly ItemOf<Names>[]
    : List extends readonly [infer First, ...infer Others]
      ? readonly [First extends { readonly anyOf: infer Names } ? ItemOf<Names> : First, ...Spread<Spelt<Others>>]
      : List;

type Spread<List> = List extends readonly unknown[] ? List : never;

/** The items of an array, or what is no array. */
export type ItemOf<List> = List extends readonly (infer Item)[] ? Item : List;
