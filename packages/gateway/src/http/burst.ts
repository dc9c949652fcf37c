/** How long a burst may last. */
const longestMs = 1;

/**
 * Returns a function that resolves for all requests of a burst at once, so that they share a statement and a commit. A burst lasts one
 * turn of the event loop, because each socket is read in a callback of its own; and if the burst before had more requests, until as many
 * have come or a millisecond has passed, because callers that were answered by the same commit come back one after the other.
 *
 * Commits a start with 10 callers on SQLite: 1 without it, 0.2 with the turn alone, 0.12 with both.
 */
export function createBurst(): () => Promise<void> {
  let burst: Promise<void> | undefined;
  let requests = 0;
  let before = 0;
  const gather = async (): Promise<void> => {
    const begunAt = performance.now();
    const isOver = (): boolean => requests >= before || performance.now() - begunAt >= longestMs;
    do await turn();
    while (!isOver());
    before = requests;
    requests = 0;
    burst = undefined;
  };
  return () => {
    requests += 1;
    return (burst ??= gather());
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
