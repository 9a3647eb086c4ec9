// Verifies the id token of a launch by OpenID Connect and LTI 1.3, and returns its claims.
import { errors, jwtVerify } from "jose";
import * as z from "zod";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import type { AskPlatform } from "./ask.ts";
import { nameOf } from "./members.ts";
import { claims, messages, scopes, version } from "./names.ts";
import type { PlatformKeys } from "./platform-keys.ts";
import { isLearner, isTeacher } from "./roles.ts";

/** The registered configuration of a platform. */
export interface PlatformFacts {
  readonly issuer: string;
  readonly clientId: string;
  readonly jwksUrl: string;
  readonly deployments: readonly string[];
}

export interface Launch {
  readonly messageType: (typeof messages)["resourceLink" | "deepLinking"];
  /** The platform's id of the person, or empty. */
  readonly userId: string;
  /** The name, or empty if the platform does not send it. */
  readonly name: string;
  readonly isTeacher: boolean;
  readonly isLearner: boolean;
  readonly deploymentId: string;
  readonly targetLinkUri: string;
  /** The resource link; empty in deep linking. */
  readonly resourceLinkId: string;
  readonly contextId: string;
  readonly contextTitle: string;
  /** The lesson in the link's custom parameter `lesson`, or empty. */
  readonly lesson: string;
  /** The line item of the link's scores, and the URL at which one can be created; empty if there is none. */
  readonly lineItem: string;
  readonly lineItems: string;
  /** The URL of the course's members; empty if there is none. */
  readonly membersUrl: string;
  /** The URL to which the browser can return; empty if there is none. */
  readonly returnUrl: string;
  readonly isCanvas: boolean;
  readonly deepLinking: DeepLinking | undefined;
}

export interface DeepLinking {
  readonly returnUrl: string;
  /** The opaque data to return unchanged, if there is any. */
  readonly data: string | undefined;
  readonly acceptsLinks: boolean;
  readonly acceptsLineItem: boolean;
}

/** Treats a missing or invalid claim as undefined. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(undefined);
}

const id = z.string().min(1).max(ltiLimits.idCharacters);
const url = z.string().max(ltiLimits.urlCharacters);
const text = optional(z.string());

const payload = z.object({
  sub: optional(id),
  aud: z.union([id, z.array(id).min(1).max(10)]),
  azp: optional(id),
  nonce: z.string().min(1).max(ltiLimits.idCharacters),
  iat: z.number(),
  name: text,
  given_name: text,
  family_name: text,
  email: text,
  [claims.version]: z.literal(version),
  [claims.messageType]: z.enum([messages.resourceLink, messages.deepLinking]),
  [claims.deploymentId]: id,
  [claims.targetLinkUri]: optional(url),
  [claims.resourceLink]: optional(z.object({ id, title: text })),
  [claims.roles]: optional(z.array(z.string().max(ltiLimits.roleCharacters)).max(ltiLimits.roles)),
  [claims.context]: optional(z.object({ id, title: text, label: text })),
  [claims.custom]: optional(z.object({ lesson: optional(id) })),
  [claims.toolPlatform]: optional(z.object({ product_family_code: text })),
  [claims.launchPresentation]: optional(z.object({ return_url: optional(url) })),
  [claims.grades]: optional(
    z.object({ scope: z.array(z.string()).max(20), lineitem: optional(url), lineitems: optional(url) }),
  ),
  [claims.members]: optional(z.object({ context_memberships_url: url })),
  [claims.deepLinkingSettings]: optional(
    z.object({
      deep_link_return_url: url,
      accept_types: z.array(z.string()).max(20),
      accept_lineitem: optional(z.boolean()),
      data: optional(z.string().max(ltiLimits.dataCharacters)),
    }),
  ),
});

type Payload = z.output<typeof payload>;

/** The reason why a launch is refused, as a sentence for the page. */
export class LaunchRefused extends Error {}

export interface Verifying {
  readonly ask: AskPlatform;
  readonly keys: PlatformKeys;
  /** The nonce of the login. */
  readonly nonce: string;
  readonly nowMs: number;
}

