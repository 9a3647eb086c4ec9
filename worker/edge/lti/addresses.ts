// The addresses of the tool: each tenant has its own, so that no two tenants' platforms are taken for each other.
import type { LtiTool } from "../../../shared/contract/hosted/lti.ts";
import { scopes } from "../../lti/names.ts";
import type { ControlApiServer } from "../control-api/server.ts";

type Place = Pick<ControlApiServer, "console">;

export function toolUrls({ console }: Place, tenantId: string): LtiTool {
  const base = `${console}/lti/${encodeURIComponent(tenantId)}`;
  return {
    loginUrl: `${base}/login`,
    launchUrl: `${base}/launch`,
    jwksUrl: `${base}/jwks.json`,
    canvasConfigurationUrl: `${base}/canvas.json`,
    scopes: Object.values(scopes),
  };
}

/** Where a page of the tool sends its forms. */
export function formUrl({ console }: Place, tenantId: string, form: "board" | "choose"): string {
  return `${console}/lti/${encodeURIComponent(tenantId)}/${form}`;
}

export function registrationUrl({ console }: Place, tenantId: string, ticket: string): string {
  return `${console}/lti/${encodeURIComponent(tenantId)}/register/${ticket}`;
}

/** A link to a lesson, for platforms that keep no custom parameters. */
export function lessonUrl(place: Place, tenantId: string, lesson: string): string {
  return `${toolUrls(place, tenantId).launchUrl}?lesson=${encodeURIComponent(lesson)}`;
}
