// One object in full: its YAML as it changes, and its events.
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { eventsOf } from "../live/timeline.ts";
import { readable, toYaml } from "../live/yaml.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { KindBadge } from "../parts/kind-badge.tsx";
import { type Selection, collectionOf, useLive } from "./context.ts";
import { EventList } from "./event-list.tsx";

const groupVersions = { Deployment: "apps/v1", ReplicaSet: "apps/v1", Pod: "v1", Service: "v1", Node: "v1" };

export function Detail({ selection }: { readonly selection: Selection }) {
  const { cluster, selection: current } = useLive();
  const { kind, uid, name } = selection;
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef<KubeObject>(undefined);
  const object = collectionOf(cluster, kind).byUid.value.get(uid);
  if (object) last.current = object;
  const events = useComputed(() => eventsOf(cluster.events.all.value, uid, name));
  useEffect(() => {
    // Wherever the choice was made, on closing one is there again.
    const before = document.activeElement;
    heading.current?.focus();
    return () => before instanceof HTMLElement && before.isConnected && before.focus();
  }, []);
  const close = () => void (current.value = undefined);
  // Items of a list do not say their kind.
  const yaml = last.current ? toYaml(readable({ ...last.current, apiVersion: groupVersions[kind], kind })) : "";
  return (
    <section class="panel detail" aria-label={`${kind} ${name}`} onKeyDown={({ key }) => key === "Escape" && close()}>
      <header>
        <h2 tabIndex={-1} ref={heading}>
          <KindBadge kind={kind} /> <span class="name">{name}</span>
        </h2>
        <button type="button" class="quiet icon" aria-label="Close detail" onClick={close}>
          ✕
        </button>
      </header>
      {!object && <p class="notice">This {kind} is gone; below is what it was.</p>}
      <h3>Events</h3>
      <EventList events={events.value} isOfOne />
      <div class="titled">
        <h3>YAML</h3>
        <CopyButton class="quiet" label="Copy" text={() => yaml} file={`${name}.yaml`} />
      </div>
      <pre class="yaml" tabIndex={0} aria-label="YAML">
        {yaml}
      </pre>
    </section>
  );
}
