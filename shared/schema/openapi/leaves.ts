// The leaves of the type graph: scalars, and types whose JSON form is not that of their Go struct.
import { refTo, type Schema, type Union } from "./schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** The schemas of scalars, and the zero values that required ones default to. */
export const scalars: Readonly<Record<string, { readonly schema: Schema; readonly zero?: unknown }>> = {
  string: { schema: { type: "string" }, zero: "" },
  bool: { schema: { type: "boolean" }, zero: false },
  int32: { schema: { type: "integer", format: "int32" }, zero: 0 },
  int64: { schema: { type: "integer", format: "int64" }, zero: 0 },
  uint8: { schema: { type: "integer", format: "byte" }, zero: 0 },
  uint32: { schema: { type: "integer", format: "int64" }, zero: 0 },
  uint64: { schema: { type: "integer", format: "int64" }, zero: 0 },
  float32: { schema: { type: "number", format: "float" }, zero: 0 },
  float64: { schema: { type: "number", format: "double" }, zero: 0 },
  bytes: { schema: { type: "string", format: "byte" } },
};

/** The named types of special forms. */
export const specialTypes: Readonly<Record<string, string>> = {
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  time: `${meta}.Time`,
  microtime: `${meta}.MicroTime`,
  duration: `${meta}.Duration`,
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  raw: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  fieldsV1: `${meta}.FieldsV1`,
  json: `${extensions}.JSON`,
  schemaOrArray: `${extensions}.JSONSchemaPropsOrArray`,
  schemaOrBool: `${extensions}.JSONSchemaPropsOrBool`,
  schemaOrStringArray: `${extensions}.JSONSchemaPropsOrStringArray`,
};

/** The schemas of these types. */
export const specialSchemas: Readonly<Record<string, Schema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {
    description:
      "Quantity is an exact number with an optional suffix: m for thousandths, k, M, G, T, P, E for powers of 1000, Ki, Mi, Gi, Ti, Pi, Ei for powers of 1024, or a decimal exponent. It is written as a string such as 500m, 2 or 1.5Gi.",
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  [`${meta}.Time`]: {
    description: "Time is a moment in RFC 3339 form, in whole seconds.",
    type: "string",
    format: "date-time",
  },
  [`${meta}.MicroTime`]: {
    description: "MicroTime is a moment in RFC 3339 form, in microseconds.",
    type: "string",
    format: "date-time",
  },
  [`${meta}.Duration`]: {
    description: "Duration is a length of time such as 1h30m or 5s.",
    type: "string",
  },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    description:
      "IntOrString holds an integer or a string, so that a field may take a number or a name, or a count or a percentage.",
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": {
    description: "RawExtension holds an object of any kind as it is.",
    type: "object",
  },
  [`${meta}.FieldsV1`]: {
    description:
      "FieldsV1 is a set of fields as a tree. A key is '.' for the field itself, 'f:<name>' for a field or map key, 'v:<value>' or 'i:<index>' for a list item, or 'k:<keys>' for a list item with these key fields; an empty value ends a path.",
    type: "object",
  },
  [`${meta}.Patch`]: {
    description: "Patch names the body of a PATCH request: its form is told by the content type.",
    type: "object",
  },
  [`${extensions}.JSON`]: { description: "JSON is any valid JSON value." },
  [`${extensions}.JSONSchemaPropsOrArray`]: { description: "JSONSchemaPropsOrArray is one schema or a list of them." },
  [`${extensions}.JSONSchemaPropsOrBool`]: { description: "JSONSchemaPropsOrBool is a schema or a boolean." },
  [`${extensions}.JSONSchemaPropsOrStringArray`]: {
    description: "JSONSchemaPropsOrStringArray is a schema or a list of strings.",
  },
  "io.k8s.apimachinery.pkg.version.Info": versionSchema(),
  // The only type that holds raw JSON: the object of a watch event.
  [`${meta}.WatchEvent`]: {
    description: "Event represents a single event to a watched resource.",
    type: "object",
    required: ["type", "object"],
    properties: {
      object: {
        description:
          "Object is the new state of the object if type is Added or Modified, its last state if Deleted, and a Status if Error.",
        allOf: [refTo("io.k8s.apimachinery.pkg.runtime.RawExtension")],
      },
      type: { type: "string", default: "" },
    },
  },
};

/** Returns the schema of the answer of `/version`. */
function versionSchema(): Schema {
  const build = ["gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"];
  const required = ["major", "minor", ...build];
  const optional = ["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"];
  const text: Schema = { type: "string" };
  return {
    description: "Info contains versioning information.",
    type: "object",
    required,
    properties: Object.fromEntries([
      ...required.map((name): [string, Schema] => [name, { ...text, default: "" }]),
      ...optional.map((name): [string, Schema] => [name, text]),
    ]),
  };
}

/** The forms of these types in OpenAPI v2, which has no `oneOf`. */
export const v2Leaves: Readonly<Record<string, Pick<Schema, "type" | "format">>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "string", format: "int-or-string" },
};

const core = "io.k8s.api.core.v1";
const admission = ["v1", "v1alpha1", "v1beta1"].map((version) => `io.k8s.api.admissionregistration.${version}`);

/** Types whose fields exclude each other (`+union` in the declarations). */
export const unions: Readonly<Record<string, Union>> = {
  [`${core}.AppArmorProfile`]: unionOf("type", "localhostProfile"),
  [`${core}.PodSchedulingGroup`]: unionOf(undefined, "podGroupName"),
  [`${core}.SeccompProfile`]: unionOf("type", "localhostProfile"),
  "io.k8s.api.flowcontrol.v1.LimitResponse": unionOf("type", "queuing"),
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec": unionOf("type", "exempt", "limited"),
  "io.k8s.api.flowcontrol.v1.Subject": unionOf("kind", "group", "serviceAccount", "user"),
};

/** Returns a union. The values of a discriminator are the fields' names in Go. */
function unionOf(discriminator: string | undefined, ...fields: string[]): Union {
  const names = fields.map((field): [string, string] => [field, field.charAt(0).toUpperCase() + field.slice(1)]);
  return { ...(discriminator ? { discriminator } : {}), "fields-to-discriminateBy": Object.fromEntries(names) };
}

/** Types that server-side apply owns as a whole (`+structType=atomic` in the declarations of Kubernetes 1.36). */
export const atomicTypes: ReadonlySet<string> = new Set([
  ...admission.flatMap((group) =>
    ["ParamKind", "ParamRef", "MatchResources", "NamedRuleWithOperations"].map((name) => `${group}.${name}`),
  ),
  "io.k8s.api.admissionregistration.v1.Variable",
  "io.k8s.api.admissionregistration.v1beta1.Variable",
  "io.k8s.api.autoscaling.v1.CrossVersionObjectReference",
  ...[
    "SecretReference",
    "FileKeySelector",
    "ObjectFieldSelector",
    "ResourceFieldSelector",
    "ConfigMapKeySelector",
    "SecretKeySelector",
    "NodeSelector",
    "NodeSelectorTerm",
    "TopologySelectorTerm",
    "EndpointAddress",
    "EndpointPort",
    "ObjectReference",
    "LocalObjectReference",
    "TypedLocalObjectReference",
    "ScopeSelector",
  ].map((name) => `${core}.${name}`),
  "io.k8s.api.discovery.v1.EndpointPort",
  "io.k8s.api.networking.v1.ServiceBackendPort",
  "io.k8s.api.rbac.v1.Subject",
  "io.k8s.api.rbac.v1.RoleRef",
  `${meta}.OwnerReference`,
  `${meta}.LabelSelector`,
]);
