// Builds the OpenAPI 3.1 document of the control API from its routes and the schemas of the contract.
import * as z from "zod";
import {
  operatedSandboxList,
  operatedTenant,
  operatedTenantList,
  patchOperatedTenant,
  operatorsAuditList,
  sandboxHealth,
} from "../../../shared/contract/hosted/admin.ts";
import { createEmbedSession, embedSession, oembed } from "../../../shared/contract/hosted/embed.ts";
import {
  createPublishableKey,
  publishableKey,
  publishableKeyList,
} from "../../../shared/contract/hosted/publishable-key.ts";
import {
  ltiPlatform,
  ltiPlatformList,
  ltiRegistration,
  ltiTool,
  newLtiPlatform,
  patchLtiPlatform,
} from "../../../shared/contract/hosted/lti.ts";
import { putSso, shownSso } from "../../../shared/contract/hosted/identity.ts";
import {
  isScimPath,
  scimError,
  scimGroup,
  scimGroupInput,
  scimGroupList,
  scimPatch,
  scimType,
  scimUser,
  scimUserInput,
  scimUserList,
} from "../../../shared/contract/hosted/scim.ts";
import { currentApiVersion } from "../../../shared/contract/hosted/api-version.ts";
import { errorBody, type ErrorCode, errorCodes, problemType } from "../../../shared/contract/error.ts";
import { auditEntry, auditList } from "../../../shared/contract/control-audit.ts";
import { createKey, key, keyList, keyWithSecret } from "../../../shared/contract/key.ts";
import {
  createSandbox,
  resetOptions,
  rotateOptions,
  sandbox,
  sandboxList,
  sandboxWithToken,
  shownSandbox,
} from "../../../shared/contract/sandbox.ts";
import { scopeTable } from "../../../shared/contract/scope.ts";
import { me, passkey, passkeyList, sessionList, signInWays } from "../../../shared/contract/sign-in.ts";
import {
  createLesson,
  createRun,
  lessonInfo,
  lessonList,
  lessonWithDocument,
  ownAccess,
  resultList,
  run,
  runWithTokens,
} from "../../../shared/contract/lesson.ts";
import {
  createSnapshot,
  forkSandbox,
  restored,
  restoreSandbox,
  snapshot,
  snapshotList,
  stateDiff,
  undone,
  undoSandbox,
} from "../../../shared/contract/snapshot.ts";
import {
  createInvitation,
  invitation,
  invitationList,
  invitationWithLink,
  member,
  memberList,
  patchMember,
  patchTenant,
  tenant,
} from "../../../shared/contract/tenant.ts";
import { createToken, tokenList, userToken, viewToken } from "../../../shared/contract/token.ts";
import { createTemplate, template, templateList, templateWithParts } from "../../../shared/contract/template.ts";
import { standing } from "../../../shared/contract/hosted/plan.ts";
import { usage } from "../../../shared/contract/hosted/usage.ts";
import {
  deliveryList,
  newWebhook,
  patchWebhook,
  webhook,
  webhookList,
  webhookWithSecret,
} from "../../../shared/contract/hosted/webhook.ts";
import { type Access, type AnswerShape, errorsOf, needsCaller, readerOf, type Route } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

