// Routes of a sandbox's injected faults.
import {
  type ClusterFaultsRpc,
  faultList,
  faultsDeletion,
  faultsQuery,
  type FaultList,
  type FaultsAnswer,
  putFaults,
} from "../../../../shared/contract/cluster/faults.ts";
import { json } from "../answers.ts";
import { audited } from "../access/audit.ts";
import { route } from "../route.ts";
import { livingRow } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";

const path = "/v1/sandboxes/{id}/faults";

export const faultRoutes = [
  route({
    method: "PUT",
    path,
    id: "setFaults",
    summary: "Injects faults into a sandbox: into requests, watches, controllers, nodes and containers.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: putFaults,
    answer: { status: 200, json: faultList },
    errors: ["expired"],
    handle: async ({ controlApi, tenantId, body, path: { id = "" } }) =>
      json(await change(controlApi, tenantId, id, (cluster) => cluster.setFaults(body))),
  }),
  route({
    method: "GET",
    path,
    id: "getFaults",
    summary: "Returns a sandbox's faults and their effects. With `waitSeconds`, waits for further effects.",
    access: { kind: "scope", scope: "sandboxes:read" },
    query: faultsQuery,
    answer: { status: 200, json: faultList },
    errors: ["expired"],
    handle: async ({ controlApi, tenantId, query, path: { id = "" } }) => {
      await livingRow(controlApi, tenantId, id);
      return json(unwrap(await controlApi.cluster(id).getFaults(query)));
    },
  }),
  route({
    method: "DELETE",
    path,
    id: "deleteFaults",
    summary: "Ends one fault of a sandbox, or all.",
    access: { kind: "scope", scope: "sandboxes:write" },
    query: faultsDeletion,
    answer: { status: 200, json: faultList },
    errors: ["expired"],
    handle: async ({ controlApi, tenantId, query, path: { id = "" } }) =>
      json(await change(controlApi, tenantId, id, (cluster) => cluster.deleteFaults(query.name))),
  }),
];

async function change(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  act: (cluster: ClusterFaultsRpc) => Promise<FaultsAnswer>,
): Promise<FaultList> {
  await livingRow(controlApi, tenantId, id);
  return audited(controlApi, id, async () => unwrap(await act(controlApi.cluster(id))));
}

function unwrap(answer: FaultsAnswer): FaultList {
  if (!answer.ok) throw refusalError(answer, answer.field);
  const { ok: _, ...list } = answer;
  return list;
}
