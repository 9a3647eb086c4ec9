// Requests for admission plugins, with the stored objects of the cluster.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { defaultFeatures } from "../../shared/k8s/settings/feature-gates.ts";
import { defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { allowAll } from "../access/allow-all.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { decode } from "../../shared/schema/decode.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../worker/registry/admission.ts";

const user = { name: "admin", groups: ["system:masters"] };

export interface Stored {
  readonly kind: Kind;
  readonly object: unknown;
}

/** Decodes an object of a kind. */
export function objectOf<T extends KubeObject>(kind: Kind<T>, value: unknown): T {
  // Decoding by the kind's type returns objects of the kind.
  return decode(kind.type, value).object as T;
}

export function stored(kind: Kind, value: unknown): Stored {
  return { kind, object: objectOf(kind, value) };
}

export function requestOf<T extends KubeObject>(
  kind: Kind<T>,
  operation: AdmissionRequest["operation"],
  options: {
    object?: T;
    previous?: T;
    namespace?: string;
    name?: string;
    subresource?: string;
    stored?: readonly Stored[];
  },
): AdmissionRequest {
  const storedObjects = (options.stored ?? []) as readonly { kind: Kind; object: KubeObject }[];
  const objectsOfKind = (of: Kind) =>
    storedObjects.filter((entry) => entry.kind.resource === of.resource).map((entry) => entry.object);
  const { object, previous, subresource = "" } = options;
  return {
    operation,
    kind: kind,
    subresource,
    namespace: options.namespace ?? object?.metadata.namespace ?? "",
    name: options.name ?? object?.metadata.name ?? "",
    object,
    oldObject: previous,
    userInfo: user,
    dryRun: false,
    context: {
      nowMs: 0,
      meter: new WorkMeter(),
      random: seededRandom(1),
      network: defaultNetwork,
      features: defaultFeatures,
      user,
      dryRun: false,
      ask: () => [],
      authorizer: allowAll,
      count: (of) => objectsOfKind(of).length,
      kindOf: (apiVersion, name) =>
        kinds.find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === name),
      versionsOf: (of) => [of],
      list: <S extends KubeObject>(of: Kind<S>) => objectsOfKind(of) as unknown as Iterable<S>,
      get: <S extends KubeObject>(of: Kind<S>, namespace: string, name: string) =>
        objectsOfKind(of as Kind).find(
          ({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name,
        ) as S | undefined,
    },
    warn: () => undefined,
  };
}

/** Runs both steps of admission. */
export function admit(plugin: AdmissionPlugin, request: AdmissionRequest): void {
  plugin.mutate?.(request);
  plugin.validate?.(request);
}
