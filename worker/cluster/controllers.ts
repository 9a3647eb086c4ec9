// All the controllers of a sandbox, put together: the only place that knows both the catalogue and the kubelet.
import { controllers } from "./settings/controller-catalogue.ts";
import { authenticationTrust, type FrontProxy } from "../controllers/authentication-trust.ts";
import { bootstrapSigner } from "../controllers/bootstrap/signer.ts";
import { assumedObjects } from "../containers/assumed-objects.ts";
import { operators } from "../containers/products/programs.ts";
import { webhookCertificates } from "../controllers/webhook-certificates.ts";
import { platformKeys } from "./certificates/authority.ts";
import { certificateSigning } from "../controllers/certificates/signing.ts";
import { garbageCollector } from "../controllers/garbage-collector/controller.ts";
import type { Authority } from "../controllers/certificates/authority.ts";
import { namespaceController } from "../controllers/namespace/controller.ts";
import { resourceQuotaController } from "../controllers/resource-quota.ts";
import { rootCaController } from "../controllers/certificates/root-ca-publisher.ts";
import { serviceAccountToken } from "../controllers/service-account/tokens.ts";
import type { NodeAdmission } from "../kubelet/options.ts";
import { admissionCheck, AdmittedPods, resourceAdmissionCheck } from "../scheduler/admission-check.ts";
import { kinds } from "../kinds/catalogue.ts";
import { kubelet } from "../kubelet/kubelet.ts";
import { type Delays, fasterDelays, zeroDelays } from "../machine/delays.ts";
import type { ContainerTimeline, KeptEdits } from "../containers/cri.ts";
import { nodeMachines } from "../containers/node/machines.ts";
import { nodeRuntimes } from "./runs/node-runtimes.ts";
import { csiNodeRegistrar, nodeExpansion, volumesInUse } from "../kubelet/volume-manager.ts";
import { simulatedDeviceStatus, simulatedDevices } from "../kubelet/simulated-devices.ts";
import type { NodeFaults } from "../kubelet/node-faults.ts";
import { nodeLifecycle } from "../kubelet/node-lifecycle.ts";
import { nodeUpgradeController } from "../kubelet/node-upgrade.ts";
import { staticPodController } from "../kubelet/static-pods.ts";
import type { Controller } from "../runtime/controller.ts";
import type { ChosenControllers, Images, Unknown } from "../../shared/contract/sandbox.ts";
import { chosenOf, unknownChoice } from "./settings/controller-choice.ts";
import { AssertionError } from "../../shared/base/assert.ts";
import { createHmac } from "node:crypto";

/** An authority for a call that reads only the names of controllers. */
const nobody: Authority = {
  certificate: "",
  notAfterMs: 0,
  subject: new Uint8Array(),
  keyId: new Uint8Array(),
  verify: () => false,
  sign: () => {
    throw new AssertionError("nobody signs");
  },
};

export interface ControllerOptions {
  /** The kubelet does everything at once: for tests, benchmarks and CI. */
  readonly zeroDelays: boolean;
  /** So many times faster than a real one is the kubelet otherwise. Default: 1. */
  readonly kubeletFactor?: number;
  /** Which images can be pulled. Default: `strict`. */
  readonly images?: Images | undefined;
  /** The outcome of software that the simulator lacks. Default: `succeed`. */
  readonly unknown?: Unknown | undefined;
  /** Default: all. */
  readonly chosen?: ChosenControllers | undefined;
  /** The PEM of the authority of the server's certificate, published in `kube-root-ca.crt`. */
  readonly caPem: string;
  /** The cluster's own authority, published with it; absent, no certificates are signed. */
  readonly authority?: Authority;
  /** The cluster's identity towards the servers of aggregated APIs. Undefined: the cluster has none. */
  readonly frontProxy?: () => FrontProxy;
  /** Signs the tokens of service accounts that stand in secrets; absent, there are none. */
  readonly signToken?: (claims: object) => string;
  /** The changes that people made in containers. */
  readonly edits?: KeptEdits;
  /** See `KubeletOptions`. */
  readonly timeline?: ContainerTimeline;
  /** See `KubeletOptions`. */
  readonly faults?: NodeFaults | undefined;
  /** Told of bugs that ended a container and nothing else. */
  readonly report?: (error: unknown, where: string) => void;
}

export function allControllers(options: ControllerOptions): readonly Controller[] {
  return chosenOf(everyController(options), options.chosen);
}

/** How fast kubelets are; whatever is no known word is `real`. */
export function paceOf(speed: number | string | undefined): Pick<ControllerOptions, "zeroDelays" | "kubeletFactor"> {
  return { zeroDelays: speed === "zero", kubeletFactor: typeof speed === "number" ? speed : 1 };
}

export function delaysOf({ zeroDelays: isZero, kubeletFactor = 1 }: ReturnType<typeof paceOf>): Delays {
  return isZero ? zeroDelays : fasterDelays(kubeletFactor);
}

/** The first name of the setting that no controller has. */
export function controllersProblem(
  chosen: ChosenControllers | undefined,
): { field: string; message: string } | undefined {
  const at = unknownChoice(
    everyController({ zeroDelays: true, caPem: "", authority: nobody, signToken: () => "" }),
    chosen,
  );
  return at === undefined ? undefined : { field: `controllers.${at}`, message: "there is no such controller" };
}

function everyController(options: ControllerOptions): readonly Controller[] {
  const machines = nodeMachines(options.edits);
  return [
    ...controllers,
    garbageCollector(kinds),
    namespaceController(kinds),
    resourceQuotaController(kinds),
    rootCaController(() => bundle(options)),
    bootstrapSigner(hmacSha256),
    ...(options.authority ? [certificateSigning(options.authority)] : []),
    ...operators({ keys: platformKeys }),
    webhookCertificates(platformKeys),
    assumedObjects({ keys: platformKeys, images: options.images, unknown: options.unknown }),
    ...trustController(options),
    ...(options.signToken ? [serviceAccountToken({ sign: options.signToken, bundle: () => bundle(options) })] : []),
    nodeLifecycle(options.faults, machines),
    staticPodController(machines),
    nodeUpgradeController(options.zeroDelays),
    simulatedDevices,
    csiNodeRegistrar,
    volumesInUse,
    nodeExpansion,
    simulatedDeviceStatus,
    kubelet({
      ...delaysOf(options),
      admission: nodeAdmission,
      runtimes: nodeRuntimes({
        images: options.images,
        unknown: options.unknown,
        edits: options.edits,
        delays: delaysOf(options),
      }),
      ...(options.edits ? { edits: options.edits } : {}),
      ...(options.timeline ? { timeline: options.timeline } : {}),
      machines,
      faults: options.faults,
      ...(options.report ? { report: options.report } : {}),
    }),
  ];
}

const nodeAdmission: NodeAdmission<AdmittedPods> = {
  newPods: () => new AdmittedPods(),
  admit: admissionCheck,
  admitResize: resourceAdmissionCheck,
};

function trustController({ authority, frontProxy }: ControllerOptions): Controller[] {
  if (!authority || !frontProxy) return [];
  return [authenticationTrust({ clientAuthority: () => authority.certificate, frontProxy })];
}

/** Both authorities: what the address shows, and what the cluster signs, can be verified by it. */
export function bundle({ caPem, authority }: Pick<ControllerOptions, "caPem" | "authority">): string {
  if (!authority) return caPem;
  return `${caPem}${caPem === "" || caPem.endsWith("\n") ? "" : "\n"}${authority.certificate}`;
}

/** HMAC with SHA-256, in base64url, synchronously. */
function hmacSha256(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
