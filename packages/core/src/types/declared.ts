export declare const declared: unique symbol;

/** The definitions by name, of which a client must have these, and may have others. */
export type Declared<Types> = { readonly [Name in keyof Types]: (definition: Types[Name]) => Types[Name] };
