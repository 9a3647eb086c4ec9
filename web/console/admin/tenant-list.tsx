// All tenants by their ids, and the service's own figures.
import { useState } from "preact/hooks";
import type { TenantFactsShown } from "../../../shared/contract/hosted/admin.ts";
import { curlLine, sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { usePages } from "../../parts/pages.ts";
import { SearchField } from "../../parts/search-field.tsx";
import { Table } from "../../parts/table.tsx";
import { pathTo } from "../route.ts";
import { Figures } from "./figures.tsx";
import { texts as all } from "../../messages/admin.ts";

const texts = all.tenantList;

export function TenantList({ operator }: { readonly operator: Operator }) {
  const pages = usePages(async (cursor) => {
    const { tenants, nextCursor } = await operator.tenants(cursor);
    return { items: tenants, nextCursor };
  }, operator);
  const [sought, seek] = useState("");
  return (
    <>
      <div class="titled page">
        <h1>{texts.tenants}</h1>
        <SearchField label={texts.filter} placeholder={texts.filterHint} value={sought} change={seek} />
      </div>
      <Alert text={pages.failure} />
      <Figures operator={operator} />
      <PagedList
        pages={pages}
        matches={(tenant) => isSought(tenant, sought)}
        empty={texts.none}
        noMatch={(count) => `${texts.noMatchStart} ${count} ${texts.noMatchEnd}`}
      >
        {(tenants) => <TenantTable tenants={tenants} />}
      </PagedList>
      <CommandLine line={sandbarLine("admin", "tenants")} />
      <CommandLine label={texts.figures} line={curlLine("GET", "/metrics", undefined, "SANDBAR_OPERATOR_KEY")} />
    </>
  );
}

function TenantTable({ tenants }: { readonly tenants: readonly TenantFactsShown[] }) {
  return (
    <Table
      label={texts.tenants}
      rows={tenants}
      keyOf={({ id }) => id}
      nameOf={({ id }) => id}
      columns={[
        {
          name: texts.name,
          cell: ({ id, name }) => <a href={pathTo("admin", ["tenants", id])}>{name}</a>,
          sortBy: ({ name }) => name,
        },
        { name: texts.id, cell: ({ id }) => <code>{id}</code> },
        {
          name: texts.plan,
          cell: ({ plan, overrides }) => (
            <>
              {plan}
              {Object.keys(overrides).length > 0 && texts.ownLimits}
            </>
          ),
          sortBy: ({ plan }) => plan,
        },
        { name: texts.state, cell: ({ suspended }) => (suspended ? texts.suspended : texts.active) },
        { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
      ]}
    />
  );
}

function isSought({ id, name, plan, suspended }: TenantFactsShown, sought: string): boolean {
  return [id, name, plan, suspended ? "suspended" : "active"].join(" ").toLowerCase().includes(sought.toLowerCase());
}
