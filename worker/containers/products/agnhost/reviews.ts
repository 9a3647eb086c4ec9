// The decisions of the webhooks in upstream's tests, by path.

interface Reviewed {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly containers?: readonly Named[]; readonly initContainers?: readonly Named[] };
  readonly stdin?: boolean;
  readonly container?: string;
}

interface Named {
  readonly name?: string;
}

/** The used fields of an AdmissionRequest. */
export interface Review {
  readonly operation?: string;
  readonly name?: string;
  readonly object?: Reviewed | null;
  readonly oldObject?: Reviewed | null;
}

export interface Decision {
  readonly allowed: boolean;
  readonly status?: {
    readonly message?: string;
    readonly reason?: string;
    readonly status?: string;
    readonly code?: number;
  };
  readonly patch?: readonly object[];
  /** The time until the answer in milliseconds; Infinity if there is none. */
  readonly tookMs?: number;
}

const allowed: Decision = { allowed: true };
const marker = "webhook-e2e-test";

export const reviews: Readonly<Record<string, (review: Review, sidecarImage: string) => Decision>> = {
  "/always-allow-delay-5s": () => ({
    allowed: true,
    status: { message: "this webhook allows all requests" },
    tookMs: 5000,
  }),
  "/always-deny": () => ({ allowed: false, status: { message: "this webhook denies all requests" } }),
  "/add-label": addLabel,
  "/pods": admitPods,
  "/pods/attach": ({ name, object }) =>
    name === "to-be-attached-pod" && object?.stdin && object.container === "container1"
      ? { allowed: false, status: { message: "attaching to pod 'to-be-attached-pod' is not allowed" } }
      : allowed,
  "/mutating-pods": ({ object }) => {
    const has = object?.spec?.initContainers?.some(({ name }) => name === "webhook-added-init-container");
    if (object?.metadata?.name !== "webhook-to-be-mutated" || has) return allowed;
    const value = [{ image: "webhook-added-image", name: "webhook-added-init-container", resources: {} }];
    return { allowed: true, patch: [{ op: "add", path: "/spec/initContainers", value }] };
  },
  "/mutating-pods-sidecar": ({ object }, image) => {
    const message = "No image specified by the sidecar-image parameter";
    if (image === "") return { allowed: false, status: { status: "Failure", message, code: 500 } };
    if (object?.spec?.containers?.some(({ name }) => name === "webhook-added-sidecar")) return allowed;
    const value = { image, name: "webhook-added-sidecar", resources: {} };
    return { allowed: true, patch: [{ op: "add", path: "/spec/containers/-", value }] };
  },
  "/configmaps": (review) =>
    admitData(review, {
      write: "the configmap contains unwanted key and value",
      removal: "the configmap cannot be deleted because it contains unwanted key and value",
    }),
  "/mutating-configmaps": mutateData,
  "/custom-resource": (review) =>
    admitData(review, {
      write: "the custom resource contains unwanted data",
      removal: "the custom resource cannot be deleted because it contains unwanted key and value",
    }),
  "/mutating-custom-resource": mutateData,
  "/crd": ({ object }) =>
    object?.metadata?.labels?.[marker] === "webhook-disallow"
      ? { allowed: false, status: { message: "the crd contains unwanted label" } }
      : allowed,
};

function addLabel({ object }: Review): Decision {
  const labels = object?.metadata?.labels ?? {};
  const path = "/metadata/labels";
  if (Object.keys(labels).length === 0) {
    return { allowed: true, patch: [{ op: "add", path, value: { "added-label": "yes" } }] };
  }
  if (labels["added-label"] === "yes") return allowed;
  const op = labels["added-label"] === undefined ? "add" : "replace";
  return { allowed: true, patch: [{ op, path: `${path}/added-label`, value: "yes" }] };
}

function admitPods({ object }: Review): Decision {
  const label = object?.metadata?.labels?.[marker];
  const isNamed = object?.spec?.containers?.some(({ name = "" }) => name.includes("webhook-disallow"));
  const problems = [
    ...(label === "webhook-disallow" ? ["the pod contains unwanted label;"] : []),
    ...(label === "wait-forever" ? ["the pod response should not be sent;"] : []),
    ...(isNamed ? ["the pod contains unwanted container name;"] : []),
  ];
  if (problems.length === 0) return allowed;
  const decided = { allowed: false, status: { message: problems.join(" ") } };
  return label === "wait-forever" ? { ...decided, tookMs: Number.POSITIVE_INFINITY } : decided;
}

function admitData(
  { operation, object, oldObject }: Review,
  reasons: { readonly write: string; readonly removal: string },
): Decision {
  const value = (operation === "DELETE" ? oldObject : object)?.data?.[marker];
  if (value === "webhook-disallow" && (operation === "CREATE" || operation === "UPDATE")) {
    return { allowed: false, status: { reason: reasons.write } };
  }
  if (value === "webhook-nondeletable" && operation === "DELETE") {
    return { allowed: false, status: { reason: reasons.removal } };
  }
  return allowed;
}

/** Mutates data. The second stage depends on the result of the first, also if both apply. */
function mutateData({ object }: Review): Decision {
  const { data = {} } = object ?? {};
  const stage = data["mutation-stage-1"] === "yes" ? 2 : data["mutation-start"] === "yes" ? 1 : undefined;
  if (stage === undefined) return allowed;
  return { allowed: true, patch: [{ op: "add", path: `/data/mutation-stage-${stage}`, value: "yes" }] };
}
