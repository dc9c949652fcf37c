/** The part of a generated client's transaction that the samples use. */
export interface TransactionClient {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>;
  readonly order: { create(options: { readonly data: { readonly id: string } }): Promise<unknown> };
}

/** The part of a generated client that the samples use. */
export interface PrismaClient {
  $transaction<T>(
    run: (tx: TransactionClient) => Promise<T>,
    options?: {
      readonly isolationLevel?: "ReadCommitted";
      readonly maxWait?: number;
      readonly timeout?: number;
    },
  ): Promise<T>;
}
