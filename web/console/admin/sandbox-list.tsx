// A tenant's sandboxes as the operator sees them, and the health of one as numbers, without its contents.
import { useCallback } from "preact/hooks";
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Age, TimeLeft } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { bytesText, countText } from "../../parts/numbers.ts";
import { PagedList } from "../../parts/paged-list.tsx";
import { usePages } from "../../parts/pages.ts";
import { Table } from "../../parts/table.tsx";
import { pathTo } from "../route.ts";
import { texts as all } from "../../messages/admin.ts";

const texts = all.sandboxList;

interface Props {
  readonly operator: Operator;
  readonly tenant: string;
  readonly open: string | undefined;
}

export function SandboxList({ operator, tenant, open }: Props) {
  const pages = usePages(async (cursor) => {
    const { sandboxes, nextCursor } = await operator.sandboxes(tenant, cursor);
    return { items: sandboxes, nextCursor };
  }, operator);
  return (
    <section>
      <h2>{texts.sandboxes}</h2>
      <Alert text={pages.failure} />
      <PagedList pages={pages} empty={texts.none}>
        {(sandboxes) => (
          <Table
            label={texts.sandboxes}
            rows={sandboxes}
            keyOf={({ id }) => id}
            nameOf={({ name }) => name}
            columns={[
              {
                name: texts.id,
                cell: ({ id }) => (
                  <a href={pathTo("admin", ["tenants", tenant, id])} aria-current={id === open ? "true" : undefined}>
                    <code>{id}</code>
                  </a>
                ),
              },
              { name: texts.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
              { name: texts.nodes, cell: ({ nodes }) => nodes },
              {
                name: texts.age,
                cell: ({ createdAt }) => <Age time={createdAt} />,
                sortBy: ({ createdAt }) => createdAt,
              },
              { name: texts.expiresIn, cell: ({ expiresAt }) => <TimeLeft time={expiresAt} /> },
            ]}
          />
        )}
      </PagedList>
      {open !== undefined && <Health key={open} operator={operator} id={open} />}
    </section>
  );
}

function Health({ operator, id }: { readonly operator: Operator; readonly id: string }) {
  const read = useCallback(() => operator.health(id), [operator, id]);
  const { value, failure } = useLoaded(read);
  return (
    <section class="panel padded" aria-label={texts.figuresTitle(id)}>
      <h3>
        {texts.figuresStart} {id} {texts.figuresEnd}
      </h3>
      <Alert text={failure} />
      {value && (
        <dl class="pairs">
          <dt>{texts.unavailableWorkloads}</dt>
          <dd>{countText(value.notReady)}</dd>
          <dt>{texts.objects}</dt>
          <dd>{countText(value.objects)}</dd>
          <dt>{texts.database}</dt>
          <dd>{bytesText(value.databaseBytes)}</dd>
          <dt>{texts.revision}</dt>
          <dd>{countText(value.revision)}</dd>
          <dt>{texts.watches}</dt>
          <dd>{countText(value.watches)}</dd>
          <dt>{texts.waitingForControllers}</dt>
          <dd>{countText(value.queued)}</dd>
          <dt>{texts.suspended}</dt>
          <dd>{value.suspended ? texts.yes : texts.no}</dd>
        </dl>
      )}
      <CommandLine line={sandbarLine("admin", "health", id)} />
    </section>
  );
}
