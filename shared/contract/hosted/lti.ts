// The control API's LTI: `/v1/lti`, the platforms (learning management systems) that launch a tenant's lessons.
import * as z from "zod";
import { ltiLimits } from "../../base/lti-limits.ts";
import { nextCursor } from "./list.ts";

const id = z.string().min(1).max(ltiLimits.idCharacters);
const url = z
  .string()
  .max(ltiLimits.urlCharacters)
  .regex(/^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/, "must be an address");
const deployments = z.array(id).max(ltiLimits.deployments);
const name = z.string().min(1).max(ltiLimits.nameCharacters);

/** Body of `POST /v1/lti/platforms`: the configuration of the platform, and of the tool's registration there. */
export const newLtiPlatform = z.strictObject({
  /** The name for people. */
  name,
  /** The issuer: `https://canvas.instructure.com`, `https://moodle.example.edu`. */
  issuer: url,
  clientId: id,
  /** The URL at which the platform authenticates the user. */
  authorizationUrl: url,
  /** The URL of access tokens. */
  tokenUrl: url,
  /** The URL of the platform's keys. */
  jwksUrl: url,
  /** The audience of token requests, if it is not `tokenUrl`. */
  audience: z.string().max(ltiLimits.urlCharacters).default(""),
  /** The ids of the deployments that can launch. */
  deployments: deployments.default([]),
});

export type NewLtiPlatform = z.output<typeof newLtiPlatform>;

/** Body of `PATCH /v1/lti/platforms/{platform}`. */
export const patchLtiPlatform = z.strictObject({ name: name.optional(), deployments: deployments.optional() });

export const ltiPlatform = z.object({
  id: z.string(),
  name: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  authorizationUrl: z.string(),
  tokenUrl: z.string(),
  jwksUrl: z.string(),
  audience: z.string(),
  deployments: z.array(z.string()),
  createdAt: z.iso.datetime(),
});

export type LtiPlatform = z.infer<typeof ltiPlatform>;

/** Response of `GET /v1/lti/platforms`, the oldest first. */
export const ltiPlatformList = z.object({ platforms: z.array(ltiPlatform), nextCursor });

/** Response of `GET /v1/lti/tool`: the values that a platform's administrator enters. The URLs are the tenant's own. */
export const ltiTool = z.object({
  loginUrl: z.string(),
  /** The URL of all messages including deep linking, which is also the redirect URL. */
  launchUrl: z.string(),
  jwksUrl: z.string(),
  /** The configuration as a file for a Canvas developer key. */
  canvasConfigurationUrl: z.string(),
  scopes: z.array(z.string()),
});

export type LtiTool = z.infer<typeof ltiTool>;

/** Response of `POST /v1/lti/registrations`: a link that registers one platform, for its administrator. */
export const ltiRegistration = z.object({ url: z.string(), expiresAt: z.iso.datetime() });

export type LtiRegistration = z.infer<typeof ltiRegistration>;
