/** The size of the random tests in this folder: full with CHAINWRIGHT_SCALE=full, otherwise small. */
const isFullScale = process.env["CHAINWRIGHT_SCALE"] === "full";

export function scaled(little: number, full: number): number {
  return isFullScale ? full : little;
}
