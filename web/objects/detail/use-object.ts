// One object as it changes, and what of it is still known when it is gone.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { collectionOf } from "../../api/cluster.ts";
import { type Mapping, groupVersionOf, pathOf } from "../../kubectl/cluster/discovery.ts";
import type { ObjectRef } from "../../live/reference.ts";
import { useLive } from "../../view/context.ts";

export interface Seen {
  /** The last that was there; undefined where none ever was. */
  readonly object: KubeObject | undefined;
  readonly isThere: boolean;
  readonly isLoaded: boolean;
  /** Why it may not be seen; "" where it may. */
  readonly refused: string;
}

export function useObject(mapping: Mapping, { namespace, name }: ObjectRef): Seen {
  const { cluster } = useLive();
  const last = useRef<KubeObject>(undefined);
  const { stop, collection } = useMemo(() => {
    const stop = new AbortController();
    const source = collectionOf(cluster.access, pathOf(mapping, namespace), { fieldSelector: `metadata.name=${name}` });
    return { stop, collection: cluster.follow(source, stop.signal) };
  }, [cluster]);
  useEffect(() => () => stop.abort(), [stop]);
  const [found] = collection.all.value;
  // Items of a list do not say their kind.
  if (found) last.current = { ...found, apiVersion: groupVersionOf(mapping), kind: mapping.kind };
  const state = collection.state.value;
  return {
    object: last.current,
    isThere: found !== undefined,
    isLoaded: collection.loaded.value,
    refused: state.phase === "refused" ? state.message : "",
  };
}
