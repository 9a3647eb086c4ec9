// A table of recent deliveries with their results: events to a webhook, or scores to a learning platform.
import type { ComponentChildren } from "preact";
import type { Delivery } from "../../shared/contract/hosted/webhook.ts";
import { Age } from "./age.tsx";
import { Table } from "./table.tsx";

interface Props {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly title: string;
  /** The text of an empty table. */
  readonly none: string;
  readonly words: Readonly<Record<"when" | "ago" | "state" | "attempts" | "answer", string>>;
  readonly deliveries: readonly Delivery[];
  readonly nameOf: (delivery: Delivery) => string;
  readonly stateOf: (delivery: Delivery) => string;
  /** An additional column before the response. */
  readonly more: { readonly name: string; readonly cell: (delivery: Delivery) => ComponentChildren };
  /** The column with the action on a delivery. */
  readonly action?: { readonly name: string; readonly cell: (delivery: Delivery) => ComponentChildren } | undefined;
}

export function Deliveries({ label, title, none, words, deliveries, nameOf, stateOf, more, action }: Props) {
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
        ...(action ? [action] : []),
      ]}
    />
  );
}
