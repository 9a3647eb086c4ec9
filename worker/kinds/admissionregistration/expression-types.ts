// The CEL types of expressions in policies and webhooks: the request, its namespace, and the types that mutations build.
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

/** Upstream names the field of the UID differently. */
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

/** The variables that exist for every object. */
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
  // Upstream gives every other field a type without a name, which no value has.
  return name === "value" ? dynType : structType("", () => undefined);
});

/** The type of an apply configuration. Any field can be set; its type is named by its path. */
export const objectType = dynamicType("Object");

/** Returns the type of a path: `Object.spec.template`, `JSONPatch`. */
export function patchTypeOf(name: string): CelType | undefined {
  if (name === jsonPatchType.name) return jsonPatchType;
  return name === "Object" || name.startsWith("Object.") ? dynamicType(name) : undefined;
}

/** Returns the type of `variables`, whose fields are the policy's variables. */
export function variablesType(variableTypes: ReadonlyMap<string, CelType>): CelType {
  return structType("kubernetes.variables", (name) => variableTypes.get(name));
}

function dynamicType(name: string): CelType {
  return structType(name, () => dynType);
}

function typeOf(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return structType(`kubernetes.${name}`, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined));
}
