// What stands in place of something that is on its way: bars of its form for eyes, a word for ears.
import { messages } from "../messages.ts";

interface Props {
  /** How many bars. */
  readonly rows?: number;
}

export function Loading({ rows = 4 }: Props) {
  return (
    <div class="skeleton">
      <p class="unseen">{messages.common.loading}</p>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} aria-hidden="true" />
      ))}
    </div>
  );
}
