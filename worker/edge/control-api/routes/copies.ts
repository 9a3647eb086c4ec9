// Routes of the operator's backups: copies of rows, files and objects, and their restore into an empty service.
import * as z from "zod";
import {
  copiedFiles,
  copiedObject,
  copiedTables,
  copyFacts as factsShape,
  copyFileQuery,
  copyFilesQuery,
  copyObjectQuery,
  copyRowsQuery,
  deletionReport,
  objectPageType,
  restoredObject,
  restoredRows,
  storedData as storedDataShape,
  restoreRows as rowsShape,
} from "../../../../shared/contract/hosted/copy.ts";
import { json, nothing } from "../answers.ts";
import { invalidField } from "../body.ts";
import { route } from "../route.ts";
import {
  copyFacts,
  copyFile,
  copyFiles,
  copyObject,
  copyRows,
  restoreFile,
  restoreObject,
  restoreRows,
} from "../tenancy/copies.ts";

import { getDeletionReport, storedData } from "../tenancy/stored-data.ts";

const fileType = "application/octet-stream";

export const copyRoutes = [
  route({
    method: "GET",
    path: "/v1/admin/copy",
    id: "copyFacts",
    summary: "Returns what a backup contains: the tables of all databases with their rows.",
    access: { kind: "operator" },
    answer: { status: 200, json: factsShape },
    handle: async ({ controlApi }) => json(await copyFacts(controlApi)),
  }),
  route({
    method: "GET",
    path: "/v1/admin/copy/rows",
    id: "copyRows",
    summary: "Returns the first rows of all tables of a database at one moment, or a page of one table.",
    access: { kind: "operator" },
    query: copyRowsQuery,
    answer: { status: 200, json: copiedTables },
    handle: async ({ controlApi, query }) => json(await copyRows(controlApi, query)),
  }),
  route({
    method: "POST",
    path: "/v1/admin/copy/rows",
    id: "restoreRows",
    summary: "Inserts rows of a backup.",
    access: { kind: "operator" },
    body: rowsShape,
    answer: { status: 200, json: restoredRows },
    errors: ["not_empty"],
    handle: async ({ controlApi, body }) => json(await restoreRows(controlApi, body)),
  }),
  route({
    method: "GET",
    path: "/v1/admin/copy/files",
    id: "copyFiles",
    summary: "Lists the files of snapshots, templates and initial states, a page at a time.",
    access: { kind: "operator" },
    query: copyFilesQuery,
    answer: { status: 200, json: copiedFiles },
    handle: async ({ controlApi, query }) => json(await copyFiles(controlApi, query.cursor)),
  }),
  route({
    method: "GET",
    path: "/v1/admin/copy/file",
    id: "copyFile",
    summary: "Returns a file.",
    access: { kind: "operator" },
    query: copyFileQuery,
    answer: { status: 200, file: fileType },
    errors: ["not_found"],
    handle: async ({ controlApi, query }) =>
      new Response(await copyFile(controlApi, query.key), { headers: { "content-type": fileType } }),
  }),
  route({
    method: "PUT",
    path: "/v1/admin/copy/file",
    id: "restoreFile",
    summary: "Stores a file of a backup.",
    access: { kind: "operator" },
    query: copyFileQuery,
    body: z.unknown(),
    fileBody: fileType,
    answer: { status: 204 },
    errors: ["not_empty"],
    handle: async ({ controlApi, query, file }) => {
      await restoreFile(controlApi, query.key, required(file, fileType));
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/admin/copy/objects",
    id: "copyObject",
    summary: "Returns a page of the tables of a sandbox or an organisation, all pages as they were at the first one.",
    access: { kind: "operator" },
    query: copyObjectQuery,
    answer: { status: 200, json: copiedObject },
    errors: ["not_found", "busy", "lost", "too_large"],
    handle: async ({ controlApi, query }) => json(await copyObject(controlApi, query)),
  }),
  route({
    method: "POST",
    path: "/v1/admin/copy/objects",
    id: "restoreObject",
    summary: "Stores a page of the tables of a sandbox or an organisation. The last page opens it.",
    access: { kind: "operator" },
    query: copyObjectQuery,
    body: z.unknown(),
    fileBody: objectPageType,
    answer: { status: 200, json: restoredObject },
    errors: ["not_empty", "lost", "malformed_copy"],
    handle: async ({ controlApi, query, file }) =>
      json(await restoreObject(controlApi, query, required(file, objectPageType))),
  }),
  route({
    method: "GET",
    path: "/v1/admin/tenants/{tenant}/stored",
    id: "getStoredData",
    summary: "Counts what is stored of an organisation, by reading every store, also after its deletion.",
    access: { kind: "operator" },
    answer: { status: 200, json: storedDataShape },
    handle: async ({ controlApi, path: { tenant = "" } }) => json(await storedData(controlApi, tenant)),
  }),
  route({
    method: "GET",
    path: "/v1/admin/deletions/{tenant}",
    id: "getDeletionReport",
    summary: "Returns what was stored of a deleted organisation, and what was read after its deletion.",
    access: { kind: "operator" },
    answer: { status: 200, json: deletionReport },
    handle: async ({ controlApi, path: { tenant = "" } }) => json(await getDeletionReport(controlApi, tenant)),
  }),
];

function required(file: Uint8Array<ArrayBuffer> | undefined, type: string): Uint8Array<ArrayBuffer> {
  if (!file) throw invalidField("", `must be sent as ${type}`);
  return file;
}
