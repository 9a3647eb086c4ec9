// The choice of a kind: a list beside the table, or a select box on narrow screens.
import { useComputed } from "@preact/signals";
import { groupResource } from "../../kubectl/cluster/discovery.ts";
import { messages } from "../../messages.ts";
import { useLive } from "../../view/context.ts";
import { type KindGroup, kindGroups } from "../kinds.ts";
import { useEffect } from "preact/hooks";

export function KindList({ chosen }: { readonly chosen: string }) {
  const { cluster, place } = useLive();
  const groups = useComputed(() =>
    cluster.served.value ? kindGroups(cluster.served.value, cluster.access.mayWrite) : [],
  );
  // Definitions of custom kinds come and go.
  useEffect(() => {
    const again = () => void cluster.reloadServed();
    addEventListener("focus", again);
    return () => removeEventListener("focus", again);
  }, [cluster]);
  const choose = (resource: string) => place.go({ kind: resource, q: "", sort: "" });
  return (
    <nav class="kinds" aria-label={messages.list.kinds}>
      <select
        class="kinds-field"
        aria-label={messages.list.kind}
        value={chosen}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {groups.value.map(({ name, kinds }) => (
          <optgroup key={name} label={titleOf(name)}>
            {kinds.map((mapping) => (
              <option key={groupResource(mapping)} value={groupResource(mapping)}>
                {mapping.kind}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <div class="kinds-list">
        {groups.value.map((group) => (
          <Group key={group.name} group={group} chosen={chosen} />
        ))}
      </div>
    </nav>
  );
}

function Group({ group: { name, kinds }, chosen }: { readonly group: KindGroup; readonly chosen: string }) {
  const { place } = useLive();
  const isOpen = name !== "others" || kinds.some((mapping) => groupResource(mapping) === chosen);
  return (
    <details open={isOpen}>
      <summary>{titleOf(name)}</summary>
      <ul>
        {kinds.map((mapping) => {
          const resource = groupResource(mapping);
          return (
            <li key={resource}>
              <a
                href={place.href({ kind: resource, q: "", sort: "" })}
                aria-current={resource === chosen ? "page" : undefined}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey) return;
                  event.preventDefault();
                  place.go({ kind: resource, q: "", sort: "" });
                }}
              >
                {mapping.kind}
              </a>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

function titleOf(name: string): string {
  const titles: Readonly<Record<string, string>> = messages.kinds;
  return titles[name] ?? name;
}
