// What was sent elsewhere lately, with what came of each: events to a webhook, scores to a learning platform.
import type { ComponentChildren } from "preact";
import type { Delivery } from "../../shared/contract/hosted/webhook.ts";
import { Age } from "./age.tsx";
import { Table } from "./table.tsx";

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
    <Table
      label={label}
      title={title}
      rows={deliveries}
      keyOf={({ id }) => id}
      nameOf={nameOf}
      columns={[
        {
          name: words.when,
          cell: ({ createdAt }) => (
            <>
              <Age time={createdAt} /> {words.ago}
            </>
          ),
        },
        { name: words.state, cell: stateOf },
        { name: words.attempts, cell: ({ attempts }) => attempts },
        more,
        { name: words.answer, form: "wide", cell: ({ status, error }) => [status, error].filter(Boolean).join(" ") },
      ]}
    />
  );
}
