/**
 * The ticks of recurring schedules. It contains croner (https://croner.56k.guru), which reads cron patterns; its licence is in
 * the file `THIRD-PARTY-NOTICES.txt`.
 *
 * @module
 */
export { previewSchedule, type PreviewedRun, type PreviewOptions } from "./preview.ts";
