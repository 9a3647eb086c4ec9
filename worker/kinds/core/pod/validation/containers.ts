// Validates the containers of a pod: regular, init and ephemeral ones.
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EphemeralContainer,
  PodSpec,
  Volume,
  ContainerRestartRule,
} from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupportedInOrder,
  required,
  tooMany,
} from "../../../../../shared/k8s/field.ts";
import { dns1123Label, portName, portNumber } from "../../../../../shared/k8s/names.ts";
import { each, requireNonEmpty, oneOf } from "../../../common/checks.ts";
import { isSidecar } from "../resources.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validateLifecycle, validateProbes } from "./handlers.ts";
import { validateDevices, validateMounts } from "./mounts.ts";
import { validateResources } from "./resources.ts";
import { validateContainerSecurity } from "./security.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";

const maxRules = 20;
const maxExitCodes = 255;

type Volumes = ReadonlyMap<string, Volume>;

export function validateContainers(spec: PodSpec, volumes: Volumes, path: FieldPath): FieldError[] {
  const { containers } = spec;
  if (containers.length === 0) return [required(path)];
  const repeats = repeatsOf(containers, ({ name }) => name);
  const errors = containers.flatMap((container, index) => {
    const at = path.index(index);
    const commonErrors = validateCommon(container, spec, volumes, at);
    if (repeats[index]) commonErrors.push(duplicate(at.child("name"), container.name));
    commonErrors.push(...validateRunning(container, spec, at));
    commonErrors.push(...validateContainerRestartPolicy(container, at));
    return commonErrors;
  });
  return [...errors, ...validateHostPorts(containers, path)];
}

export function validateInitContainers(spec: PodSpec, volumes: Volumes, path: FieldPath): FieldError[] {
  const taken = new Set(spec.containers.map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const at = path.index(index);
    const errors = validateCommon(container, spec, volumes, at);
    errors.push(...validateContainerRestartPolicy(container, at));
    if (taken.has(container.name)) errors.push(duplicate(at.child("name"), container.name));
    else if (container.name) taken.add(container.name);
    // Init containers run one after another, so each can use any host port.
    errors.push(...validateHostPorts([container], path));
    if (isSidecar(container)) return [...errors, ...validateRunning(container, spec, at)];
    for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (container[field] === undefined) continue;
      errors.push(forbidden(at.child(field), "may not be set for init containers without restartPolicy=Always"));
    }
    for (const [index, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
      const field = at.child("resizePolicy").index(index).child("restartPolicy");
      const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      if (restartPolicy === "RestartContainer") errors.push(invalid(field, restartPolicy, detail));
    }
    return errors;
  });
}

const ephemeralRefusal = "cannot be set for an Ephemeral Container";
const ephemeralForbidden = [
  "ports",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

export function validateEphemeralContainers(spec: PodSpec, volumes: Volumes, path: FieldPath): FieldError[] {
  const targets = new Set([...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name));
  const taken = new Set(targets);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = path.index(index);
    const errors = validateCommon(container, spec, volumes, at);
    errors.push(...validateImagePadding(container, at));
    if (taken.has(container.name)) errors.push(duplicate(at.child("name"), container.name));
    taken.add(container.name);
    const target = container.targetContainerName;
    if (target && !targets.has(target)) errors.push(notFound(at.child("targetContainerName"), target));
    for (const field of ephemeralForbidden) {
      if (container[field] !== undefined) errors.push(forbidden(at.child(field), ephemeralRefusal));
    }
    if (Object.keys(container.resources).length > 0) errors.push(forbidden(at.child("resources"), ephemeralRefusal));
    for (const [mountIndex, mount] of (container.volumeMounts ?? []).entries()) {
      const mountAt = at.child("volumeMounts").index(mountIndex);
      if (mount.subPath) errors.push(forbidden(mountAt.child("subPath"), ephemeralRefusal));
      if (mount.subPathExpr) errors.push(forbidden(mountAt.child("subPathExpr"), ephemeralRefusal));
    }
    return errors;
  });
}

/** Validates the image's white space, which pods restrict more than templates. */
export function validateImagePadding({ image = "" }: Container | EphemeralContainer, path: FieldPath): FieldError[] {
  if (image === image.trim()) return [];
  return [invalid(path.child("image"), image, "must not have leading or trailing whitespace")];
}

