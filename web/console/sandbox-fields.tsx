// How the console shows the fields by which an organisation tells its sandboxes apart.
import type { ComponentChildren } from "preact";
import type { SandboxField } from "../../shared/contract/sandbox-fields.ts";
import type { Sandbox } from "../../shared/contract/sandbox.ts";

/** The facts below the heading of a sandbox's page. The heading itself is the name. */
const facts: { readonly [Field in SandboxField]: (sandbox: Pick<Sandbox, Field>) => ComponentChildren } = {
  name: () => undefined,
  description: ({ description }) => description && <span>{description}</span>,
  labels: ({ labels }) => Object.entries(labels).map(([key, value]) => <code key={key}>{`${key}=${value}`}</code>),
};

export function SandboxFacts({ sandbox }: { readonly sandbox: Sandbox }) {
  return <>{Object.values(facts).map((show) => show(sandbox))}</>;
}
