// Authorization checks: `authorizer.group("apps").resource("deployments").check("create").allowed()`.
import {
  type Library,
  authorizerType,
  decisionType,
  groupCheckType,
  pathCheckType,
  resourceCheckType,
} from "../functions.ts";
import { type OpaqueValue, type Value, fail } from "../values.ts";
import type { UserInfo } from "../../k8s/authorizer.ts";
import { dns1123Label, dns1123Subdomain } from "../../k8s/names.ts";
import type { CelType } from "../types.ts";

/** The attributes of a check: of a resource, or of a path that is no resource. */
export interface CheckAttributes {
  readonly verb: string;
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface CheckDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

export type Decide = (user: UserInfo, question: CheckAttributes) => CheckDecision;

interface Check extends CheckAttributes {
  readonly user: UserInfo;
  readonly decide: Decide;
}

export const authorizers: Library = {
  ".path(Authorizer, string) PathCheck": (value: OpaqueValue, path: string) =>
    path.trim() ? make(pathCheckType, { ...of(value), path }) : fail("path must not be empty"),
  ".group(Authorizer, string) GroupCheck": (value: OpaqueValue, group: string) =>
    make(groupCheckType, { ...of(value), group }),
  ".serviceAccount(Authorizer, string, string) Authorizer": asServiceAccount,
  ".resource(GroupCheck, string) ResourceCheck": (value: OpaqueValue, resource: string) =>
    resource.trim() ? make(resourceCheckType, { ...of(value), resource }) : fail("resource must not be empty"),
  ".subresource(ResourceCheck, string) ResourceCheck": (value: OpaqueValue, subresource: string) =>
    make(resourceCheckType, { ...of(value), subresource }),
  ".namespace(ResourceCheck, string) ResourceCheck": (value: OpaqueValue, namespace: string) =>
    make(resourceCheckType, { ...of(value), namespace }),
  ".name(ResourceCheck, string) ResourceCheck": (value: OpaqueValue, name: string) =>
    make(resourceCheckType, { ...of(value), name }),
  ".fieldSelector(ResourceCheck, string) ResourceCheck": (value: OpaqueValue, fieldSelector: string) =>
    make(resourceCheckType, { ...of(value), fieldSelector }),
  ".labelSelector(ResourceCheck, string) ResourceCheck": (value: OpaqueValue, labelSelector: string) =>
    make(resourceCheckType, { ...of(value), labelSelector }),
  ".check(PathCheck, string) Decision": check,
  ".check(ResourceCheck, string) Decision": check,
  ".allowed(Decision) bool": (value: OpaqueValue) => answerOf(value).allowed,
  ".reason(Decision) string": (value: OpaqueValue) => answerOf(value).reason,
  ".errored(Decision) bool": (value: OpaqueValue) => answerOf(value).error !== undefined,
  ".error(Decision) string": (value: OpaqueValue) => answerOf(value).error ?? "",
};

/** Returns the variable `authorizer`. */
export function authorizerValue(user: UserInfo, decide: Decide): Value {
  return make(authorizerType, { ...nothing, user, decide });
}

/** Returns the variable `authorizer.requestResource`. */
export function requestResourceValue(
  user: UserInfo,
  decide: Decide,
  about: Pick<CheckAttributes, "group" | "name" | "namespace" | "resource" | "subresource">,
): Value {
  return make(resourceCheckType, { ...nothing, ...about, user, decide });
}

const nothing: CheckAttributes = {
  verb: "",
  group: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

function make(type: CelType, data: CheckDecision | Check): OpaqueValue {
  return { kind: "opaque", type, data, equal: (value) => value.data === data };
}

/** Only these functions create values of these types. */
function of({ data }: OpaqueValue): Check {
  return data as Check;
}

function answerOf({ data }: OpaqueValue): CheckDecision {
  return data as CheckDecision;
}

function check(value: OpaqueValue, verb: string): Value {
  const { user, decide, ...question } = of(value);
  return make(decisionType, decide(user, { ...question, verb }));
}

function asServiceAccount(value: OpaqueValue, namespace: string, name: string): Value {
  if (dns1123Subdomain(name).length) return fail("Invalid service account name");
  if (dns1123Label(namespace).length) return fail("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const user = { name: `system:serviceaccount:${namespace}:${name}`, groups };
  return make(authorizerType, { ...of(value), user });
}
