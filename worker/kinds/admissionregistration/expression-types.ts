// The types that expressions of policies and webhooks know: the request, its namespace, and what mutations build.
import { authorizerType, resourceCheckType } from "../../../shared/cel/functions.ts";
import {
  type CelType,
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
} from "../../../shared/cel/types.ts";

const texts = listType(stringType);

const groupVersionKind = typeOf("GroupVersionKind", { group: stringType, version: stringType, kind: stringType });
const groupVersionResource = typeOf("GroupVersionResource", {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const buildRequestType = typeOf("AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: typeOf("UserInfo", {
    username: stringType,
    uid: stringType,
    groups: texts,
    extra: mapType(stringType, texts),
  }),
  dryRun: boolType,
  options: dynType,
});

/** The name of the UID is as upstream has it. */
const buildNamespaceType = typeOf("Namespace", {
  metadata: typeOf("NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType, stringType),
    annotations: mapType(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  spec: typeOf("NamespaceSpec", { finalizers: texts }),
  status: typeOf("NamespaceStatus", {
    conditions: listType(
      typeOf("NamespaceCondition", {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});

/** What is always there, whatever the object is. */
export const requestVariables: readonly (readonly [string, CelType])[] = [
  ["namespaceObject", buildNamespaceType],
  ["request", buildRequestType],
];

export const authorizerVariables: readonly (readonly [string, CelType])[] = [
  ["authorizer", authorizerType],
  ["authorizer.requestResource", resourceCheckType],
];

export const jsonPatchType = structType("JSONPatch", (name) => {
  if (["op", "path", "from"].includes(name)) return stringType;
  // To upstream every other field has a type without a name, which nothing is of.
  return name === "value" ? dynType : structType("", () => undefined);
});

/** What an apply configuration is: any field may be named, and its type is by the path to it. */
export const objectType = dynamicType("Object");

/** `Object.spec.template`, `JSONPatch` */
export function patchTypeOf(name: string): CelType | undefined {
  if (name === jsonPatchType.name) return jsonPatchType;
  return name === "Object" || name.startsWith("Object.") ? dynamicType(name) : undefined;
}

/** The variables of a policy, which expressions name `variables.x`. */
export function variablesType(known: ReadonlyMap<string, CelType>): CelType {
  return structType("kubernetes.variables", (name) => known.get(name));
}

function dynamicType(name: string): CelType {
  return structType(name, () => dynType);
}

function typeOf(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return structType(`kubernetes.${name}`, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined));
}
