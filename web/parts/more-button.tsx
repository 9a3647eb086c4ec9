// The button below a list that shows more of it.
import { texts as all } from "../messages/components.ts";

const texts = all.moreButton;

interface Props {
  /** Undefined if nothing is left; then nothing is rendered. */
  readonly more: (() => void) | undefined;
  readonly label?: string;
}

export function MoreButton({ more, label = texts.showMore }: Props) {
  if (!more) return null;
  return (
    <button type="button" class="quiet more" onClick={more}>
      {label}
    </button>
  );
}
