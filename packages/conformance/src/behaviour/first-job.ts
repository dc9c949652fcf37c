/** The first job of a chain has the id of the chain, but the compiler keeps the ids of chains and jobs apart. */
export const firstJobIdOf = ({ id }: { readonly id: string }): string => id;
