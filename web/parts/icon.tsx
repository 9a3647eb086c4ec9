// An icon of 16 px beside a text or in a labelled button. Screen readers skip it.
import type { IconNode } from "lucide";
import { h } from "preact";

export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg class="icon-16" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
