// The properties of the panes of an object's detail.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Mapping } from "../../kubectl/cluster/discovery.ts";
import type { ObjectRef } from "../../live/reference.ts";

export interface PaneProps {
  readonly mapping: Mapping;
  readonly of: ObjectRef;
  /** As it is, or the last that it was. */
  readonly object: KubeObject;
  readonly isThere: boolean;
}
