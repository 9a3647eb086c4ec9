// The choice of the namespace.
import { messages } from "../messages.ts";
import { useComputed } from "@preact/signals";
import { useId } from "preact/hooks";
import { compareNamespaces } from "../live/workloads.ts";
import { useLive } from "./context.ts";

export function NamespaceFilter() {
  const { cluster, namespace, place } = useLive();
  const id = useId();
  const names = useComputed(() => {
    const names = cluster.namespaces.all.value.map(({ metadata }) => metadata.name ?? "");
    // The selected namespace stays available after its deletion.
    return [...new Set([...names, ...(namespace.value ? [namespace.value] : [])])].sort(compareNamespaces);
  });
  return (
    <div class="filter">
      <label for={id}>{messages.overview.namespace}</label>
      <select id={id} value={namespace.value} onChange={({ currentTarget }) => place.go({ ns: currentTarget.value })}>
        <option value="">{messages.overview.allNamespaces}</option>
        {names.value.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
