// Operations on platforms for the control API: register, list, change and delete them, and report what was sent to them.
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import type { LtiPlatform, NewLtiPlatform } from "../../../shared/contract/hosted/lti.ts";
import type { DeliveryList } from "../../../shared/contract/hosted/webhook.ts";
import { urlProblem } from "../../lti/ask.ts";
import { invalidField } from "../control-api/body.ts";
import { ControlError } from "../control-api/control-error.ts";
import { requireFreeSpace } from "../control-api/sandboxes.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { randomText } from "../mac.ts";

export function newPlatformId(): string {
  return `ltp${randomText(20)}`;
}

export async function makePlatform(
  controlApi: ControlApiServer,
  tenantId: string,
  newPlatform: NewLtiPlatform,
): Promise<LtiPlatform> {
  for (const field of ["authorizationUrl", "tokenUrl", "jwksUrl"] as const) {
    const wrong = urlProblem(newPlatform[field], controlApi.asksPrivate);
    if (wrong !== undefined) throw invalidField(field, wrong);
  }
  await requireFreeSpace(controlApi);
  const row = { ...newPlatform, id: newPlatformId(), tenantId, createdAtMs: controlApi.nowMs() };
  if (await controlApi.lti.addPlatform(row, ltiLimits.platforms)) return describe(row);
  if ((await controlApi.lti.platformsOf(tenantId, newPlatform.issuer, newPlatform.clientId)).length > 0) {
    throw new ControlError(409, "platform_known", "a platform with this issuer and client id is registered already");
  }
  throw new ControlError(
    409,
    "too_many_platforms",
    `there are ${ltiLimits.platforms} platforms, which is the most: delete one`,
  );
}

export async function listPlatforms({ lti }: ControlApiServer, tenantId: string): Promise<LtiPlatform[]> {
  return (await lti.listPlatforms(tenantId)).map(describe);
}

export async function getPlatform({ lti }: ControlApiServer, tenantId: string, id: string): Promise<LtiPlatform> {
  const row = await lti.findPlatform(tenantId, id);
  if (!row) throw noPlatform();
  return describe(row);
}

export async function changePlatform(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  to: { readonly name?: string | undefined; readonly deployments?: string[] | undefined },
): Promise<LtiPlatform> {
  const isAsked = to.name !== undefined || to.deployments !== undefined;
  if (isAsked && !(await controlApi.lti.changePlatform(tenantId, id, to))) throw noPlatform();
  return getPlatform(controlApi, tenantId, id);
}

/** Deletes a platform. Runs of its learners live on, but no score is sent any more. */
export async function deletePlatform(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  if (!(await controlApi.lti.removePlatform(tenantId, id))) throw noPlatform();
  controlApi.later(() => controlApi.tenant(tenantId).dropScores(id), "scores of a platform");
}

export async function listScores(controlApi: ControlApiServer, tenantId: string, id: string): Promise<DeliveryList> {
  await getPlatform(controlApi, tenantId, id);
  return controlApi.tenant(tenantId).scores(id);
}

function noPlatform(): ControlError {
  return new ControlError(404, "not_found", "there is no such platform");
}

function describe({ tenantId: _, createdAtMs, ...platform }: LtiPlatformRow): LtiPlatform {
  return { ...platform, createdAt: new Date(createdAtMs).toISOString() };
}
