// Images: whether an image is pulled, is present, or cannot be pulled.
import { type ContainerLife, lastEnd, type PodLife, recordEvent } from "../life.ts";

export interface Pull {
  readonly outcome: "pull" | "present" | "fail" | "never" | "invalid";
  readonly ms: number;
  /** The error message; empty if there is none. */
  readonly problem: string;
}

/** Returns the outcome of pulling the container's image at a time. */
export function pullOf(life: PodLife, { spec }: ContainerLife, beginMs: number): Pull {
  const { images } = life.node;
  const image = images.imageStatus(spec.image ?? "");
  if ("error" in image) return { outcome: "invalid", ms: 0, problem: image.error };
  const since = images.presentSince(image);
  const present = since !== undefined && since <= beginMs;
  const policy = spec.imagePullPolicy ?? (image.tag === "latest" ? "Always" : "IfNotPresent");
  if (policy === "Never" && !present) return { outcome: "never", ms: 0, problem: "" };
  if (present && policy !== "Always") return { outcome: "present", ms: 0, problem: "" };
  const { error, tookMs } = images.pullImage(image, life.pod, spec, beginMs);
  return error === undefined
    ? { outcome: "pull", ms: tookMs, problem: "" }
    : { outcome: "fail", ms: tookMs, problem: error };
}

/** Reports whether the container's image was refused and would be refused again. */
export function isRefused(life: PodLife, container: ContainerLife): boolean {
  const reason = container.status.state.waiting?.reason ?? "";
  if (!["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"].includes(reason)) return false;
  const { outcome } = pullOf(life, container, Number.POSITIVE_INFINITY);
  return outcome !== "pull" && outcome !== "present";
}

/** Records that a pull begins, and the pull secrets that are missing. */
export function recordPull(life: PodLife, container: ContainerLife): void {
  const { namespace = "" } = life.pod.metadata;
  const named = (life.pod.spec.imagePullSecrets ?? []).map(({ name = "" }) => name);
  const missing = named.filter((name) => name !== "" && !life.node.lookup("secret", namespace, name));
  if (missing.length > 0) {
    const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
    recordEvent(life, "Warning", "FailedToRetrieveImagePullSecret", message);
  }
  recordEvent(life, "Normal", "Pulling", `Pulling image "${container.spec.image ?? ""}"`, container);
}

/** Records that the container cannot be started because of its image. */
export function refuse(
  life: PodLife,
  container: ContainerLife,
  pull: Pull,
  { isAnnounced }: { readonly isAnnounced: boolean },
): void {
  const image = container.spec.image ?? "";
  if (pull.outcome === "invalid") {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${pull.problem}`;
    recordEvent(life, "Warning", "InspectFailed", message, container);
    wait(life, container, "InvalidImageName", message);
  } else if (pull.outcome === "never") {
    const message = `Container image "${image}" is not present with pull policy of Never`;
    recordEvent(life, "Warning", "ErrImageNeverPull", message, container);
    wait(life, container, "ErrImageNeverPull", message);
  } else {
    if (!isAnnounced) recordPull(life, container);
    recordEvent(life, "Warning", "Failed", `Failed to pull image "${image}": ${pull.problem}`, container);
    wait(life, container, "ErrImagePull", pull.problem);
  }
}

/** Sets the container to waiting with the reason why it is not started. */
export function wait(life: PodLife, container: ContainerLife, reason: string, message: string, error = reason): void {
  recordEvent(life, "Warning", "Failed", `Error: ${error}`, container);
  const ended = lastEnd(container.status);
  container.status = {
    ...container.status,
    state: { waiting: { reason, message } },
    lastState: ended ? { terminated: ended } : {},
    ready: false,
    started: false,
  };
}
