// A placeholder while data is loaded: bars in the form of the content, and a text for screen readers.
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
