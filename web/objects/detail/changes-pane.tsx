// What changed of an object, when and by whom.
import { Changes } from "../states/changes.tsx";
import type { PaneProps } from "./pane.ts";

export function ChangesPane({ of: { resource, namespace, name }, object }: PaneProps) {
  const query = { resource, name, ...(namespace ? { namespace } : {}) };
  return <Changes query={query} version={object.metadata.resourceVersion ?? ""} isOfOne />;
}
