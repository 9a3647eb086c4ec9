// The route of previews.
import { createPreview, preview } from "../../../../shared/contract/cluster/preview.ts";
import { json } from "../answers.ts";
import { makePreview } from "../embed/previews.ts";
import { route } from "../route.ts";

export const previewRoutes = [
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/previews",
    id: "createPreview",
    summary:
      "Returns an address at which a browser shows a port of a Service or Pod, for an hour, in an origin of its own.",
    access: { kind: "scope", scope: "sandboxes:connect" },
    body: createPreview,
    answer: { status: 201, json: preview },
    handle: async ({ controlApi, tenantId, body, path: { id = "" } }) =>
      json(await makePreview(controlApi, tenantId, id, body), 201),
  }),
];
