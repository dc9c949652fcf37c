/** How long a transaction may be open: longer than callbacks that outlast a lease, and not much longer, because some never end. */
export const transactionTimeoutMs = 5_000;
