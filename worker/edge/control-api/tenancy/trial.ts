// Trial sandboxes without a key. The client solves a stateless proof of work, and an address can create a limited number within an hour.
import { newSandbox } from "../../../../shared/contract/sandbox.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { Challenge, CreateTrial } from "../../../../shared/contract/hosted/trial.ts";
import { isTag, randomText, tag } from "../../mac.ts";
import { addressOf } from "../../network.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import type { CreatedSandbox } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { makeSandboxOfTemplate } from "../templates/templates.ts";

/** The tenant of all trials. No key can be created for a tenant of this name. */
const tenantId = "_trial";
const usualTemplate = "three-nodes";
const tagLength = 26;
const encoder = new TextEncoder();

/** Creates a challenge: `<expiry in seconds, base 36>_<random>_<tag>`. The tag covers the others and the client's address. */
export async function newChallenge(controlApi: ControlApiServer, headers: Headers): Promise<Challenge> {
  const difficulty = requireTrial(controlApi);
  const endMs = controlApi.nowMs() + limits.trialChallengeMs;
  const body = `${Math.floor(endMs / 1000).toString(36)}_${randomText(16)}`;
  const challenge = `${body}_${await tagOf(controlApi, body, addressOf(headers))}`;
  return { challenge, difficulty, expiresAt: new Date(Math.floor(endMs / 1000) * 1000).toISOString() };
}

export async function makeTrial(
  controlApi: ControlApiServer,
  headers: Headers,
  request: CreateTrial,
): Promise<CreatedSandbox> {
  const difficulty = requireTrial(controlApi);
  const { challenge, answer, template = usualTemplate } = request;
  const address = addressOf(headers);
  const ticket = await verifiedTicket(controlApi, challenge, address);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(`${challenge}.${answer}`)));
  if (zeroBits(hash) < difficulty)
    throw invalidField("answer", `must make the hash begin with ${difficulty} zero bits`);
  if (!(await controlApi.plans.find(tenantId))) {
    await controlApi.plans.ensure(tenantId, "trials", controlApi.nowMs());
    await controlApi.plans.set(tenantId, { plan: "trial" });
  }
  // The address is not stored, only an HMAC of it, for an hour.
  const source = {
    kind: "trial" as const,
    address: await tag(controlApi.secret, "trial-address", address, tagLength),
    ticket,
    most: limits.trialsOfAddress,
  };
  const options = { ...newSandbox.parse({ ttlSeconds: limits.trialTtlSeconds }), source };
  return makeSandboxOfTemplate(controlApi, tenantId, options, template);
}

function requireTrial({ trialDifficulty }: ControlApiServer): number {
  if (trialDifficulty !== undefined) return trialDifficulty;
  throw new ControlError(404, "not_found", "this service has no trials");
}

/**
 * Returns the random part of a challenge, its ticket: the directory creates one sandbox for each. Throws 400 if the challenge is invalid,
 * was made for another address, or has expired.
 */
async function verifiedTicket(controlApi: ControlApiServer, challenge: string, address: string): Promise<string> {
  const [end = "", random = "", mac = "", ...more] = challenge.split("_");
  const isOurs = await isTag(controlApi.secret, "trial", `${end}_${random}:${address}`, mac, tagLength);
  if (more.length > 0 || !isOurs)
    throw invalidField("challenge", "is not a challenge that this service gave to your address");
  if (Number.parseInt(end, 36) * 1000 <= controlApi.nowMs())
    throw invalidField("challenge", "has expired: get another");
  return random;
}

function tagOf({ secret }: ControlApiServer, body: string, address: string): Promise<string> {
  return tag(secret, "trial", `${body}:${address}`, tagLength);
}

/** Counts the zero bits at the start. `clz32` counts 24 more than a byte has. */
function zeroBits(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.length * 8 : first * 8 + Math.clz32(bytes[first] ?? 0) - 24;
}
