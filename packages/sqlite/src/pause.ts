/** Short at first, because most transactions are; random, so that processes do not keep step. */
export function pause(tries: number): Promise<void> {
  const atMostMs = Math.min(10, 1 + tries);
  return new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * (atMostMs - 1)));
}
