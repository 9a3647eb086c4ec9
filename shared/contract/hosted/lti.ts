// The control API's LTI: `/v1/lti`, the platforms (learning management systems) from which a tenant's lessons are launched.
import { z } from "zod";
import { ltiLimits } from "../../base/lti-limits.ts";

const id = z.string().min(1).max(ltiLimits.idCharacters);
const url = z
  .string()
  .max(ltiLimits.urlCharacters)
  .regex(/^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/, "must be an address");
const deployments = z.array(id).max(ltiLimits.deployments);
const name = z.string().min(1).max(ltiLimits.nameCharacters);

/** Body of `POST /v1/lti/platforms`: what the platform says of itself, and of the tool's registration there. */
export const newLtiPlatform = z.strictObject({
  /** For people. */
  name,
  /** `https://canvas.instructure.com`, `https://moodle.example.edu`. */
  issuer: url,
  clientId: id,
  /** Where browsers are sent to be told who somebody is. */
  authorizationUrl: url,
  /** Where access tokens are given. */
  tokenUrl: url,
  /** The platform's keys. */
  jwksUrl: url,
  /** Who requests for access tokens are for, where that is not `tokenUrl`. */
  audience: z.string().max(ltiLimits.urlCharacters).default(""),
  /** Ids of the deployments that may launch. */
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

/** Answer of `GET /v1/lti/platforms`: the oldest first. */
export const ltiPlatformList = z.object({ platforms: z.array(ltiPlatform) });

/** Answer of `GET /v1/lti/tool`: what a platform's administrator enters. The addresses are the tenant's own. */
export const ltiTool = z.object({
  loginUrl: z.string(),
  /** Of all messages, those for deep linking among them; also the redirect address. */
  launchUrl: z.string(),
  jwksUrl: z.string(),
  /** The same as a file that Canvas takes as a developer key's configuration. */
  canvasConfigurationUrl: z.string(),
  scopes: z.array(z.string()),
});

export type LtiTool = z.infer<typeof ltiTool>;

/** Answer of `POST /v1/lti/registrations`: a link that registers one platform, for who administers it. */
export const ltiRegistration = z.object({ url: z.string(), expiresAt: z.iso.datetime() });

export type LtiRegistration = z.infer<typeof ltiRegistration>;
