// Checks the audience of a node's token requests: the pod's volumes must name it, or a role must allow it.
import type { PersistentVolume, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { csiDrivers } from "../../kinds/storage/csi-driver.ts";
import type { Kind } from "../../kinds/kind.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

type Context = AdmissionRequest["context"];

export function audienceProblem(audiences: readonly string[], pod: Pod, request: AdmissionRequest): string | undefined {
  const { context, userInfo, namespace, name } = request;
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const [audience = ""] = audiences;
  const quoted = JSON.stringify(audience);
  const mentioned = mentions(pod, audience, context);
  if (mentioned === true) return undefined;
  if (mentioned !== false) return `error validating audience ${quoted}: ${mentioned}`;
  const attributes = {
    isResource: true,
    verb: "request-serviceaccounts-token-audience",
    group: "",
    plural: audience,
    subresource: "",
    namespace,
    name,
    path: "",
  };
  if (context.authorizer.decide(userInfo, attributes).allowed) return undefined;
  const what = "request tokens for this audience";
  return `audience ${quoted} not found in pod spec volume, ${userInfo.name} is not authorized to ${what}`;
}

/** Reports whether the pod's volumes name the audience. Returns the error as text if that cannot be determined. */
function mentions(pod: Pod, audience: string, context: Context): boolean | string {
  const errors = new Set<string>();
  for (const volume of pod.spec.volumes ?? []) {
    const sources = volume.projected?.sources ?? [];
    if (
      sources.some((source) => source.serviceAccountToken && (source.serviceAccountToken.audience ?? "") === audience)
    ) {
      return true;
    }
    try {
      const driver = driverOf(pod, volume, context);
      if (driver && driverAudiences(driver, context).includes(audience)) return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors.add(error.message);
    }
  }
  if (errors.size === 0) return false;
  const texts = [...errors];
  return texts.length > 1 ? `[${texts.join(", ")}]` : (texts[0] ?? "");
}

function driverOf(pod: Pod, { name, csi, ephemeral, persistentVolumeClaim }: Volume, context: Context) {
  const { namespace = "" } = pod.metadata;
  if (ephemeral?.volumeClaimTemplate) return driverOfClaim(namespace, `${pod.metadata.name}-${name}`, context);
  if (persistentVolumeClaim) return driverOfClaim(namespace, persistentVolumeClaim.claimName, context);
  return csi?.driver;
}

function driverOfClaim(namespace: string, name: string, context: Context): string | undefined {
  const claim = mustGet(context, persistentVolumeClaims, namespace, name);
  const volume: PersistentVolume = mustGet(context, persistentVolumes, "", claim.spec.volumeName ?? "");
  return volume.spec.csi?.driver;
}

function driverAudiences(driver: string, context: Context): string[] {
  return (mustGet(context, csiDrivers, "", driver).spec.tokenRequests ?? []).map(({ audience }) => audience);
}

/** Returns an object. Throws 404 with the message of a lister, which names the kind. */
function mustGet<T extends KubeObject>(context: Context, kind: Kind<T>, namespace: string, name: string): T {
  const object = context.get(kind, namespace, name);
  if (object) return object;
  throw ApiError.notFound({ group: kind.group, name: kind.singular }, name);
}
