// POST serviceaccounts/{name}/token: issues a bound token for the account (upstream: TokenREST).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { TokenRequest } from "../../../shared/k8s/api/authentication-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { ensureObjectNamespaceMatchesRequestNamespace } from "../../registry/metadata.ts";
import { updateManagedFieldsOfBody } from "../../registry/managed-fields.ts";
import { groupVersionKind } from "../../registry/group-version-kind.ts";
import { admissionRequest, admit } from "../../registry/admission-chain.ts";
import { contextOf, mustRead, read } from "../../registry/registry.ts";
import { turn } from "../asking.ts";
import { checkKind } from "../body/body-kind.ts";
import { decodeStrictly, readObject } from "../body/body.ts";
import { createdOutputOf, createdResponse } from "../present/present.ts";
import { type WriteQuery, writeQuery } from "../verbs/query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";
import type { ApiServer } from "../api-server.ts";
import { type AccountClaims, accountName, issuer, referenceOf } from "./claims.ts";

const requestType = groupVersionKind("io.k8s.api.authentication.v1.TokenRequest");
const groupKind = { group: "authentication.k8s.io", name: "TokenRequest" };
const secondsDefault = 3600;
const secondsMin = 600;
const secondsMax = 2 ** 32;
/**
 * The lifetime in seconds that pods' injected tokens request. Their tokens are valid for a year, so clients that do not reload them
 * continue to work.
 */
const extendedFrom = 3607;
const extendedSeconds = 365 * 24 * 3600;

type Bound = Pick<AccountClaims["kubernetes.io"], "node" | "pod" | "secret">;

export async function requestToken(req: ApiRequest, info: ResourceInfo): Promise<Response> {
  createdOutputOf(req);
  const query = writeQuery(req.url.searchParams, "CreateOptions");
  const body = await readObject(req, requestType);
  checkKind(requestType, body.value);
  // Decoding returns the canonical form of the type.
  const posted = decodeStrictly(req, requestType, body, query.fieldValidation) as TokenRequest;
  Object.assign(posted, { kind: requestType.kind, apiVersion: requestType.apiVersion });
  posted.spec.expirationSeconds ??= secondsDefault;
  const { server } = req;
  ensureObjectNamespaceMatchesRequestNamespace(kindOf(server, "ServiceAccount"), posted, info.namespace);
  updateManagedFieldsOfBody(server.registry, requestType, posted, info.subresource, actorOf(req, "token"));
  const request = await turn(req, (asking) => {
    const object = structuredClone(posted);
    admitted(asking, "mutate", object, info, query);
    return object;
  });
  checkNames(request, info);
  const account = mustRead(server.registry, kindOf(server, "ServiceAccount"), info.namespace, info.name);
  complete(request, account);
  const seconds = checkSeconds(request);
  const bound = boundTo(server, request, info);
  await turn(req, (asking) => admitted(asking, "validate", request, info, query));
  const isExtended =
    Boolean(bound.pod) && seconds === extendedFrom && request.spec.audiences.every((audience) => audience === issuer);
  const now = Math.floor(server.registry.clock.nowMs() / 1000);
  const claims: AccountClaims = {
    aud: request.spec.audiences,
    exp: now + (isExtended ? extendedSeconds : seconds),
    iat: now,
    iss: issuer,
    jti: crypto.randomUUID(),
    "kubernetes.io": {
      namespace: info.namespace,
      ...bound,
      serviceaccount: referenceOf(account),
      ...(isExtended ? { warnafter: now + seconds } : {}),
    },
    nbf: now,
    sub: accountName(info.namespace, info.name),
  };
  const created = rfc3339(now * 1000);
  const answer = {
    kind: "TokenRequest",
    apiVersion: requestType.apiVersion,
    metadata: { ...request.metadata, creationTimestamp: created },
    // The only field that the response has as null.
    spec: { ...request.spec, boundObjectRef: request.spec.boundObjectRef ?? null },
    status: { token: server.key.sign(claims), expirationTimestamp: rfc3339((now + seconds) * 1000) },
  };
  return createdResponse(req, answer);
}

