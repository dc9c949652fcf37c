/** How much the attacks of this folder attack: everything with CHAINWRIGHT_SCALE=full, else what every run can afford. */
const isFullScale = process.env["CHAINWRIGHT_SCALE"] === "full";

export function scaled(little: number, full: number): number {
  return isFullScale ? full : little;
}