/** Request schemas that are components of the document. */
const requestSchemas: Readonly<Record<string, z.ZodType>> = {
  CreateSandbox: createSandbox,
  CreateToken: createToken,
  RotateToken: rotateOptions,
  ResetSandbox: resetOptions,
  CreateSnapshot: createSnapshot,
  ForkSandbox: forkSandbox,
  RestoreSandbox: restoreSandbox,
  UndoSandbox: undoSandbox,
  CreateTemplate: createTemplate,
  CreateWebhook: newWebhook,
  PatchWebhook: patchWebhook,
  PatchOperatedTenant: patchOperatedTenant,
  CreateKey: createKey,
  CreatePublishableKey: createPublishableKey,
  CreateEmbedSession: createEmbedSession,
  CreateInvitation: createInvitation,
  PatchMember: patchMember,
  PatchTenant: patchTenant,
  CreateLesson: createLesson,
  CreateRun: createRun,
  CreateLtiPlatform: newLtiPlatform,
  PatchLtiPlatform: patchLtiPlatform,
  PutSso: putSso,
  ScimUserInput: scimUserInput,
  ScimGroupInput: scimGroupInput,
  ScimPatch: scimPatch,
};
const responseSchemas: Readonly<Record<string, z.ZodType>> = {
  Sandbox: sandbox,
  SandboxWithToken: sandboxWithToken,
  SandboxList: sandboxList,
  UserToken: userToken,
  ViewToken: viewToken,
  TokenList: tokenList,
  Snapshot: snapshot,
  SnapshotList: snapshotList,
  Restored: restored,
  Undone: undone,
  StateDiff: stateDiff,
  Template: template,
  TemplateWithParts: templateWithParts,
  TemplateList: templateList,
  Usage: usage,
  Webhook: webhook,
  WebhookWithSecret: webhookWithSecret,
  WebhookList: webhookList,
  DeliveryList: deliveryList,
  OperatedTenantList: operatedTenantList,
  OperatedTenant: operatedTenant,
  OperatedSandboxList: operatedSandboxList,
  OperatorsAuditList: operatorsAuditList,
  SandboxHealth: sandboxHealth,
  Limits: standing,
  ShownSandbox: shownSandbox,
  Key: key,
  KeyWithSecret: keyWithSecret,
  KeyList: keyList,
  PublishableKey: publishableKey,
  PublishableKeyList: publishableKeyList,
  EmbedSession: embedSession,
  Oembed: oembed,
  Tenant: tenant,
  Member: member,
  MemberList: memberList,
  Invitation: invitation,
  InvitationWithLink: invitationWithLink,
  InvitationList: invitationList,
  AuditEntry: auditEntry,
  AuditList: auditList,
  Me: me,
  SignInWays: signInWays,
  Passkey: passkey,
  PasskeyList: passkeyList,
  SessionList: sessionList,
  LessonInfo: lessonInfo,
  LessonList: lessonList,
  LessonWithDocument: lessonWithDocument,
  Run: run,
  RunWithTokens: runWithTokens,
  OwnAccess: ownAccess,
  ResultList: resultList,
  LtiPlatform: ltiPlatform,
  LtiPlatformList: ltiPlatformList,
  LtiTool: ltiTool,
  LtiRegistration: ltiRegistration,
  Sso: shownSso,
  ScimUser: scimUser,
  ScimUserList: scimUserList,
  ScimGroup: scimGroup,
  ScimGroupList: scimGroupList,
  ScimError: scimError,
  Error: errorBody,
};

const about = [
  "Makes, lists, changes and deletes sandboxes. Each is a Kubernetes cluster of its own; its Kubernetes API is at its `server`.",
  "Lists are pages: `limit` says how many entries one has at most, and `nextCursor` of an answer is the `cursor` of the next page;",
  "the last page has none. Every error is a problem of RFC 9457, with a `code` for programs and a `message` for people.",
  "Every answer has a `Request-Id`, which the audit log has too, and a `Sandbar-Version`; a request may name the version that it is",
  "written for.",
].join(" ");

export function openApi(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, routes);
  return {
    openapi: "3.1.0",
    info: {
      title: "Sandbar",
      version: currentApiVersion,
      description: about,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: `An API key: \`sbk_...\`. Its scopes:\n\n${scopeLines()}` },
        operator: { type: "http", scheme: "bearer", description: "The key of who runs the service." },
        learner: { type: "http", scheme: "bearer", description: "A learner's token: `sbl_...`, good for one run." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "sandbar-session",
          description:
            "Of a person who has signed in; over https with `__Secure-` before its name. It changes something from the service's own pages alone.",
        },
      },
      schemas: {
        ...Object.fromEntries(Object.entries(requestSchemas).map(([name, schema]) => [name, written(schema, "input")])),
        ...Object.fromEntries(
          Object.entries(responseSchemas).map(([name, schema]) => [name, written(schema, "output")]),
        ),
        ...errorSchemas(),
      },
    },
  };
}

/** The authentication schemes that each kind of access accepts. */
const securityOf: Readonly<Record<Access["kind"], readonly Json[]>> = {
  public: [],
  "own-page": [],
  operator: [{ operator: [] }],
  learner: [{ learner: [] }],
  caller: [{ key: [] }, { session: [] }],
  person: [{ session: [] }],
  scope: [{ key: [] }, { session: [] }],
};

function operation(route: Route, routes: readonly Route[]): Json {
  const hasPrecondition = readerOf(route, routes) !== undefined;
  const { id, summary, access, body, fileBody, textBody } = route;
  return {
    operationId: id,
    tags: [tagOf(route)],
    summary,
    security: securityOf[access.kind],
    ...(access.kind === "scope" ? { "x-scope": access.scope } : {}),
    parameters: [
      ...parametersOf(route),
      ...(route.version ? [ifNoneMatch] : []),
      ...(hasPrecondition ? [ifMatch] : []),
    ],
    ...(body
      ? {
          requestBody: {
            required: false,
            content: { ...content(body, "input", mediaTypeOf(route)), ...file(fileBody), ...textsOf(textBody) },
          },
        }
      : {}),
    responses: {
      ...responseOf(route),
      ...failuresOf(errorsOf(route, routes), isScimPath(route.path)),
    },
  };
}

