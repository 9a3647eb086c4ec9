// A tenant's sandboxes for who runs the service, and how one of them fares: numbers, and nothing of what is in it.
import { useCallback } from "preact/hooks";
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Age, TimeLeft } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { bytesText, countText } from "../../parts/numbers.ts";
import { usePages } from "../../parts/pages.ts";
import { Table } from "../../parts/table.tsx";
import { pathTo } from "../route.ts";

interface Props {
  readonly operator: Operator;
  readonly tenant: string;
  readonly open: string | undefined;
}

export function SandboxList({ operator, tenant, open }: Props) {
  const { items, more, failure } = usePages(async (cursor) => {
    const { sandboxes, nextCursor } = await operator.sandboxes(tenant, cursor);
    return { items: sandboxes, nextCursor };
  }, operator);
  return (
    <section>
      <h2>Sandboxes</h2>
      <Alert text={failure} />
      {items?.length === 0 && <p class="panel empty">It has no sandbox now.</p>}
      {items && items.length > 0 && (
        <Table label="Sandboxes" columns={["Id", "Name", "Nodes", "Age", "Expires in"]}>
          {items.map(({ id, name, nodes, createdAt, expiresAt }) => (
            <tr key={id} data-name={name}>
              <th scope="row">
                <a href={pathTo("admin", ["tenants", tenant, id])} aria-current={id === open ? "true" : undefined}>
                  <code>{id}</code>
                </a>
              </th>
              <td data-label="Name">{name}</td>
              <td data-label="Nodes">{nodes}</td>
              <td data-label="Age">
                <Age time={createdAt} />
              </td>
              <td data-label="Expires in">
                <TimeLeft time={expiresAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {more && (
        <button type="button" class="quiet more" onClick={more}>
          Show more
        </button>
      )}
      {open !== undefined && <Health key={open} operator={operator} id={open} />}
    </section>
  );
}

function Health({ operator, id }: { readonly operator: Operator; readonly id: string }) {
  const read = useCallback(() => operator.health(id), [operator, id]);
  const { value, failure } = useLoaded(read);
  return (
    <section class="panel padded" aria-label={`How ${id} fares`}>
      <h3>How {id} fares</h3>
      <Alert text={failure} />
      {value && (
        <dl class="pairs">
          <dt>Workloads that are not available</dt>
          <dd>{countText(value.notReady)}</dd>
          <dt>Objects</dt>
          <dd>{countText(value.objects)}</dd>
          <dt>Its database</dt>
          <dd>{bytesText(value.databaseBytes)}</dd>
          <dt>Revision</dt>
          <dd>{countText(value.revision)}</dd>
          <dt>Watches</dt>
          <dd>{countText(value.watches)}</dd>
          <dt>Waiting for controllers</dt>
          <dd>{countText(value.queued)}</dd>
          <dt>Suspended</dt>
          <dd>{value.suspended ? "yes" : "no"}</dd>
        </dl>
      )}
      <CommandLine line={sandbarLine("admin", "health", id)} />
    </section>
  );
}
