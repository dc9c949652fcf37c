declare const computed: unique symbol;

/**
 * The default of a type parameter that only a signature uses: a type behind it is computed once a call. No one can write it, because
 * its property has no name outside of this package, so a call with one more type argument than it needs is refused.
 */
export interface Computed<out Type = object> {
  readonly [computed]: Type;
}

/**
 * The computed type. `any` as a type argument would switch every check off: then it is `Otherwise`, which is `any` only where the
 * compiler compares calls without their type parameters.
 */
export type TypeIn<Of extends Computed<unknown>, Otherwise> = unknown extends Of ? Otherwise : Of[typeof computed];
