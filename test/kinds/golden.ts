// Runs a golden case of a kind: decodes its input and runs the registry's steps, without admission.
import { newestRelease } from "../../shared/k8s/settings/release.ts";
import { defaultFeatures } from "../../shared/k8s/settings/feature-gates.ts";
import { defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { allowAll } from "../access/allow-all.ts";
import { SteppedClock } from "../../shared/base/clock.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { printerRow } from "./row.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import { mergePatch } from "../../shared/schema/merge-patch.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import { create } from "../../worker/registry/create.ts";
import type { Registry } from "../../worker/registry/registry.ts";
import { update } from "../../worker/registry/update.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

export interface GoldenInput {
  /** Existing objects by resource: `{ "services": [...] }`. */
  readonly stored?: Readonly<Record<string, readonly unknown[]>>;
  /** The object to create. */
  readonly object: unknown;
  /** A merge patch for an update. */
  readonly change?: unknown;
  /** The subresource of the update. */
  readonly subresource?: string;
}

export type GoldenOutput =
  | { readonly object: unknown; readonly row: Readonly<Record<string, unknown>>; readonly warnings?: readonly string[] }
  /** The causes with their fields, or the message of an error without causes. */
  | { readonly refused: readonly string[] };

const actor = { user: { name: "admin", groups: ["system:masters"] }, origin: "test", manager: "test" };

export function runGolden(kinds: readonly Kind[], kind: Kind, input: GoldenInput): GoldenOutput {
  const registry = newRegistry(kinds);
  const warnings: string[] = [];
  try {
    for (const [resource, objects] of Object.entries(input.stored ?? {})) {
      for (const storedObject of objects) createDecoded(registry, findKind(kinds, resource), storedObject, []);
    }
    let object = createDecoded(registry, kind, input.object, warnings);
    if (input.change !== undefined) object = updateDecoded(registry, kind, object, input, warnings);
    return {
      object: withoutChance(decoded(kind, object)),
      row: printerRow(kind, object, registry.clock.nowMs()),
      ...(warnings.length ? { warnings } : {}),
    };
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return { refused: refusals(thrown) };
  }
}

/** Finds a kind by its store name (`events.events.k8s.io`) or its plural. */
export function findKind(kinds: readonly Kind[], folder: string): Kind {
  const kind = kinds.find((kind) => kind.resource === folder) ?? kinds.find((kind) => kind.plural === folder);
  if (!kind) throw new Error(`no kind ${folder}`);
  return kind;
}

function newRegistry(kinds: readonly Kind[]): Registry {
  const sql = nodeSql();
  createTables(sql);
  return {
    store: new Store(sql),
    catalogue: new Catalogue(kinds),
    plugins: () => [],
    clock: new SteppedClock(),
    random: seededRandom(1),
    network: defaultNetwork,
    features: defaultFeatures,
    release: newestRelease,
    authorizer: allowAll,
  };
}

function decoded(kind: Kind, value: unknown): KubeObject {
  // Decoding by the kind's type returns objects of the kind.
  return decode(kind.type, value).object as KubeObject;
}

function createDecoded(registry: Registry, kind: Kind, value: unknown, warnings: string[]): KubeObject {
  const draft = decoded(kind, value);
  const namespace = kind.namespaced ? (draft.metadata.namespace ?? "default") : "";
  return create(registry, kind, namespace, draft, actor, { warn: (message) => warnings.push(message) });
}

function updateDecoded(registry: Registry, kind: Kind, object: KubeObject, input: GoldenInput, warnings: string[]) {
  const { namespace = "", name = "" } = object.metadata;
  const target = { namespace, name, subresource: input.subresource ?? "" };
  const draft = decoded(kind, mergePatch(structuredClone(object), input.change));
  warnings.length = 0;
  return update(registry, kind, target, draft, actor, { warn: (message) => warnings.push(message) });
}

/** Removes random values and times, and field ownership, which has its own tests. */
function withoutChance(object: KubeObject): unknown {
  const { uid, creationTimestamp, resourceVersion, managedFields, ...metadata } = object.metadata;
  void [uid, creationTimestamp, resourceVersion, managedFields];
  return { ...object, metadata };
}

function refusals(error: ApiError): string[] {
  const causes = error.reason === "Invalid" ? (error.details?.causes ?? []) : [];
  if (!causes.length) return [error.message];
  return causes.map(({ field, message = "" }) => (field ? `${field}: ${message}` : message));
}