function parametersOf(route: Route): Json[] {
  const { path, query, method } = route;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const shape: ObjectSchema = query ? written(query, "input") : {};
  const { properties = {}, required = [] } = shape;
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema;
    const isRequired = required.includes(name);
    return { name, in: "query", required: isRequired, ...(description ? { description } : {}), schema: rest };
  });
  return [...named, ...parameters, ...(method === "POST" && needsCaller(route) ? [repeatable] : [])];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

const repeatable = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "For a day the same request with the same key gets the same answer again, and nothing is done twice.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The ETag of the resource as the client knows it. If the resource was changed since, nothing is done, and the answer is 412.",
  schema: { type: "string" },
};

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of the answer that the client has. If it is still the same, the answer is 304 without a body.",
  schema: { type: "string" },
};

const etag = {
  etag: { description: "The version of the resource, for `If-Match` and `If-None-Match`.", schema: { type: "string" } },
};

const outcomes = { 200: "The answer.", 201: "Made.", 204: "Done.", 302: "The browser is sent on." } as const;

function scopeLines(): string {
  return Object.entries(scopeTable)
    .map(([name, { role, means }]) => `- \`${name}\`, of ${role === "owner" ? "an" : "a"} ${role} and up: ${means}`)
    .join("\n");
}

/** Returns the media type of the route's JSON. */
function mediaTypeOf({ path }: Pick<Route, "path">): string {
  return isScimPath(path) ? scimType : "application/json";
}

function responseOf(route: Route): Json {
  const { status, json, texts = [], file: type }: AnswerShape = route.answer;
  const hasTag = route.version !== undefined;
  const all: Json = { ...(json ? content(json, "output", mediaTypeOf(route)) : {}), ...textsOf(texts), ...file(type) };
  const description = outcomes[status];
  const answer = { description, ...(Object.keys(all).length > 0 ? { content: all } : {}) };
  if (!hasTag) return { [status]: answer };
  return { [status]: { ...answer, headers: etag }, 304: { description: "The client has it.", headers: etag } };
}

function textsOf(types: readonly string[] = []): Json {
  return Object.fromEntries(types.map((type) => [type.split(";")[0] ?? "", { schema: { type: "string" } }]));
}

/** Returns the error responses by status, each with its possible codes. */
function failuresOf(all: readonly ErrorCode[], isScim: boolean): Json {
  const byStatus = [...Map.groupBy(all, (code) => errorCodes[code].status)].sort(([a], [b]) => a - b);
  return Object.fromEntries(byStatus.map(([status, codes]) => [status, failure(codes, isScim)]));
}

function failure(codes: readonly ErrorCode[], isScim: boolean): Json {
  const references = codes.map((code) => ({ $ref: `#/components/schemas/${errorSchemaName(code)}` }));
  const [only] = references;
  const schema = references.length === 1 ? only : { anyOf: references };
  const description = codes.map((code) => `\`${code}\`: ${errorCodes[code].means}`).join("\n\n");
  if (isScim) return { description, content: { [scimType]: { schema: { $ref: "#/components/schemas/ScimError" } } } };
  return { description, content: { [problemType]: { schema } } };
}

/** Returns a schema for each error code. They are components, so that generated clients have one model for each. */
function errorSchemas(): Json {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return Object.fromEntries(codes.map((code) => [errorSchemaName(code), errorSchemaOf(code)]));
}

/** Generators tell the errors of a status apart by their `type`: some of them lose a `const`, or a refinement below a property. */
function errorSchemaOf(code: ErrorCode): Json {
  const error = { type: "object", properties: { code: { const: code } }, required: ["code"] };
  const type = { type: "string", enum: [`urn:sandbar:error:${code}`] };
  const ofCode = { type: "object", properties: { type, error }, required: ["type", "error"] };
  return { description: errorCodes[code].means, allOf: [{ $ref: "#/components/schemas/Error" }, ofCode] };
}

/** Returns the name of an error's schema: `InvalidFieldError` of `invalid_field`. */
function errorSchemaName(code: ErrorCode): string {
  return `${code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Error`;
}

/** Returns the tag of a route: the first segment of its path after the version. */
function tagOf({ path }: Pick<Route, "path">): string {
  return path.split("/").find((segment) => segment !== "" && segment !== "v1") ?? "";
}

function content(schema: z.ZodType, io: "input" | "output", type: string): Json {
  const [name] =
    Object.entries(io === "input" ? requestSchemas : responseSchemas).find(([, component]) => component === schema) ??
    [];
  return { [type]: { schema: name ? { $ref: `#/components/schemas/${name}` } : written(schema, io) } };
}

function file(type: string | undefined): Json {
  return type === undefined ? {} : { [type]: { schema: {} } };
}

function written(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
