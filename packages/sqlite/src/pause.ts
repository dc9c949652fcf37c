/** Short at first, because most transactions are short; random, so that processes do not retry at the same time. */
export function pause(tries: number): Promise<void> {
  const atMostMs = Math.min(10, 1 + tries);
  return new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * (atMostMs - 1)));
}
