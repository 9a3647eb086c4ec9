// Routes of usage and limits.
import { standing } from "../../../../shared/contract/hosted/plan.ts";
import { usage, usageQuery } from "../../../../shared/contract/hosted/usage.ts";
import { json, text } from "../answers.ts";
import { route } from "../route.ts";
import { describeStanding } from "../tenancy/plans.ts";
import { usageCsv, usageOf, wantsCsv } from "../tenancy/usage.ts";

export const usageRoutes = [
  route({
    method: "GET",
    path: "/v1/limits",
    id: "getLimits",
    summary: "Returns the organisation's limits by its plan, and its usage of them.",
    access: { kind: "scope", scope: "usage:read" },
    answer: { status: 200, json: standing },
    handle: async ({ controlApi, tenantId }) => json(await describeStanding(controlApi, tenantId)),
  }),
  route({
    method: "GET",
    path: "/v1/usage",
    id: "getUsage",
    summary:
      "Returns the usage of sandboxes by day and sandbox, with prices by the platform's list. As CSV it is a table.",
    access: { kind: "scope", scope: "usage:read" },
    query: usageQuery,
    answer: { status: 200, json: usage, texts: ["text/csv; charset=UTF-8"] },
    errors: ["too_large"],
    handle: async ({ controlApi, tenantId, query, headers }) => {
      const usage = await usageOf(controlApi, tenantId, query);
      return wantsCsv(query, headers) ? text(usageCsv(usage), "text/csv; charset=UTF-8") : json(usage);
    },
  }),
];
