// Follows one object, and keeps its last state after its deletion.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { collectionOf } from "../../api/cluster.ts";
import { type Mapping, groupVersionOf, pathOf } from "../../kubectl/cluster/discovery.ts";
import type { ObjectRef } from "../../live/reference.ts";
import { useLive } from "../../view/context.ts";

export interface ObservedObject {
  /** The last known state. Undefined if the object never existed. */
  readonly object: KubeObject | undefined;
  readonly isThere: boolean;
  readonly isLoaded: boolean;
  /** The reason why it may not be read, or empty. */
  readonly refused: string;
}

export function useObject(mapping: Mapping, { namespace, name }: ObjectRef): ObservedObject {
  const { cluster } = useLive();
  const last = useRef<KubeObject>(undefined);
  const { stop, collection } = useMemo(() => {
    const stop = new AbortController();
    const source = collectionOf(cluster.access, pathOf(mapping, namespace), { fieldSelector: `metadata.name=${name}` });
    return { stop, collection: cluster.follow(source, stop.signal) };
  }, [cluster]);
  useEffect(() => () => stop.abort(), [stop]);
  const [current] = collection.all.value;
  // List items do not contain their kind.
  if (current) last.current = { ...current, apiVersion: groupVersionOf(mapping), kind: mapping.kind };
  const state = collection.state.value;
  return {
    object: last.current,
    isThere: current !== undefined,
    isLoaded: collection.loaded.value,
    refused: state.phase === "refused" ? state.message : "",
  };
}
