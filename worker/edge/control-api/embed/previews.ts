// Previews: addresses at which a browser shows a server in a sandbox. The ticket in the address allows one port of one Service or Pod.
import { embedLimits } from "../../../../shared/base/embed-limits.ts";
import type { CreatePreview, Preview } from "../../../../shared/contract/cluster/preview.ts";
import { audited } from "../access/audit.ts";
import { sign } from "./signed.ts";
import { livingRow } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";

export async function makePreview(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { kind, namespace, name, port }: CreatePreview,
): Promise<Preview> {
  const row = await livingRow(controlApi, tenantId, id);
  const nowMs = controlApi.nowMs();
  const forMs = Math.min(embedLimits.previewMs, row.expiresAtMs - nowMs);
  const path = `/api/v1/namespaces/${namespace}/${kind}/${name}:${port}/proxy`;
  const claims = { tenant: tenantId, sandbox: id, path, version: row.tokenVersion };
  const ticket = await audited(controlApi, id, () => sign(controlApi.secret, "preview", claims, { nowMs, forMs }));
  const expiresAt = new Date(Math.floor((nowMs + forMs) / 1000) * 1000).toISOString();
  return { url: `${controlApi.console}/preview/${ticket}/c/${id}${path}/`, expiresAt };
}
