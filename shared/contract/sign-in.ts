// Who asks, and how people sign in: `/v1/me`, `/v1/sign-in`, `/v1/join`, passkeys and sessions.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { role } from "./hosted/scope-schema.ts";
import { title } from "./title.ts";

const named = z.object({ id: z.string(), name: z.string() });

/** Answer of `GET` and `PATCH /v1/me`, and of what signs in. */
export const me = z.object({
  /** Whose sandboxes are asked about; absent: the person belongs to no organisation. */
  tenant: named.optional(),
  scopes: z.array(z.string()),
  /** Where a key asks. */
  key: z.object({ id: z.string(), name: z.string(), expiresAt: z.iso.datetime().optional() }).optional(),
  /** Where a person asks, who has signed in. */
  person: named.extend({ github: z.string().optional() }).optional(),
  /** The person's, in `tenant`. */
  role: role.optional(),
  /** All organisations that the person belongs to. */
  memberships: z.array(z.object({ tenant: named, role })).optional(),
});

export type Me = z.infer<typeof me>;

/** Body of `PATCH /v1/me`. */
export const patchMe = z.strictObject({
  name: title.optional(),
  /** The organisation that this session is about from now on. */
  tenant: z.string().max(limits.idCharacters).optional(),
});

export type PatchMe = z.input<typeof patchMe>;

/** Answer of `GET /v1/sign-in`: the ways there are beside a key. */
export const signInWays = z.object({
  github: z.boolean(),
  /** Whether whoever has no invitation may come too, and gets an organisation. */
  signUp: z.boolean(),
  /** Whether who has no key is given a small sandbox for some work. */
  trial: z.boolean(),
  /** Whether the key or the session that this request came with is taken: a page asks here first, where a no is no error. */
  signedIn: z.boolean(),
});

export type SignInWays = z.infer<typeof signInWays>;

/** Body of `POST /v1/sign-in/link`. */
export const linkSignIn = z.strictObject({
  /** What stands in the link that a local service printed. */
  link: z.string().max(limits.idCharacters),
});

/** Its answer: the key to sign in with. */
export const linkSignedIn = z.object({ key: z.string() });

export type LinkSignedIn = z.infer<typeof linkSignedIn>;

/** Query of `GET /v1/sign-in/github`. */
export const githubQuery = z.strictObject({
  invitation: z.string().max(limits.idCharacters).optional().describe("The code of an invitation to take."),
});

/** Query with which GitHub sends the browser back. */
export const githubCallback = z.object({
  code: z.string().max(limits.oauthCharacters).optional(),
  state: z.string().max(limits.oauthCharacters).optional(),
  error: z.string().max(limits.oauthCharacters).optional(),
});

/** What `navigator.credentials` wants, in its JSON form. */
export const passkeyOptions = z.looseObject({ challenge: z.string() });

const text = z.string().max(limits.passkeyCharacters);

/** A new passkey as a browser has made it, in its JSON form. */
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

/** What a passkey has signed, in its JSON form. */
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

/** Body of `POST /v1/join/options`: a new person comes by an invitation. */
export const joinOptions = z.strictObject({ invitation: z.string().max(limits.idCharacters), name: title });

/** Body of `POST /v1/join`. */
export const join = z.strictObject({
  invitation: z.string().max(limits.idCharacters),
  name: title,
  passkey: newPasskey,
});

/** Body of `POST /v1/me/memberships`: who has signed in takes an invitation. */
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

/** Answer of `GET /v1/me/passkeys`. */
export const passkeyList = z.object({ passkeys: z.array(passkey) });

export type PasskeyList = z.infer<typeof passkeyList>;

export const session = z.object({
  /** For `DELETE /v1/me/sessions/{session}`. */
  id: z.string(),
  /** The one that asks. */
  current: z.boolean(),
  /** What the browser said it is. */
  browser: z.string(),
  /** The network that it signed in from: see the audit log. */
  address: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** To the hour. */
  lastUsedAt: z.iso.datetime(),
});

/** Answer of `GET /v1/me/sessions`. */
export const sessionList = z.object({ sessions: z.array(session) });

export type SessionList = z.infer<typeof sessionList>;
