// The URLs of the LTI tool. Each tenant has its own, so that platforms of two tenants cannot be confused.
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

/** Returns the URL to which a page of the tool submits its forms. */
export function formUrl({ console }: Place, tenantId: string, form: "board" | "choose"): string {
  return `${console}/lti/${encodeURIComponent(tenantId)}/${form}`;
}

export function registrationUrl({ console }: Place, tenantId: string, ticket: string): string {
  return `${console}/lti/${encodeURIComponent(tenantId)}/register/${ticket}`;
}

/** Returns a link to a lesson, for platforms that store no custom parameters. */
export function lessonUrl(place: Place, tenantId: string, lesson: string): string {
  return `${toolUrls(place, tenantId).launchUrl}?lesson=${encodeURIComponent(lesson)}`;
}
