// A learning management system for tests, with real keys: it signs launches as Canvas and Moodle do, and serves a tool's requests.
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from "jose";

const spec = "https://purl.imsglobal.org/spec";
const vocabulary = "http://purl.imsglobal.org/vocab/lis/v2";
export const rolesOf = {
  teacher: [`${vocabulary}/institution/person#Instructor`, `${vocabulary}/membership#Instructor`],
  learner: [`${vocabulary}/institution/person#Student`, `${vocabulary}/membership#Learner`],
};

export type Family = "canvas" | "moodle";
export type Payload = Record<string, unknown>;

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

interface Key {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
}

export async function newKey(kid: string): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } };
}

let counted = 0;
const firstKey = newKey("first");

export interface SimulatedPlatform {
  readonly family: Family;
  readonly host: string;
  /** As the control API registers it. */
  readonly registration: { readonly issuer: string; readonly clientId: string } & Readonly<Record<string, unknown>>;
  readonly requests: Asked[];
  /** In place of an answer of its own, by the beginning of the path. */
  readonly instead: Map<string, () => Response | Promise<Response>>;
  /** Those that it lists; the newest signs. */
  readonly keys: Key[];
  readonly members: object[];
  /** Returns the tool's public keys, with which the platform verifies the tool's signatures. */
  toolKeys: () => Promise<{ keys: JWK[] }>;
  /** Returns an id token for a request to the platform's authorization address. */
  idToken(authorization: URL, more?: Payload, options?: SignOptions): Promise<string>;
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Returns the requests that the platform received below a path. */
  askedOf(path: string): Asked[];
}

export interface SignOptions {
  readonly teaches?: boolean;
  readonly deepLinking?: boolean;
  readonly user?: string;
  readonly lesson?: string;
  readonly key?: Key;
}

export async function newPlatform(family: Family, nowMs: () => number): Promise<SimulatedPlatform> {
  counted += 1;
  const host = `${family}-${counted}.example.edu`;
  const base = `https://${host}`;
  const keys = [await firstKey];
  const requests: Asked[] = [];
  const instead: SimulatedPlatform["instead"] = new Map();
  const members: object[] = [];
  const registration = {
    name: family,
    // Canvas' issuer is one for all of its customers, Moodle's is the site.
    issuer: family === "canvas" ? "https://canvas.instructure.com" : base,
    clientId: family === "canvas" ? "10000000000042" : "Ab3dEf6hIj9k",
    authorizationUrl: family === "canvas" ? `${base}/api/lti/authorize_redirect` : `${base}/mod/lti/auth.php`,
    tokenUrl: family === "canvas" ? `${base}/login/oauth2/token` : `${base}/mod/lti/token.php`,
    jwksUrl: family === "canvas" ? `${base}/api/lti/security/jwks` : `${base}/mod/lti/certs.php`,
    deployments: [family === "canvas" ? "77:8865aa05b4b79b64a91a86042e43af5ea8ae79eb" : "2"],
  };
  const platform: SimulatedPlatform = {
    family,
    host,
    registration,
    requests,
    instead,
    keys,
    members,
    toolKeys: () => Promise.reject(new Error("the tool's keys are not known")),
    idToken: async (authorization, more = {}, options = {}) => {
      const key = options.key ?? keys.at(-1);
      if (!key) throw new Error("the platform has no key");
      const claims = { ...claimsOf(platform, authorization, options, nowMs()), ...more };
      return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "JWT" }).sign(key.privateKey);
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      const body = await request.text();
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const replacement = [...instead].find(([path]) => pathname.startsWith(path))?.[1];
      return replacement ? replacement() : answerOf(platform, request.method, pathname, body, nowMs());
    },
    askedOf: (path) => requests.filter(({ url }) => new URL(url).pathname.startsWith(path)),
  };
  return platform;
}

