// What an object has to do with, each as a way there.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { refText } from "../../live/reference.ts";
import { messages } from "../../messages.ts";
import { KindBadge } from "../../parts/kind-badge.tsx";
import { open, useLive } from "../../view/context.ts";
import { type Relation, relatedTo } from "../related.ts";

interface Props {
  readonly resource: string;
  readonly kind: string;
  readonly object: KubeObject;
}

export function RelatedList({ resource, kind, object }: Props) {
  const live = useLive();
  const groups = Map.groupBy(relatedTo(resource, kind, object, live.cluster), ({ relation }) => relation);
  if (groups.size === 0) return null;
  return (
    <>
      <h3>{messages.detail.related}</h3>
      <dl class="related">
        {[...groups].map(([relation, all]: [Relation, ReturnType<typeof relatedTo>]) => (
          <div key={relation}>
            <dt>{messages.relations[relation]}</dt>
            <dd>
              {all.map(({ kind: of, ref }) => (
                <a
                  key={refText(ref)}
                  class="object"
                  href={live.place.href({ open: refText(ref), pane: "" })}
                  onClick={(event) => {
                    if (event.ctrlKey || event.metaKey) return;
                    event.preventDefault();
                    open(live, ref);
                  }}
                >
                  <KindBadge kind={of} /> <span class="name">{ref.name}</span>
                </a>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