/** Rejects with `LaunchRefused`. The caller checks that the nonce is unused. */
export async function verifiedLaunch(token: string, platform: PlatformFacts, verifying: Verifying): Promise<Launch> {
  const { ask, keys, nonce, nowMs } = verifying;
  const { issuer, clientId, jwksUrl, deployments } = platform;
  const options = {
    algorithms: ["RS256"],
    issuer,
    audience: clientId,
    requiredClaims: ["exp", "iat"],
    clockTolerance: ltiLimits.clockSeconds,
    maxTokenAge: ltiLimits.tokenSeconds,
    currentDate: new Date(nowMs),
  };
  const verified = await keys
    .use(ask, jwksUrl, nowMs, (set) => jwtVerify(token, set, options))
    .catch((error: unknown) => {
      throw new LaunchRefused(sentenceOf(error));
    });
  const read = payload.safeParse(verified.payload);
  if (!read.success) {
    throw new LaunchRefused(
      `The platform's launch is not as LTI 1.3 has it: ${read.error.issues[0]?.path.join(".") ?? ""}.`,
    );
  }
  const { aud, azp } = read.data;
  // OpenID Connect: with several audiences, `azp` must name the client.
  if ((Array.isArray(aud) && aud.length > 1 && !azp) || (azp && azp !== clientId)) {
    throw new LaunchRefused("The launch is for another tool: its azp is not this one's client id.");
  }
  if (read.data.nonce !== nonce)
    throw new LaunchRefused("The launch does not belong to the login that this page began.");
  const deployment = read.data[claims.deploymentId];
  if (!deployments.includes(deployment)) {
    throw new LaunchRefused(
      `The deployment ${JSON.stringify(deployment)} is not known here: an owner adds it to the platform.`,
    );
  }
  return launchOf(read.data, issuer);
}

function launchOf(all: Payload, issuer: string): Launch {
  const messageType = all[claims.messageType];
  const resourceLinkId = all[claims.resourceLink]?.id ?? "";
  const settings = all[claims.deepLinkingSettings];
  if (messageType === messages.resourceLink && resourceLinkId === "") {
    throw new LaunchRefused("The launch names no resource link.");
  }
  if (messageType === messages.deepLinking && !settings) {
    throw new LaunchRefused("The request for deep linking has no settings.");
  }
  const grades = all[claims.grades];
  const mayGrade = grades?.scope.includes(scopes.score) ?? false;
  const mayMake = mayGrade && (grades?.scope.includes(scopes.lineItem) ?? false);
  const roles = all[claims.roles] ?? [];
  const context = all[claims.context];
  const family = all[claims.toolPlatform]?.product_family_code ?? "";
  return {
    messageType,
    userId: all.sub ?? "",
    name: nameOf(all).slice(0, ltiLimits.nameCharacters),
    isTeacher: isTeacher(roles),
    isLearner: isLearner(roles),
    deploymentId: all[claims.deploymentId],
    targetLinkUri: all[claims.targetLinkUri] ?? "",
    resourceLinkId,
    contextId: context?.id ?? "",
    contextTitle: (context?.title ?? context?.label ?? "").slice(0, ltiLimits.nameCharacters),
    lesson: all[claims.custom]?.lesson ?? "",
    lineItem: mayGrade ? (grades?.lineitem ?? "") : "",
    lineItems: mayMake ? (grades?.lineitems ?? "") : "",
    membersUrl: all[claims.members]?.context_memberships_url ?? "",
    returnUrl: all[claims.launchPresentation]?.return_url ?? "",
    isCanvas: family === "canvas" || issuer === "https://canvas.instructure.com",
    deepLinking: settings
      ? {
          returnUrl: settings.deep_link_return_url,
          data: settings.data ?? undefined,
          acceptsLinks: settings.accept_types.includes("ltiResourceLink"),
          acceptsLineItem: settings.accept_lineitem ?? true,
        }
      : undefined,
  };
}

/** Converts an error of `jose` to a sentence. */
function sentenceOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "The launch has expired: open the lesson again from your course.";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The launch is not for this tool, or not of now: its ${error.claim} is not as it should be.`;
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return "The launch is signed with a key that the platform does not list.";
  if (error instanceof errors.JOSEAlgNotAllowed) return "The launch is not signed with RS256.";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "The launch's signature is not the platform's.";
  if (error instanceof errors.JOSEError) return "The launch is not a token that can be read.";
  return error instanceof Error
    ? `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
    : "The launch cannot be read.";
}
