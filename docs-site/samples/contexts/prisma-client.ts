/** A transaction of a generated client, as far as it matters here. */
export interface TransactionClient {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>;
  readonly order: { create(options: { readonly data: { readonly id: string } }): Promise<unknown> };
}
