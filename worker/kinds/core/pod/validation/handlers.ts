// Validates probes and lifecycle hooks.
import { validateNonNegative } from "../../../../../shared/k8s/validate-meta.ts";
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, required } from "../../../../../shared/k8s/field.ts";
import { httpHeaderName } from "../../../../../shared/k8s/names.ts";
import { each, requireNonEmpty, oneOf, portNumberOrName } from "../../../common/checks.ts";

type ProbeKind = "livenessProbe" | "readinessProbe" | "startupProbe";

export function validateProbes(
  probes: { readonly [Name in ProbeKind]?: Probe },
  graceSeconds: number | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = probes[name];
    if (probe) errors.push(...validateProbe(name, probe, graceSeconds, path.child(name)));
  }
  return errors;
}

export function validateLifecycle(
  lifecycle: Lifecycle,
  graceSeconds: number | undefined,
  path: FieldPath,
): FieldError[] {
  const { postStart, preStop } = lifecycle;
  return [
    ...(postStart ? validateHandler(postStart, graceSeconds, path.child("postStart")) : []),
    ...(preStop ? validateHandler(preStop, graceSeconds, path.child("preStop")) : []),
  ];
}

function validateProbe(name: ProbeKind, probe: Probe, graceSeconds: number | undefined, path: FieldPath): FieldError[] {
  const errors = validateHandler(probe, graceSeconds, path);
  const counts = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const;
  for (const field of counts) errors.push(...validateNonNegative(probe[field], path.child(field)));
  const grace = probe.terminationGracePeriodSeconds;
  const graceAt = path.child("terminationGracePeriodSeconds");
  if (grace !== undefined && grace <= 0) errors.push(invalid(graceAt, grace, "must be greater than 0"));
  if (name === "readinessProbe") {
    if (grace !== undefined) errors.push(invalid(graceAt, grace, "must not be set for readinessProbes"));
  } else if (probe.successThreshold !== 1) {
    errors.push(invalid(path.child("successThreshold"), probe.successThreshold ?? 0, "must be 1"));
  }
  return errors;
}

/** Requires exactly one action. Further ones are rejected without validation. */
function validateHandler(
  handler: Probe & LifecycleHandler,
  graceSeconds: number | undefined,
  path: FieldPath,
): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const actions: [string, (at: FieldPath) => FieldError[]][] = [];
  if (exec) actions.push(["exec", (at) => (exec.command?.length ? [] : [required(at.child("command"))])]);
  if (httpGet) actions.push(["httpGet", (at) => validateHttpGet(httpGet, at)]);
  if (tcpSocket) actions.push(["tcpSocket", (at) => portNumberOrName(tcpSocket.port, at.child("port"))]);
  if (grpc) actions.push(["grpc", (at) => portNumberOrName(grpc.port, at.child("port"))]);
  if (sleep) actions.push(["sleep", (at) => validateSleep(sleep.seconds, graceSeconds, at)]);
  if (actions.length === 0) return [required(path, "must specify a handler type")];
  return actions.flatMap(([name, check], index) =>
    index === 0 ? check(path.child(name)) : [forbidden(path.child(name), "may not specify more than 1 handler type")],
  );
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  return [
    ...requireNonEmpty(action.path, path.child("path")),
    ...portNumberOrName(action.port, path.child("port")),
    ...oneOf(action.scheme ?? "", path.child("scheme"), ["HTTP", "HTTPS"]),
    ...(action.httpHeaders ?? []).flatMap(({ name }) => each(httpHeaderName(name), path.child("httpHeaders"), name)),
  ];
}

function validateSleep(seconds: number, graceSeconds: number | undefined, path: FieldPath): FieldError[] {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, seconds, detail)];
}
