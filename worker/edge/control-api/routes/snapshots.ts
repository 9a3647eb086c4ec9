// Routes of snapshots: of one sandbox, and of all, including deleted sandboxes.
import { listQuery } from "../../../../shared/contract/sandbox.ts";
import { createSnapshot, snapshot, snapshotList } from "../../../../shared/contract/snapshot.ts";
import { json, nothing } from "../answers.ts";
import { type Route, route } from "../route.ts";
import { deleteSnapshot, getSnapshot, listSnapshots, makeSnapshot } from "../snapshots.ts";

export const snapshotRoutes = [
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/snapshots",
    id: "createSnapshot",
    summary: "Stores the state of a sandbox: the current one, or that of a revision in its history.",
    access: { kind: "scope", scope: "snapshots:write" },
    body: createSnapshot,
    answer: { status: 201, json: snapshot },
    errors: [
      "limit_reached",
      "too_many_snapshots",
      "revision_gone",
      "revision_unknown",
      "limit_exceeded",
      "too_large",
      "busy",
    ],
    handle: async ({ controlApi, tenantId, body, path: { id = "" } }) =>
      json(await makeSnapshot(controlApi, tenantId, id, body), 201),
  }),
  ...below("/v1/snapshots", "", "all sandboxes, also of those that are gone"),
  ...below("/v1/sandboxes/{id}/snapshots", "OfSandbox", "a sandbox"),
];

function below(path: string, name: string, whose: string): Route[] {
  return [
    route({
      method: "GET",
      path,
      id: `listSnapshots${name}`,
      summary: `Lists the snapshots of ${whose}, the newest first, a page at a time.`,
      access: { kind: "scope", scope: "snapshots:read" },
      query: listQuery,
      answer: { status: 200, json: snapshotList },
      handle: async ({ controlApi, tenantId, query, path: { id } }) =>
        json(await listSnapshots(controlApi, tenantId, query, id)),
    }),
    route({
      method: "GET",
      path: `${path}/{snapshot}`,
      id: `getSnapshot${name}`,
      summary: `Returns a snapshot of ${whose}.`,
      access: { kind: "scope", scope: "snapshots:read" },
      answer: { status: 200, json: snapshot },
      handle: async ({ controlApi, tenantId, path: { id, snapshot: named = "" } }) =>
        json(await getSnapshot(controlApi, tenantId, named, id)),
    }),
    route({
      method: "DELETE",
      path: `${path}/{snapshot}`,
      id: `deleteSnapshot${name}`,
      summary: `Deletes a snapshot of ${whose}.`,
      access: { kind: "scope", scope: "snapshots:delete" },
      answer: { status: 204 },
      handle: async ({ controlApi, tenantId, path: { id, snapshot: named = "" } }) => {
        await deleteSnapshot(controlApi, tenantId, named, id);
        return nothing();
      },
    }),
  ];
}
