// The caller's identity and sign-in: `/v1/me`, `/v1/sign-in`, `/v1/join`, passkeys and sessions.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { role } from "./hosted/scope-schema.ts";
import { title } from "./title.ts";
import { nextCursor } from "./hosted/list.ts";

const named = z.object({ id: z.string(), name: z.string() });

/** Response of `GET` and `PATCH /v1/me`, and of sign-ins. */
export const me = z.object({
  /** The tenant of the request. Absent if the person belongs to no organization. */
  tenant: named.optional(),
  scopes: z.array(z.string()),
  /** The API key of the caller. */
  key: z.object({ id: z.string(), name: z.string(), expiresAt: z.iso.datetime().optional() }).optional(),
  /** The signed-in person of the caller. */
  person: named.extend({ github: z.string().optional() }).optional(),
  /** The person's role in `tenant`. */
  role: role.optional(),
  /** The organizations of the person. */
  memberships: z.array(z.object({ tenant: named, role })).optional(),
});

export type Me = z.infer<typeof me>;

/** Body of `PATCH /v1/me`. */
export const patchMe = z.strictObject({
  name: title.optional(),
  /** The organization to which this session switches. */
  tenant: z.string().max(limits.idCharacters).optional(),
});

export type PatchMe = z.input<typeof patchMe>;

/** Response of `GET /v1/sign-in`: the available methods in addition to keys. */
export const signInWays = z.object({
  github: z.boolean(),
  /** True if a person without an invitation can sign up, which creates an organization. */
  signUp: z.boolean(),
  /** True if trials without a key are available. */
  trial: z.boolean(),
  /** True if the request's key or session is valid. A page requests this first, so that an invalid one causes no error. */
  signedIn: z.boolean(),
});

export type SignInWays = z.infer<typeof signInWays>;

/** Body of `POST /v1/sign-in/link`. */
export const linkSignIn = z.strictObject({
  /** The secret of the link that a local service printed. */
  link: z.string().max(limits.idCharacters),
});

/** Response of `POST /v1/sign-in/link`: the key to sign in with. */
export const linkSignedIn = z.object({ key: z.string() });

export type LinkSignedIn = z.infer<typeof linkSignedIn>;

/** Query of `GET /v1/sign-in/github`. */
export const githubQuery = z.strictObject({
  invitation: z.string().max(limits.idCharacters).optional().describe("The code of an invitation to take."),
});

/** Query of GitHub's redirect. */
export const githubCallback = z.object({
  code: z.string().max(limits.oauthCharacters).optional(),
  state: z.string().max(limits.oauthCharacters).optional(),
  error: z.string().max(limits.oauthCharacters).optional(),
});

/** The options of `navigator.credentials` in their JSON form. */
export const passkeyOptions = z.looseObject({ challenge: z.string() });

const text = z.string().max(limits.passkeyCharacters);

/** A new passkey of a browser in its JSON form. */
export const newPasskey = z.object({
  id: text,
  rawId: text,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(limits.idCharacters)).max(10).optional(),
  }),
  clientExtensionResults: z.looseObject({}).default({}),
});

/** A passkey's signature in its JSON form. */
export const passkeySignature = z.object({
  id: text,
  rawId: text,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.optional(),
  }),
  clientExtensionResults: z.looseObject({}).default({}),
});

/** Body of `POST /v1/join/options`, for a new person with an invitation. */
export const joinOptions = z.strictObject({ invitation: z.string().max(limits.idCharacters), name: title });

/** Body of `POST /v1/join`. */
export const join = z.strictObject({
  invitation: z.string().max(limits.idCharacters),
  name: title,
  passkey: newPasskey,
});

/** Body of `POST /v1/me/memberships`, for a signed-in person with an invitation. */
export const takeInvitation = z.strictObject({ invitation: z.string().max(limits.idCharacters) });

/** Body of `POST /v1/tenants`. */
export const createTenant = z.strictObject({ name: title });

/** Body of `POST /v1/me/passkeys`. */
export const addPasskey = z.strictObject({ name: title.default("passkey"), passkey: newPasskey });

/** Body of `POST /v1/sign-in/passkey`. */
export const passkeySignIn = z.strictObject({ passkey: passkeySignature });

export const passkey = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
});

export type Passkey = z.infer<typeof passkey>;

/** Response of `GET /v1/me/passkeys`. */
export const passkeyList = z.object({ passkeys: z.array(passkey), nextCursor });

export type PasskeyList = z.infer<typeof passkeyList>;

export const session = z.object({
  /** The id for `DELETE /v1/me/sessions/{session}`. */
  id: z.string(),
  /** True for the session of the request. */
  current: z.boolean(),
  /** The browser's name from its user agent. */
  browser: z.string(),
  /** The network of the sign-in: see the audit log. */
  address: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The last use, rounded to the hour. */
  lastUsedAt: z.iso.datetime(),
});

/** Response of `GET /v1/me/sessions`. */
export const sessionList = z.object({ sessions: z.array(session), nextCursor });

export type SessionList = z.infer<typeof sessionList>;
