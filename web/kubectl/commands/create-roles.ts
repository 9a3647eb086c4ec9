// `kubectl create role`, `clusterrole`, `rolebinding` and `clusterrolebinding`.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { type Flag, arrayFlag, stringFlag, stringsFlag } from "../flag.ts";
import { findResource } from "../cluster/discovery.ts";
import { Exit } from "../errors.ts";
import type { Creator } from "./creator.ts";

const rbac = "rbac.authorization.k8s.io";
const resourceVerbs = [
  "*",
  "get",
  "delete",
  "list",
  "create",
  "update",
  "patch",
  "watch",
  "proxy",
  "deletecollection",
  "use",
  "bind",
  "escalate",
  "impersonate",
];
const otherVerbs = ["*", "get", "post", "put", "delete", "patch", "head", "options"];
/** The verbs that are valid only for some resources, with these resources and their groups. */
const specialVerbs: Readonly<Record<string, readonly (readonly [group: string, resource: string])[]>> = {
  use: [
    ["policy", "podsecuritypolicies"],
    ["extensions", "podsecuritypolicies"],
  ],
  bind: [
    [rbac, "roles"],
    [rbac, "clusterroles"],
  ],
  escalate: [
    [rbac, "roles"],
    [rbac, "clusterroles"],
  ],
  impersonate: [
    ["", "users"],
    ["", "serviceaccounts"],
    ["", "groups"],
    ["authentication.k8s.io", "userextras"],
  ],
};

const ruleFlags: readonly Flag[] = [
  stringsFlag("verb", "Verb that applies to the resources contained in the rule"),
  stringsFlag("resource", "Resource that the rule applies to"),
  arrayFlag(
    "resource-name",
    "Resource in the white list that the rule applies to, repeat this flag for multiple items",
  ),
];
const subjectFlags: readonly Flag[] = [
  arrayFlag("user", "Usernames to bind to the role. The flag can be repeated to add multiple users."),
  arrayFlag("group", "Groups to bind to the role. The flag can be repeated to add multiple groups."),
  arrayFlag("serviceaccount", "Service accounts to bind to the role, in the format <namespace>:<name>."),
];

export const roleCreators: readonly Creator[] = [
  {
    name: "role",
    use: "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none] [options]",
    short: "Create a role with single rule",
    flags: ruleFlags,
    build: async (call, name) => {
      const verbs = verbsOf(call);
      const targets = resourcesOf(call);
      if (verbs.length === 0) throw new Error("at least one verb must be specified");
      warnOfVerbs(call, verbs);
      if (targets.length === 0) throw new Error("at least one resource must be specified");
      await checkResources(call, verbs, targets);
      return {
        apiVersion: `${rbac}/v1`,
        kind: "Role",
        metadata: { name },
        rules: await rulesOf(call, verbs, targets, []),
      };
    },
  },
  {
    name: "clusterrole",
    use: "NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none] [options]",
    short: "Create a cluster role",
    flags: [
      ...ruleFlags,
      stringsFlag("non-resource-url", "A partial url that user should have access to."),
      stringsFlag("aggregation-rule", "An aggregation label selector for combining ClusterRoles."),
    ],
    build: clusterRole,
  },
  {
    name: "rolebinding",
    use: "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]",
    short: "Create a role binding for a particular role or cluster role",
    flags: [
      stringFlag("clusterrole", "ClusterRole this RoleBinding should reference"),
      stringFlag("role", "Role this RoleBinding should reference"),
      ...subjectFlags,
    ],
    failure: "failed to create rolebinding: ",
    build: (call, name) => {
      const [role, clusterRoleName] = [call.flags.text("role"), call.flags.text("clusterrole")];
      if ((role === "") === (clusterRoleName === ""))
        throw new Error("exactly one of clusterrole or role must be specified");
      return binding("RoleBinding", name, role ? "Role" : "ClusterRole", role || clusterRoleName, subjectsOf(call));
    },
  },
  {
    name: "clusterrolebinding",
    use: "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]",
    short: "Create a cluster role binding for a particular cluster role",
    flags: [stringFlag("clusterrole", "ClusterRole this ClusterRoleBinding should reference"), ...subjectFlags],
    required: ["clusterrole"],
    failure: "failed to create clusterrolebinding: ",
    build: (call, name) =>
      binding("ClusterRoleBinding", name, "ClusterRole", call.flags.text("clusterrole"), subjectsOf(call)),
  },
];

function binding(
  kind: string,
  name: string,
  roleKind: string,
  role: string,
  subjects: readonly JsonObject[],
): JsonObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: roleKind, name: role },
    ...(subjects.length > 0 ? { subjects } : {}),
  };
}

function subjectsOf({ flags }: CommandCall): JsonObject[] {
  const named = (flag: string, kind: string) =>
    flags.list(flag).map((name): JsonObject => ({ apiGroup: rbac, kind, name }));
  const accounts = flags.list("serviceaccount").map((text): JsonObject => {
    const [namespace = "", name = "", more] = text.split(":");
    if (!namespace || !name || more !== undefined) throw new Error("serviceaccount must be <namespace>:<name>");
    return { kind: "ServiceAccount", name, namespace };
  });
  return [...named("user", "User"), ...named("group", "Group"), ...accounts];
}

