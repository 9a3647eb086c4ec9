// Builds the paths that are not about resources: discovery of groups, the version, the token issuer. Each document has one path.
import type { Kind } from "../../kinds/kind.ts";
import { namesOfGroup } from "./context.ts";
import { metaType, type OperationFacts, operation } from "./operations.ts";
import type { PathItem } from "./path-item.ts";

/** Returns the paths by the name of their document: `apis/apps`. */
export function plainPaths(kinds: readonly Kind[]): Map<string, Record<string, PathItem>> {
  // For custom groups, upstream publishes only the resources.
  const builtInKinds = kinds.filter(({ custom }) => !custom);
  const groups = [...new Set(builtInKinds.map(({ group }) => group))].filter(Boolean);
  return new Map(
    [...fixed, ...groups.map(ofGroup)].map(([name, facts]) => [name, { [`/${name}/`]: { get: operation(facts) } }]),
  );
}

function ofGroup(group: string): [string, OperationFacts] {
  const { tag, prefix } = namesOfGroup(group);
  const facts = { description: "get information of a group", operationId: `get${prefix}APIGroup` };
  return [`apis/${group}`, { ...facts, tag, answers: metaType("APIGroup") }];
}

const versions = "get available API versions";
const fixed: readonly [string, OperationFacts][] = [
  ["api", { description: versions, operationId: "getCoreAPIVersions", tag: "core", answers: metaType("APIVersions") }],
  ["apis", { description: versions, operationId: "getAPIVersions", tag: "apis", answers: metaType("APIGroupList") }],
  [
    "version",
    {
      description: "get the version information for this server",
      operationId: "getCodeVersion",
      tag: "version",
      answers: "io.k8s.apimachinery.pkg.version.Info",
      produces: ["application/json"],
    },
  ],
  [
    ".well-known/openid-configuration",
    {
      description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
      operationId: "getServiceAccountIssuerOpenIDConfiguration",
      ...{ tag: "WellKnown", answers: "text", produces: ["application/json"] },
    },
  ],
  [
    "openid/v1/jwks",
    {
      description: "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
      operationId: "getServiceAccountIssuerOpenIDKeyset",
      ...{ tag: "openid", answers: "text", produces: ["application/jwk-set+json"] },
    },
  ],
];