function checkNames({ metadata }: TokenRequest, { name, namespace }: ResourceInfo): void {
  for (const [field, requestedValue, accountValue] of [
    ["name", metadata.name, name],
    ["namespace", metadata.namespace, namespace],
  ] as const) {
    if (!requestedValue || requestedValue === accountValue) continue;
    const error = invalid(
      path("metadata", field),
      requestedValue,
      `must match the service account ${field} if specified`,
    );
    throw ApiError.invalid(groupKind, name, [error]);
  }
}

function complete({ metadata, spec }: TokenRequest, account: KubeObject): void {
  const { name = "", namespace = "", uid = "" } = account.metadata;
  if (metadata.uid && metadata.uid !== uid) {
    throw ApiError.conflict(
      groupKind,
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  }
  Object.assign(metadata, { name, namespace, uid });
  if (!spec.audiences?.length) spec.audiences = [issuer];
}

function checkSeconds({ spec }: TokenRequest): number {
  const seconds = spec.expirationSeconds ?? secondsDefault;
  const field = path("spec", "expirationSeconds");
  const errors = [
    ...(seconds < secondsMin ? [invalid(field, seconds, "may not specify a duration less than 10 minutes")] : []),
    ...(seconds > secondsMax ? [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")] : []),
  ];
  if (errors.length > 0) throw ApiError.invalid(groupKind, "", errors);
  return seconds;
}

function boundTo(server: ApiServer, { spec }: TokenRequest, { name, namespace }: ResourceInfo): Bound {
  const reference = spec.boundObjectRef;
  if (!reference) return {};
  const { apiVersion = "", kind = "" } = reference;
  const [version = "", group = "", ...more] = apiVersion.split("/").reverse();
  // Upstream replaces an invalid version by an empty one.
  const type = more.length > 0 ? "/" : `${group}/${version}`;
  if (!type.startsWith("/") || !["Pod", "Node", "Secret"].includes(kind)) {
    throw ApiError.badRequest(`cannot bind token to object of type ${type}, Kind=${kind}`);
  }
  if (!reference.name) throw ApiError.badRequest("Name parameter required.");
  const boundKind = kindOf(server, kind);
  const object = mustRead(server.registry, boundKind, kind === "Node" ? "" : namespace, reference.name);
  if (kind === "Pod") checkPod(object, name);
  if (reference.uid && reference.uid !== object.metadata.uid) {
    throw ApiError.conflict(
      { group: "", name: kind },
      reference.name,
      `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (kind === "Secret") return { secret: referenceOf(object) };
  if (kind === "Node") return { node: referenceOf(object) };
  return { ...nodeOf(server, object), pod: referenceOf(object) };
}

function checkPod(object: KubeObject, account: string): void {
  // The object was read as a Pod.
  const { spec } = object as Pod;
  if (spec.serviceAccountName === account) return;
  throw ApiError.badRequest(
    `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
  );
}

/** Returns the node of a pod for its token. If the node no longer exists, it is bound by name only. */
function nodeOf(server: ApiServer, pod: KubeObject): Bound {
  const name = (pod as Pod).spec.nodeName;
  if (!name) return {};
  const node = read(server.registry, kindOf(server, "Node"), "", name);
  return { node: node ? referenceOf(node) : { name, uid: "" } };
}

function kindOf(server: ApiServer, kind: string) {
  return must(server.registry.catalogue.byKind("v1", kind), kind);
}

/** Runs admission. Nothing is stored. */
function admitted(
  req: ApiRequest,
  step: "mutate" | "validate",
  object: TokenRequest,
  { namespace, name }: ResourceInfo,
  query: WriteQuery,
): void {
  const { registry } = req.server;
  const [actor, writing] = [actorOf(req, "token"), writingOf(req, query)];
  const attributes = {
    operation: "CREATE",
    kind: kindOf(req.server, "ServiceAccount"),
    objectKind: requestType,
    subresource: "token",
    namespace,
    name,
    object,
    oldObject: undefined,
  } as const;
  admit(registry, step, admissionRequest(attributes, actor, writing, contextOf(registry, actor, writing)));
}
