// An object's name, as the button that opens its detail.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { refOf, resourceOfKind } from "../live/reference.ts";
import { KindBadge } from "../parts/kind-badge.tsx";
import { isOpened, toggle, useLive } from "./context.ts";

interface Props {
  readonly kind: string;
  readonly object: KubeObject;
}

export function ObjectButton({ kind, object }: Props) {
  const live = useLive();
  const isPressed = isOpened(live, refOf(resourceOfKind(kind) ?? "", object));
  return (
    <button type="button" class="object" aria-pressed={isPressed} onClick={() => toggle(live, kind, object)}>
      <KindBadge kind={kind} />
      <span class="name">{object.metadata.name}</span>
    </button>
  );
}
