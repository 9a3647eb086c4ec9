// An object's name, as the button that opens its detail.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { KindBadge } from "../parts/kind-badge.tsx";
import { type KindShown, select, useLive } from "./context.ts";

interface Props {
  readonly kind: KindShown;
  readonly object: KubeObject;
}

export function ObjectButton({ kind, object }: Props) {
  const live = useLive();
  const { name, uid } = object.metadata;
  return (
    <button
      type="button"
      class="object"
      aria-pressed={live.selection.value?.uid === uid}
      onClick={() => select(live, kind, object)}
    >
      <KindBadge kind={kind} />
      <span class="name">{name}</span>
    </button>
  );
}
