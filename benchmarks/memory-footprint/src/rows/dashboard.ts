import { createDashboard } from "@chainwright/dashboard";
import { createInProcessStateAdapter } from "chainwright";
import type { Row } from "../row.ts";

const pages = ["-/overview", "-/chains", "-/failed", "-/schedule"];

/** Its pages are requested once while jobs are in flight; what a page leaves in memory shows as `retained`. */
export const dashboard: Row = {
  name: "dashboard",
  needs: [],
  keepsState: false,
  prepare: async () => ({
    build: async () => ({
      stateAdapter: createInProcessStateAdapter(),
      attach: (client) => {
        const { fetch } = createDashboard({ client, authorize: () => ({ role: "viewer" }) });
        return {
          async use() {
            for (const page of pages) {
              const response = await fetch(new Request(`http://localhost/${page}`));
              await response.arrayBuffer();
              if (!response.ok) throw new Error(`the dashboard replied ${response.status} to "${page}"`);
            }
          },
        };
      },
    }),
    close: async () => undefined,
  }),
};
