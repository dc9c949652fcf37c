/** The part of a generated client's transaction that the samples use. */
export interface TransactionClient {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>;
  readonly order: { create(options: { readonly data: { readonly id: string } }): Promise<unknown> };
}
