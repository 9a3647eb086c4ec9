// Keeps the catalogue as the stored definitions of custom resources say: at waking by their summaries alone, then at each change.
import { limits } from "../../shared/base/limits.ts";
import type { CustomResourceDefinition } from "../../shared/k8s/api/apiextensions-v1.ts";
import { equalJson } from "../../shared/schema/json-values.ts";
import { must } from "../../shared/base/assert.ts";
import { customResourceDefinitions } from "../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { CompiledDefinitions } from "../kinds/apiextensions/custom-resource/compiled.ts";
import { converter } from "../kinds/apiextensions/custom-resource/convert.ts";
import type { Conversions } from "../kinds/apiextensions/custom-resource/conversions.ts";
import { customKinds } from "../kinds/apiextensions/custom-resource/custom-resource.ts";
import { parseSummary, type Summary, summaryOf } from "../kinds/apiextensions/custom-resource-definition/summary.ts";
import type { Registry } from "../registry/registry.ts";

export function serveCustomKinds(
  { store, catalogue }: Pick<Registry, "store" | "catalogue">,
  conversions: Conversions,
): void {
  const { resource } = customResourceDefinitions;
  const builtIn = new Set(catalogue.kinds.map((kind) => kind.resource));
  /** With the revision from which instances have been through the schemas as they are now. */
  const served = new Map<string, { readonly summary: Summary; readonly revision: number }>();
  /** The definition that was just deleted. Watches still receive the last changes of its instances. */
  let gone: CustomResourceDefinition | undefined;
  // The store keeps what decoding of this very kind gave.
  const load = (name: string) =>
    (store.get({ resource, namespace: "", name }) as CustomResourceDefinition | undefined) ?? gone;
  const definitions = new CompiledDefinitions(limits.compiledDefinitionsBytes, load, store.meter);
  const put = (name: string, summary: Summary, revision: number) => {
    const compiled = (version: string) => must(definitions.get(name), `definition ${name}`).version(version);
    const conversion = () => definitions.get(name)?.definition.spec.conversion;
    const { served: kinds, stored } = customKinds(summary, revision, compiled, {
      convert: converter(conversion, conversions),
      meter: store.meter,
      needsWebhook: () => conversion()?.strategy === "Webhook",
    });
    catalogue.put(name, kinds, stored);
    served.set(name, { summary, revision });
  };
  const remove = (name: string) => {
    if (!served.delete(name)) return;
    catalogue.remove(name);
    catalogue.replaced(name);
  };
  for (const { name, indexValue, revision } of store.indexValues(resource)) {
    const summary = parseSummary(indexValue);
    if (summary.established && !builtIn.has(name)) put(name, summary, revision);
  }
  store.onChange((change) => {
    if (change.resource !== resource) return;
    const { name } = change;
    const definition = change.object as CustomResourceDefinition;
    if (change.type === "DELETED") {
      gone = definition;
      remove(name);
      gone = undefined;
      return definitions.forget(name);
    }
    definitions.forget(name);
    const summary = parseSummary(summaryOf(definition));
    if (!summary.established || builtIn.has(name)) return remove(name);
    const before = served.get(name);
    const isSame = before && equalJson(before.summary, { ...summary, terminating: before.summary.terminating });
    put(name, summary, isSame ? before.revision : change.revision);
    if (before && !isSame) catalogue.replaced(name);
  });
}
