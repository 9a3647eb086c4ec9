// Requires that the author of a policy or binding may read its parameters (upstream: the strategies' authorize).
import type { ParamKind, ParamRef } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { Attributes, UserInfo } from "../../../shared/k8s/authorizer.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, path } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind, WriteContext } from "../kind.ts";

interface Policy extends KubeObject {
  readonly spec: { readonly paramKind?: ParamKind };
}

interface Binding extends KubeObject {
  readonly spec: { readonly policyName?: string; readonly paramRef?: ParamRef };
}

type Target = Pick<Attributes, "group" | "plural">;

const superusers = "system:masters";
const everything: Target = { group: "*", plural: "*" };

/** Checks a valid policy. */
export function paramKindErrors(
  { metadata, spec }: Policy,
  policies: Kind<KubeObject & Policy>,
  context: WriteContext,
): FieldError[] {
  const { paramKind } = spec;
  const before = context.get(policies, "", metadata.name ?? "")?.spec.paramKind;
  if (!paramKind || (before && semanticEqual(before, paramKind)) || isSuperuser(context)) return [];
  const target = { ...everything, ...targetOf(paramKind, context) };
  if (may(context, { verb: "get", ...target, namespace: "*", name: "*" })) return [];
  const what = `(kind=${paramKind.kind ?? ""}, apiVersion=${paramKind.apiVersion ?? ""})`;
  const why = `must have "get" permission on all objects of the referenced paramKind ${what}`;
  return [forbidden(path("spec", "paramKind"), `user ${userText(context.user)} ${why}`)];
}

/** Checks a valid binding. `isReversed`: upstream swaps verb and user in this message. */
export function paramRefErrors(
  { spec }: Binding,
  policies: Kind<KubeObject & Policy>,
  context: WriteContext,
  { isReversed = false }: { readonly isReversed?: boolean } = {},
): FieldError[] {
  const { policyName = "", paramRef } = spec;
  if (!paramRef || isSuperuser(context)) return [];
  const policy = context.get(policies, "", policyName);
  const paramKind = policy?.spec.paramKind;
  const target = paramKind && targetOf(paramKind, context);
  const verb = paramRef.name ? "get" : "list";
  const place = { namespace: paramRef.namespace ?? "", name: paramRef.name ?? "" };
  if (may(context, { verb, ...everything, ...target, ...place })) return [];
  const user = userText(context.user);
  const refuse = (why: string) => [forbidden(path("spec", "paramRef"), why)];
  const needs = `does not have "${verb}" permission for all groups, versions and resources`;
  const unknown = `to determine minimum required permissions and user ${user} ${needs}`;
  if (!policy) return refuse(`unable to get policy ${policyName} ${unknown}`);
  if (paramKind && target?.plural === undefined) {
    const { apiVersion = "", kind = "" } = paramKind;
    return refuse(`unable to resolve paramKind &{${apiVersion} ${kind}} ${unknown}`);
  }
  const [who, what] = isReversed ? [verb, user] : [user, verb];
  return refuse(`user ${who} does not have "${what}" permission on the object referenced by paramRef`);
}

function targetOf({ apiVersion = "", kind = "" }: ParamKind, context: WriteContext): Partial<Target> {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const plural = context.kindOf(apiVersion, kind)?.plural;
  return { group, ...(plural === undefined ? {} : { plural }) };
}

function may(
  { authorizer, user }: WriteContext,
  attributes: Pick<Attributes, "verb" | "group" | "plural" | "namespace" | "name">,
): boolean {
  return authorizer.decide(user, { ...attributes, isResource: true, subresource: "", path: "" }).allowed;
}

function isSuperuser({ user }: WriteContext): boolean {
  return user.groups.includes(superusers);
}

/** Prints a user as Go does. */
function userText({ name, uid = "", groups, extra = {} }: UserInfo): string {
  const more = Object.keys(extra).sort();
  const map = more.map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`).join(" ");
  return `&{${name} ${uid} [${groups.join(" ")}] map[${map}]}`;
}