function claimsOf(
  { family, host, registration }: SimulatedPlatform,
  authorization: URL,
  { teaches = false, deepLinking = false, user, lesson = "first" }: SignOptions,
  nowMs: number,
): Payload {
  const seconds = Math.floor(nowMs / 1000);
  const launchUrl = authorization.searchParams.get("redirect_uri") ?? "";
  const userId = user ?? (family === "canvas" ? "535fa085-f22b-4655-8f48-5a36a9215f64" : "17");
  return {
    iss: registration.issuer,
    aud: registration.clientId,
    azp: registration.clientId,
    sub: userId,
    exp: seconds + 3600,
    iat: seconds,
    nonce: authorization.searchParams.get("nonce"),
    name: `Ann Of ${userId}`,
    given_name: "Ann",
    family_name: `Of ${userId}`,
    [`${spec}/lti/claim/message_type`]: deepLinking ? "LtiDeepLinkingRequest" : "LtiResourceLinkRequest",
    [`${spec}/lti/claim/version`]: "1.3.0",
    [`${spec}/lti/claim/deployment_id`]: (registration["deployments"] as string[])[0],
    [`${spec}/lti/claim/target_link_uri`]: launchUrl,
    [`${spec}/lti/claim/roles`]: teaches ? rolesOf.teacher : rolesOf.learner,
    [`${spec}/lti/claim/context`]: { id: "course", label: "K8S-1", title: "Kubernetes", type: ["CourseSection"] },
    ...(family === "canvas"
      ? canvasClaims(host, userId, deepLinking, lesson)
      : moodleClaims(host, userId, deepLinking, lesson)),
  };
}

/** Returns claims in Canvas' documented form: unresolved variables stay, and many fields are null. */
function canvasClaims(host: string, userId: string, deepLinking: boolean, lesson: string): Payload {
  const base = `https://${host}/api/lti`;
  const common = {
    "https://www.instructure.com/placement": deepLinking ? "assignment_selection" : "assignment_view",
    errors: { errors: {} },
    locale: "en",
    picture: null,
    lti11_legacy_user_id: userId,
    [`${spec}/lti/claim/lti1p1`]: { user_id: userId },
    [`${spec}/lti/claim/tool_platform`]: {
      guid: "GUID:canvas-lms",
      name: "Example College",
      version: "cloud",
      product_family_code: "canvas",
    },
    [`${spec}/lti/claim/launch_presentation`]: {
      document_target: "iframe",
      return_url: `https://college.instructure.com/courses/1/external_content/success/external_tool_redirect`,
      locale: "en",
      height: null,
      width: null,
    },
    [`${spec}/lti/claim/lis`]: { person_sourcedid: "$Person.sourcedId", course_offering_sourcedid: null },
    [`${spec}/lti-nrps/claim/namesroleservice`]: {
      context_memberships_url: `${base}/courses/1/names_and_roles`,
      service_versions: ["2.0"],
    },
    [`${spec}/lti-ags/claim/endpoint`]: {
      scope: [`${spec}/lti-ags/scope/lineitem`, `${spec}/lti-ags/scope/result.readonly`, `${spec}/lti-ags/scope/score`],
      lineitems: `${base}/courses/1/line_items`,
      ...(deepLinking ? {} : { lineitem: `${base}/courses/1/line_items/5` }),
    },
  };
  if (deepLinking) return { ...common, ...settings(`https://${host}/courses/1/deep_linking_response`, undefined) };
  const link = {
    id: "a3fa3c5d-link",
    description: null,
    title: "First",
    validation_context: null,
    errors: { errors: {} },
  };
  return {
    ...common,
    [`${spec}/lti/claim/resource_link`]: link,
    [`${spec}/lti/claim/custom`]: { lesson, other: null },
  };
}