interface RuleTarget {
  readonly resource: string;
  readonly group: string;
  readonly subresource: string;
}

function verbsOf({ flags }: CommandCall): string[] {
  const verbs = [...new Set(flags.list("verb"))];
  return verbs.includes("*") ? ["*"] : verbs;
}

function resourcesOf({ flags }: CommandCall): RuleTarget[] {
  const targets: RuleTarget[] = [];
  for (const text of flags.list("resource")) {
    const slash = text.indexOf("/");
    const head = slash < 0 ? text : text.slice(0, slash);
    const dot = head.indexOf(".");
    const target = {
      resource: dot < 0 ? head : head.slice(0, dot),
      group: dot < 0 ? "" : head.slice(dot + 1),
      subresource: slash < 0 ? "" : text.slice(slash + 1),
    };
    if (text === "*") return [target];
    targets.push(target);
  }
  return targets;
}

function warnOfVerbs({ streams }: CommandCall, verbs: readonly string[]): void {
  for (const verb of verbs) {
    if (!resourceVerbs.includes(verb)) streams.err(`Warning: '${verb}' is not a standard resource verb\n`);
  }
}

async function checkResources(
  call: CommandCall,
  verbs: readonly string[],
  targets: readonly RuleTarget[],
): Promise<void> {
  const served = await call.cluster.discovery();
  for (const { resource, group } of targets) {
    if (!resource) throw new Error("resource must be specified if apiGroup/subresource specified");
    if (resource === "*") return;
    const mapping = findResource(served, group ? `${resource}.${group}` : resource);
    const [of, ofGroup] = [mapping?.resource ?? resource, mapping?.group ?? group];
    let isSpecial = false;
    for (const verb of verbs) {
      const places = specialVerbs[verb];
      if (!places) continue;
      isSpecial = places.some(([placeGroup, place]) => placeGroup === ofGroup && place === of);
      if (!isSpecial) throw new Error(`can not perform '${verb}' on '${of}' in group '${ofGroup}'`);
    }
    if (!mapping && !isSpecial) {
      throw new Exit(
        1,
        `the server doesn't have a resource type ${JSON.stringify(resource)}${group ? ` in group ${JSON.stringify(group)}` : ""}`,
      );
    }
  }
}

async function rulesOf(
  call: CommandCall,
  verbs: readonly string[],
  targets: readonly RuleTarget[],
  urls: readonly string[],
): Promise<JsonObject[]> {
  const served = await call.cluster.discovery();
  const byGroup = new Map<string, string[]>();
  for (const { resource, group, subresource } of targets) {
    const mapping = findResource(served, group ? `${resource}.${group}` : resource);
    const name = `${mapping?.resource ?? resource}${subresource ? `/${subresource}` : ""}`;
    const names = byGroup.get(mapping?.group ?? group) ?? [];
    byGroup.set(mapping?.group ?? group, names.includes(name) ? names : [...names, name]);
  }
  const resourceNames = [...new Set(call.flags.list("resource-name"))];
  const rules = [...byGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([group, resources]): JsonObject => ({
        apiGroups: [group],
        ...(resourceNames.length > 0 ? { resourceNames } : {}),
        resources,
        verbs,
      }),
    );
  return urls.length > 0 ? [...rules, { nonResourceURLs: urls, verbs }] : rules;
}

async function clusterRole(call: CommandCall, name: string): Promise<JsonObject> {
  const { flags } = call;
  const object = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name } };
  const aggregation = flags.list("aggregation-rule");
  const [verbs, targets, urls] = [verbsOf(call), resourcesOf(call), [...new Set(flags.list("non-resource-url"))]];
  if (aggregation.length > 0) {
    if (urls.length > 0 || verbs.length > 0 || targets.length > 0 || flags.list("resource-name").length > 0) {
      throw new Error("aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames");
    }
    const matchLabels = Object.fromEntries(
      aggregation.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
    );
    return { ...object, aggregationRule: { clusterRoleSelectors: [{ matchLabels }] }, rules: null };
  }
  if (verbs.length === 0) throw new Error("at least one verb must be specified");
  if (targets.length === 0 && urls.length === 0) throw new Error("one of resource or nonResourceURL must be specified");
  if (targets.length > 0) {
    warnOfVerbs(call, verbs);
    await checkResources(call, verbs, targets);
  }
  for (const verb of urls.length > 0 ? verbs : []) {
    if (!otherVerbs.includes(verb)) throw new Error(`invalid verb: '${verb}' for nonResourceURL`);
  }
  for (const url of urls.filter((url) => url !== "*")) {
    if (!url.startsWith("/")) throw new Error("nonResourceURL should start with /");
    if (url.slice(0, -1).includes("*"))
      throw new Error("nonResourceURL only supports wildcard matches when '*' is at the end");
  }
  return { ...object, rules: await rulesOf(call, verbs, targets, urls) };
}
