// All tenants, by their ids, and the service's own figures.
import { useState } from "preact/hooks";
import type { TenantFactsShown } from "../../../shared/contract/hosted/admin.ts";
import { curlLine, sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { usePages } from "../../parts/pages.ts";
import { Table } from "../../parts/table.tsx";
import { pathTo } from "../route.ts";
import { Figures } from "./figures.tsx";

export function TenantList({ operator }: { readonly operator: Operator }) {
  const { items, more, failure } = usePages(async (cursor) => {
    const { tenants, nextCursor } = await operator.tenants(cursor);
    return { items: tenants, nextCursor };
  }, operator);
  const [sought, seek] = useState("");
  const shown = items?.filter((one) => isSought(one, sought));
  return (
    <>
      <div class="titled page">
        <h1>Tenants</h1>
        <input
          class="search"
          type="search"
          aria-label="Filter"
          placeholder="Filter by id, name, plan or suspended"
          value={sought}
          onInput={({ currentTarget }) => seek(currentTarget.value)}
        />
      </div>
      <Alert text={failure} />
      <Figures operator={operator} />
      {items?.length === 0 && <p class="panel empty">No tenant yet: `npm run key` makes one, with its first key.</p>}
      {shown && shown.length > 0 && <TenantTable tenants={shown} />}
      {items && items.length > 0 && shown?.length === 0 && (
        <p class="panel empty">None of the {items.length} tenants that are loaded has that.</p>
      )}
      {more && (
        <button type="button" class="quiet more" onClick={more}>
          Show more
        </button>
      )}
      <CommandLine line={sandbarLine("admin", "tenants")} />
      <CommandLine label="The figures" line={curlLine("GET", "/metrics", undefined, "SANDBAR_OPERATOR_KEY")} />
    </>
  );
}

function TenantTable({ tenants }: { readonly tenants: readonly TenantFactsShown[] }) {
  return (
    <Table label="Tenants" columns={["Name", "Id", "Plan", "State", "Age"]}>
      {tenants.map(({ id, name, plan, overrides, suspended, createdAt }) => (
        <tr key={id} data-name={id}>
          <th scope="row">
            <a href={pathTo("admin", ["tenants", id])}>{name}</a>
          </th>
          <td data-label="Id">
            <code>{id}</code>
          </td>
          <td data-label="Plan">
            {plan}
            {Object.keys(overrides).length > 0 && ", with limits of its own"}
          </td>
          <td data-label="State">{suspended ? "suspended" : "active"}</td>
          <td data-label="Age">
            <Age time={createdAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function isSought({ id, name, plan, suspended }: TenantFactsShown, sought: string): boolean {
  return [id, name, plan, suspended ? "suspended" : "active"].join(" ").toLowerCase().includes(sought.toLowerCase());
}
