import { createDashboard } from "@chainwright/dashboard";
import { createInProcessStateAdapter } from "chainwright";
import type { Row } from "../row.ts";

const pages = ["-/overview", "-/chains", "-/failed", "-/schedule"];

/** Asked for its pages once while jobs are in flight; a page costs nothing that stays, or `retained` tells. */
export const dashboard: Row = {
  name: "dashboard",
  needs: [],
  keepsState: false,
  published: [610, 795, 10, 85],
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
              if (!response.ok) throw new Error(`the dashboard answers ${response.status} to "${page}"`);
            }
          },
        };
      },
    }),
    close: async () => undefined,
  }),
};
