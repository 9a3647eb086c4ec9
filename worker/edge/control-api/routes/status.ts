// The route of the service's state.
import { serviceStatus } from "../../../../shared/contract/hosted/status.ts";
import { json } from "../answers.ts";
import { route } from "../route.ts";
import { serviceStatusOf } from "../tenancy/status.ts";

export const statusRoutes = [
  route({
    method: "GET",
    path: "/status",
    id: "status",
    summary: "Returns whether the parts of the service answer, as of the last ten seconds.",
    access: { kind: "public" },
    answer: { status: 200, json: serviceStatus },
    handle: async ({ controlApi }) => json(await serviceStatusOf(controlApi)),
  }),
];
