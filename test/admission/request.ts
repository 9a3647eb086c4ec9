// Requests for admission plugins, with the objects that stand in the cluster.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { defaultFeatures } from "../../shared/k8s/settings/feature-gates.ts";
import { defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { openHouse } from "../access/open-house.ts";
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

/** A decoded object of a kind, from whatever a test writes of it. */
export function objectOf<T extends KubeObject>(kind: Kind<T>, value: unknown): T {
  // Decoding by the kind's own type gives objects of that kind.
  return decode(kind.type, value).object as T;
}

export function stored(kind: Kind, value: unknown): Stored {
  return { kind, object: objectOf(kind, value) };
}

export function requestOf<T extends KubeObject>(
  kind: Kind<T>,
  operation: AdmissionRequest["operation"],
  given: {
    object?: T;
    previous?: T;
    namespace?: string;
    name?: string;
    subresource?: string;
    there?: readonly Stored[];
  },
): AdmissionRequest {
  const there = (given.there ?? []) as readonly { kind: Kind; object: KubeObject }[];
  const found = (of: Kind) => there.filter((one) => one.kind.resource === of.resource).map((one) => one.object);
  const { object, previous, subresource = "" } = given;
  return {
    operation,
    kind: kind,
    subresource,
    namespace: given.namespace ?? object?.metadata.namespace ?? "",
    name: given.name ?? object?.metadata.name ?? "",
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
      authorizer: openHouse,
      count: (of) => found(of).length,
      kindOf: (apiVersion, name) => kinds.find((one) => one.apiVersion === apiVersion && one.kind === name),
      versionsOf: (of) => [of],
      list: <S extends KubeObject>(of: Kind<S>) => found(of) as unknown as Iterable<S>,
      get: <S extends KubeObject>(of: Kind<S>, namespace: string, name: string) =>
        found(of as Kind).find(({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name) as
          | S
          | undefined,
    },
    warn: () => undefined,
  };
}

/** Both steps, as a write takes them. */
export function admit(plugin: AdmissionPlugin, request: AdmissionRequest): void {
  plugin.mutate?.(request);
  plugin.validate?.(request);
}