/** As Moodle signs them: its addresses have queries, and its people are numbers. */
function moodleClaims(host: string, userId: string, deepLinking: boolean, lesson: string): Payload {
  const base = `https://${host}/mod/lti`;
  const common = {
    [`${spec}/lti/claim/lis`]: { person_sourcedid: "", course_section_sourcedid: "" },
    [`${spec}/lti/claim/ext`]: { user_username: "ann", lms: "moodle-2" },
    [`${spec}/lti/claim/lti1p1`]: { oauth_consumer_key: "", user_id: userId },
    [`${spec}/lti/claim/launch_presentation`]: {
      locale: "en",
      document_target: "iframe",
      return_url: `${base}/return.php?course=3&launch_container=3&instanceid=4&sesskey=x`,
    },
    [`${spec}/lti/claim/tool_platform`]: {
      product_family_code: "moodle",
      version: "2025100600",
      guid: host,
      name: "Moodle",
      description: "A Moodle",
    },
    [`${spec}/lti-ags/claim/endpoint`]: {
      scope: [`${spec}/lti-ags/scope/lineitem`, `${spec}/lti-ags/scope/result.readonly`, `${spec}/lti-ags/scope/score`],
      lineitems: `${base}/services.php/3/lineitems?type_id=2`,
      ...(deepLinking ? {} : { lineitem: `${base}/services.php/3/lineitems/9/lineitem?type_id=2` }),
    },
    [`${spec}/lti-nrps/claim/namesroleservice`]: {
      context_memberships_url: `${base}/services.php/CourseSection/3/bindings/2/memberships`,
      service_versions: ["1.0", "2.0"],
    },
  };
  if (deepLinking)
    return { ...common, ...settings(`${base}/contentitem_return.php?course=3&id=2&sesskey=x`, "moodle's own") };
  return {
    ...common,
    [`${spec}/lti/claim/resource_link`]: { title: "First", description: "", id: "4" },
    [`${spec}/lti/claim/custom`]: { lesson },
  };
}

function settings(returnUrl: string, data: string | undefined): Payload {
  return {
    [`${spec}/lti-dl/claim/deep_linking_settings`]: {
      deep_link_return_url: returnUrl,
      accept_types: ["ltiResourceLink"],
      accept_presentation_document_targets: ["frame", "iframe", "window"],
      accept_copy_advice: false,
      accept_multiple: true,
      accept_lineitem: true,
      auto_create: false,
      ...(data === undefined ? {} : { data }),
    },
  };
}

async function answerOf(platform: SimulatedPlatform, method: string, path: string, body: string, nowMs: number) {
  const { registration, keys, members, host } = platform;
  if (path === new URL(String(registration["jwksUrl"])).pathname)
    return Response.json({ keys: keys.map(({ publicJwk }) => publicJwk) });
  if (path === new URL(String(registration["tokenUrl"])).pathname) return tokenFor(platform, body, nowMs);
  if (/memberships$|names_and_roles$/.test(path)) return Response.json({ id: `https://${host}${path}`, members });
  if (path.endsWith("/scores")) return Response.json({ resultUrl: `https://${host}/results/1` });
  if (/line_?items$/.test(path)) {
    if (method === "GET") return Response.json([]);
    return Response.json({ ...(JSON.parse(body) as object), id: `https://${host}/made/12` }, { status: 201 });
  }
  return Response.json({ error: "not found" }, { status: 404 });
}

/** By a JWT that the tool has signed, as OAuth 2.0 has it; anything else is refused. */
async function tokenFor({ registration, toolKeys }: SimulatedPlatform, body: string, nowMs: number): Promise<Response> {
  const form = new URLSearchParams(body);
  const { clientId, tokenUrl } = registration;
  const options = {
    algorithms: ["RS256"],
    issuer: clientId,
    subject: clientId,
    audience: String(tokenUrl),
    requiredClaims: ["exp", "iat", "jti"],
    currentDate: new Date(nowMs),
  };
  try {
    await jwtVerify(form.get("client_assertion") ?? "", createLocalJWKSet(await toolKeys()), options);
  } catch (error) {
    return Response.json({ error: "invalid_client", error_description: String(error) }, { status: 401 });
  }
  if (form.get("grant_type") !== "client_credentials") return Response.json({ error: "unsupported" }, { status: 400 });
  return Response.json({ access_token: `granted ${form.get("scope")}`, token_type: "Bearer", expires_in: 3600 });
}
