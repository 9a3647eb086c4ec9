// A table with the names of its columns, in a panel of its own.
import type { ComponentChildren } from "preact";

interface Props {
  /** What it is a table of, for who does not see it. */
  readonly label: string;
  readonly columns: readonly string[];
  readonly class?: string;
  /** Its rows. */
  readonly children: ComponentChildren;
}

export function Table({ label, columns, class: kind, children }: Props) {
  return (
    // Who has no mouse scrolls it by keys.
    <div class="panel scroll" tabIndex={0} role="region" aria-label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
