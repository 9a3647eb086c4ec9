// Authorizes requests (upstream: the union of the Node and RBAC authorizers, after the privileged group). Administrators may do everything,
// and view tokens may read. Nodes may access what their pods need. Roles grant the rest.
import {
  type Attributes,
  adminGroup,
  type Authorizer,
  type Decision,
  nodeOf,
  type Rules,
  viewersGroup,
  type UserInfo,
} from "../../shared/k8s/authorizer.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Store } from "../store/store.ts";
import { grantsOf, type GrantsOfStore } from "./grants.ts";
import { nodeAuthorizer } from "./node.ts";
import { allows } from "./rule.ts";
import { mayView, viewerRules } from "./viewer.ts";

/** Returns the value of `--authorization-mode`. Undefined: Node and RBAC. */
export type AuthorizationModes = () => readonly string[] | undefined;

/** Returns the authorizer. `kinds` returns the kinds that are served at the time of the call. */
export function newAuthorizer(store: Store, kinds: () => readonly Kind[], modes?: AuthorizationModes): Authorizer {
  const grants = grantsOf(store);
  const nodes = nodeAuthorizer(store);
  return {
    decide: (user, attributes) => decide(grants, nodes, modes?.(), user, attributes),
    ofPast: (objects) => {
      const pastGrants = grantsOf(objects);
      return { decide: (user, attributes) => decide(pastGrants, nodes, undefined, user, attributes) };
    },
    rulesOf: (user, namespace) => {
      if (user.groups.includes(viewersGroup))
        return { ...viewerRules(kinds()), evaluationError: "", incomplete: false };
      return rulesReview(grants, user, namespace);
    },
    grantedTo: (user, namespace) => {
      const allGrants = [...grants.of(user, namespace)];
      return {
        rules: allGrants.flatMap(({ rules }) => rules),
        missing: allGrants.flatMap(({ error, role }) => (error ? role : [])),
      };
    },
    rulesOfRole: (kind, name, namespace) => grants.rulesOfRole({ kind, name }, namespace),
  };
}

function decide(
  grants: GrantsOfStore,
  nodes: ReturnType<typeof nodeAuthorizer>,
  modes: readonly string[] | undefined,
  user: UserInfo,
  attributes: Attributes,
): Decision {
  if (user.groups.includes(viewersGroup)) return { allowed: mayView(attributes), reason: "" };
  if (user.groups.includes(adminGroup)) return { allowed: true, reason: "" };
  const has = (mode: string) => modes === undefined || modes.includes(mode);
  if (modes && (modes.length === 0 || has("AlwaysAllow"))) return { allowed: true, reason: "" };
  const asNode = has("Node") ? nodes(user, attributes) : undefined;
  if (asNode?.allowed) return asNode;
  const granted = has("RBAC") ? byRoles(grants, user, attributes) : { allowed: false, reason: refusedByMode(modes) };
  if (granted.allowed || !asNode) return granted;
  const reasons = [asNode.reason, granted.reason].filter(Boolean);
  return { allowed: false, reason: reasons.join("\n") };
}

function refusedByMode(modes: readonly string[] | undefined): string {
  return modes?.includes("AlwaysDeny") ? "Everything is forbidden." : "";
}

function byRoles(grants: GrantsOfStore, user: UserInfo, attributes: Attributes): Decision {
  const errors: string[] = [];
  for (const { source, rules, error } of grants.of(user, attributes.namespace)) {
    if (rules.some((rule) => allows(rule, attributes))) return { allowed: true, reason: `RBAC: allowed by ${source}` };
    if (error) errors.push(error);
  }
  return { allowed: false, reason: errors.length > 0 ? `RBAC: ${joinErrors(errors)}` : "" };
}

function rulesReview(grants: GrantsOfStore, user: UserInfo, namespace: string): Rules {
  const allGrants = [...grants.of(user, namespace)];
  const rules = allGrants.flatMap((grant) => grant.rules);
  const errors = allGrants.flatMap(({ error }) => error || []);
  const isNode = nodeOf(user) !== undefined;
  return {
    resourceRules: rules.flatMap(({ verbs, apiGroups, resources = [], resourceNames }) =>
      resources.length === 0
        ? []
        : [{ verbs, ...(apiGroups ? { apiGroups } : {}), resources, ...(resourceNames ? { resourceNames } : {}) }],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    evaluationError: joinErrors([
      ...(isNode ? ["node authorizer does not support user rule resolution"] : []),
      ...errors,
    ]),
    // A missing role does not make the list of rules incomplete.
    incomplete: isNode,
  };
}

/** Joins errors as Go prints an aggregate. */
function joinErrors(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length > 1 ? `[${different.join(", ")}]` : (different[0] ?? "");
}