function validateCommon(
  container: Container | EphemeralContainer,
  spec: PodSpec,
  volumes: Volumes,
  path: FieldPath,
): FieldError[] {
  const { name, image, terminationMessagePolicy, imagePullPolicy, ports = [] } = container;
  const claimNames = (spec.resourceClaims ?? []).map((claim) => claim.name);
  const messages = ["File", "FallbackToLogsOnError"];
  return [
    ...(name ? each(dns1123Label(name), path.child("name"), name) : [required(path.child("name"))]),
    ...requireNonEmpty(image, path.child("image")),
    ...requireOneOf(terminationMessagePolicy, path.child("terminationMessagePolicy"), messages),
    ...validatePorts(ports, path.child("ports")),
    ...validateEnv(container.env ?? [], path.child("env")),
    ...validateEnvFrom(container.envFrom ?? [], path.child("envFrom")),
    ...validateMounts(container, volumes, path.child("volumeMounts")),
    ...validateDevices(container, volumes, path.child("volumeDevices")),
    ...requireOneOf(imagePullPolicy, path.child("imagePullPolicy"), ["Always", "IfNotPresent", "Never"]),
    ...validateResources(container.resources, claimNames, path.child("resources")),
    ...validateResizePolicy(container.resizePolicy ?? [], spec, path.child("resizePolicy")),
    ...validateContainerSecurity(container.securityContext, spec.hostUsers !== false, path.child("securityContext")),
  ];
}

/** Validates the fields of containers that run beside others. */
function validateRunning(container: Container, spec: PodSpec, path: FieldPath): FieldError[] {
  const { lifecycle } = container;
  const grace = spec.terminationGracePeriodSeconds;
  return [
    ...(lifecycle ? validateLifecycle(lifecycle, grace, path.child("lifecycle")) : []),
    ...validateProbes(container, grace, path),
  ];
}

function requireOneOf(value: string | undefined, path: FieldPath, supported: readonly string[]): FieldError[] {
  if (!value) return [required(path)];
  return supported.includes(value) ? [] : [notSupportedInOrder(path, value, supported)];
}

function validatePorts(ports: readonly ContainerPort[], path: FieldPath): FieldError[] {
  const repeats = repeatsOf(ports, ({ name }) => name);
  return ports.flatMap((port, index) => {
    const at = path.index(index);
    const { name, containerPort, hostPort, protocol } = port;
    const wrongName = name ? portName(name) : [];
    const errors = each(wrongName, at.child("name"), name);
    if (name && wrongName.length === 0 && repeats[index]) {
      errors.push(duplicate(at.child("name"), name));
    }
    if (!containerPort) errors.push(required(at.child("containerPort")));
    else errors.push(...each(portNumber(containerPort), at.child("containerPort"), containerPort));
    if (hostPort) errors.push(...each(portNumber(hostPort), at.child("hostPort"), hostPort));
    if (!protocol) errors.push(required(at.child("protocol")));
    else errors.push(...oneOf(protocol, at.child("protocol"), ["SCTP", "TCP", "UDP"]));
    return errors;
  });
}

function validateHostPorts(containers: readonly Container[], path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [portIndex, { protocol = "", hostIP = "", hostPort }] of ports.entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const at = path.index(index).child("ports").index(portIndex).child("hostPort");
      if (taken.has(key)) errors.push(duplicate(at, key));
      taken.add(key);
    }
  }
  return errors;
}

function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const repeats = repeatsOf(policies, ({ resourceName }) => resourceName);
  return policies.flatMap(({ resourceName, restartPolicy }, index) => {
    const errors: FieldError[] = [];
    if (repeats[index]) {
      errors.push(duplicate(path.index(index), resourceName));
    }
    errors.push(...requireOneOf(resourceName, path, ["cpu", "memory"]));
    errors.push(...requireOneOf(restartPolicy, path, ["NotRequired", "RestartContainer"]));
    if (spec.restartPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

function validateContainerRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const errors: FieldError[] = [];
  const at = path.child("restartPolicy");
  if (restartPolicy !== undefined) errors.push(...oneOf(restartPolicy, at, ["Always", "Never", "OnFailure"]));
  else if (rules.length > 0) errors.push(required(at, "must specify restartPolicy when restart rules are used"));
  const rulesAt = path.child("restartPolicyRules");
  if (rules.length > maxRules) errors.push(tooMany(rulesAt, rules.length, maxRules));
  return [...errors, ...rules.flatMap((rule, index) => validateRule(rule, rulesAt.index(index)))];
}

function validateRule({ action = "", exitCodes }: ContainerRestartRule, path: FieldPath): FieldError[] {
  const errors = oneOf(action, path.child("action"), ["Restart", "RestartAllContainers"]);
  const at = path.child("exitCodes");
  if (!exitCodes) return [...errors, required(at, "must be specified")];
  errors.push(...oneOf(exitCodes.operator ?? "", at.child("operator"), ["In", "NotIn"]));
  const count = exitCodes.values?.length ?? 0;
  return [...errors, ...(count > maxExitCodes ? [tooMany(at.child("values"), count, maxExitCodes)] : [])];
}
