// What was sent elsewhere lately, with what came of each: events to a webhook, scores to a learning platform.
import type { ComponentChildren } from "preact";
import type { Delivery } from "../../shared/contract/hosted/webhook.ts";
import { Age } from "./age.tsx";

interface Props {
  /** What it is a table of, for who does not see it. */
  readonly label: string;
  readonly title: string;
  /** In place of an empty table. */
  readonly none: string;
  readonly words: Readonly<Record<"when" | "ago" | "state" | "attempts" | "answer", string>>;
  readonly deliveries: readonly Delivery[];
  readonly nameOf: (one: Delivery) => string;
  readonly stateOf: (one: Delivery) => string;
  /** One more column, before the answer. */
  readonly more: { readonly name: string; readonly cell: (one: Delivery) => ComponentChildren };
}

export function Deliveries({ label, title, none, words, deliveries, nameOf, stateOf, more }: Props) {
  if (deliveries.length === 0) return <p class="panel empty">{none}</p>;
  return (
    // Who has no mouse scrolls it by keys.
    <section class="panel scroll" tabIndex={0} aria-label={label}>
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            {[words.when, words.state, words.attempts, more.name, words.answer].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((one) => (
            <tr key={one.id} data-name={nameOf(one)}>
              <td data-label={words.when}>
                <Age time={one.createdAt} /> {words.ago}
              </td>
              <td data-label={words.state}>{stateOf(one)}</td>
              <td data-label={words.attempts}>{one.attempts}</td>
              <td data-label={more.name}>{more.cell(one)}</td>
              <td class="wide" data-label={words.answer}>
                {[one.status, one.error].filter(Boolean).join(" ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
