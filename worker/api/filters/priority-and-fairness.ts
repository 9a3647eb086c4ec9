// Classifies requests by flow schema and priority level. Nothing is queued, but the response headers name both, as upstream's do.
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type {
  FlowSchema,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "../../../shared/k8s/api/flowcontrol-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Store } from "../../store/store.ts";
import { keyFor, type Registry } from "../../registry/registry.ts";
import { requesterOf } from "./authorization.ts";
import { type Filter, infoOf } from "./filter.ts";
import { type HeaderList, noHeaders } from "../negotiation/answer-headers.ts";
import type { RequestInfo, ResourceInfo } from "../request-info.ts";

const group = "flowcontrol.apiserver.k8s.io/v1";
const accountPrefix = "system:serviceaccount:";

export const withPriorityAndFairness: Filter = (next) => (context) => {
  const { server, identity } = context;
  context.flow = flowHeaders(server.registry, requesterOf(must(identity, "the identity")), infoOf(context));
  return next(context);
};

/** Returns the headers with the uids of both. Empty if no schema matches. */
function flowHeaders(registry: Registry, user: UserInfo, info: RequestInfo): HeaderList {
  const schemas = registry.catalogue.byPath(group, "flowschemas");
  const levels = registry.catalogue.byPath(group, "prioritylevelconfigurations");
  if (!schemas || !levels) return noHeaders;
  const first = schemasOf(registry, schemas.resource).find(({ spec }) =>
    spec.rules?.some((rule) => matches(rule, user, info)),
  );
  const level = first && registry.store.get(keyFor(levels, "", first.spec.priorityLevelConfiguration.name));
  return first && level ? headersOf(first, level.metadata.uid ?? "") : noHeaders;
}

interface FlowHeaders {
  readonly levelUid: string;
  readonly headers: HeaderList;
}

const headersBySchema = new WeakMap<FlowSchema, FlowHeaders>();

/** Returns the same list until one of both objects changes. */
function headersOf(schema: FlowSchema, levelUid: string): HeaderList {
  const cached = headersBySchema.get(schema);
  if (cached?.levelUid === levelUid) return cached.headers;
  const headers = [
    ["x-kubernetes-pf-flowschema-uid", schema.metadata.uid ?? ""],
    ["x-kubernetes-pf-prioritylevel-uid", levelUid],
  ] as const;
  headersBySchema.set(schema, { levelUid, headers });
  return headers;
}

interface Known {
  /** Undefined after a change, until they are read again. */
  schemas: readonly FlowSchema[] | undefined;
}

const schemasByStore = new WeakMap<Store, Known>();

/** Returns the schemas in order of precedence. Cached until one changes, since every request needs them. */
function schemasOf({ store }: Registry, resource: string): readonly FlowSchema[] {
  let cached = schemasByStore.get(store);
  if (!cached) {
    const created: Known = { schemas: undefined };
    store.onChange((change) => {
      if (change.resource === resource) created.schemas = undefined;
    });
    schemasByStore.set(store, created);
    cached = created;
  }
  cached.schemas ??= readSchemas(store, resource);
  return cached.schemas;
}

/** Reads the schemas. Returns none if there are too many to match: only a header depends on them. */
function readSchemas(store: Store, resource: string): readonly FlowSchema[] {
  const all: FlowSchema[] = [];
  let characters = 0;
  for (const object of store.list({ resource })) {
    // Only objects of this kind are stored under its name.
    all.push(object as FlowSchema);
    characters += JSON.stringify(object).length;
    if (characters > limits.flowSchemaCharacters) return [];
  }
  return all.sort(byPrecedence);
}

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const [left = "", right = ""] = [a.metadata.name, b.metadata.name];
  return a.spec.matchingPrecedence - b.spec.matchingPrecedence || (left < right ? -1 : 1);
}

function matches(rule: PolicyRulesWithSubjects, user: UserInfo, info: RequestInfo): boolean {
  if (!rule.subjects.some((subject) => isSubject(subject, user))) return false;
  if (info.isResource) return (rule.resourceRules ?? []).some((resourceRule) => matchesResource(resourceRule, info));
  return (rule.nonResourceRules ?? []).some(
    ({ verbs, nonResourceURLs }) => has(verbs, info.verb) && nonResourceURLs.some((url) => isUnder(url, info.path)),
  );
}

function isSubject({ kind, user, group: inGroup, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  switch (kind) {
    case "User":
      return user?.name === "*" || user?.name === name;
    case "Group":
      return inGroup !== undefined && (inGroup.name === "*" || groups.includes(inGroup.name));
    case "ServiceAccount": {
      if (!serviceAccount) return false;
      const prefix = `${accountPrefix}${serviceAccount.namespace}:`;
      return serviceAccount.name === "*" ? name.startsWith(prefix) : name === prefix + serviceAccount.name;
    }
    default:
      return false;
  }
}

function matchesResource(rule: ResourcePolicyRule, info: ResourceInfo): boolean {
  const resource = info.subresource ? `${info.plural}/${info.subresource}` : info.plural;
  if (!has(rule.verbs, info.verb) || !has(rule.resources, resource) || !has(rule.apiGroups, info.group)) return false;
  return info.namespace === "" ? rule.clusterScope === true : has(rule.namespaces ?? [], info.namespace);
}

function has(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function isUnder(url: string, path: string): boolean {
  if (url === "*" || url === path) return true;
  const prefix = url.replace(/\*$/, "");
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
