// Publishable keys of a tenant. A caller can create only keys whose visitors' scopes it has itself.
import type * as z from "zod";
import { embedLimits } from "../../../../shared/base/embed-limits.ts";
import type {
  createPublishableKey,
  PublishableKey,
  PublishableKeyList,
} from "../../../../shared/contract/hosted/publishable-key.ts";
import type { PublishableKeyRow } from "../../db/embed-tables.ts";
import { isTag, randomText, tag } from "../../mac.ts";
import { type Caller, requireScope } from "../access/caller.ts";
import { ControlError } from "../control-error.ts";
import { lessonNamed } from "../lessons.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { getTemplate } from "../templates/templates.ts";
import { requireWithin, standingOf } from "../tenancy/plans.ts";

const shape = /^pk_([a-z2-7]{20})([a-z2-7]{10})$/;
const randomLength = 20;
const tagLength = 10;
const tagPurpose = "publishable-key";

export async function makePublishableKey(
  controlApi: ControlApiServer,
  caller: Caller,
  request: z.output<typeof createPublishableKey>,
): Promise<PublishableKey> {
  const { name, templates, lessons, ttlSeconds } = request;
  // No caller can grant visitors a scope that it lacks.
  requireScope(caller, "sandboxes:create");
  if (templates.length > 0) requireScope(caller, "templates:read");
  if (lessons.length > 0) requireScope(caller, "lessons:write");
  const { tenantId } = caller;
  requireWithin((await standingOf(controlApi, tenantId)).limits, { ttlSeconds });
  for (const [at, reference] of templates.entries())
    await requireReference(`templates.${at}`, () => getTemplate(controlApi, tenantId, reference));
  for (const [at, reference] of lessons.entries())
    await requireReference(`lessons.${at}`, () => lessonNamed(controlApi, tenantId, reference));
  await requireFreeSpace(controlApi);
  const random = randomText(randomLength);
  const row: PublishableKeyRow = {
    key: `pk_${random}${await tagOf(controlApi, random)}`,
    tenantId,
    name,
    origins: [...new Set(request.origins)],
    templates: [...new Set(templates)],
    lessons: [...new Set(lessons)],
    ttlSeconds,
    limits: request.limits,
    createdAtMs: controlApi.nowMs(),
  };
  if (!(await controlApi.publishableKeys.add(row, embedLimits.publishableKeys))) {
    const message = `there are ${embedLimits.publishableKeys} publishable keys, which is the most: revoke some`;
    throw new ControlError(409, "too_many_publishable_keys", message);
  }
  return describe(row);
}

export async function listPublishableKeys(
  { publishableKeys }: ControlApiServer,
  tenantId: string,
): Promise<PublishableKeyList> {
  return { publishableKeys: (await publishableKeys.list(tenantId)).map(describe) };
}

/** Revokes a key. Pages can create no more sandboxes with it; existing sandboxes live until they expire. */
export async function revokePublishableKey(
  { publishableKeys }: ControlApiServer,
  tenantId: string,
  key: string,
): Promise<void> {
  if (shape.test(key) && (await publishableKeys.remove(tenantId, key))) return;
  throw new ControlError(404, "not_found", "there is no such publishable key");
}

/** Finds the key that a page sends. An invalid key is rejected without a query, unless a retired secret may have signed it. */
export async function findPublishableKey(
  service: Pick<ControlApiServer, "publishableKeys" | "secret" | "secrets">,
  key: string,
): Promise<PublishableKeyRow | undefined> {
  const [, random, mac] = shape.exec(key) ?? [];
  if (random === undefined || mac === undefined) return undefined;
  const isOurs = await isTag(service.secret, tagPurpose, random, mac, tagLength);
  if (!isOurs && !(await service.secrets.hasMoved())) return undefined;
  return service.publishableKeys.find(key);
}

function tagOf({ secret }: Pick<ControlApiServer, "secret">, random: string): Promise<string> {
  return tag(secret, tagPurpose, random, tagLength);
}

/** Reports an error of an element of a list in the body. */
async function requireReference(field: string, find: () => Promise<unknown>): Promise<void> {
  try {
    await find();
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(error.status, error.code, error.message, field);
  }
}

function describe({ tenantId: _, createdAtMs, ...row }: PublishableKeyRow): PublishableKey {
  return { ...row, createdAt: new Date(createdAtMs).toISOString() };
}
