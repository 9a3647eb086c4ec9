// The objects of a file that were not imported, or were changed.
import type { SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { texts as all } from "../../messages/moving.ts";
import { Table } from "../../parts/table.tsx";

const texts = all.importDialog;

interface Props {
  readonly sandbox: SandboxWithToken;
  readonly open: () => void;
}

export function ImportProblems({ sandbox: { notImported = [], notImportedCount }, open }: Props) {
  const count = notImportedCount ?? notImported.length;
  return (
    <div class="made">
      <p>
        {texts.problems(count)} {count > notImported.length && texts.problemsListed(notImported.length)}
      </p>
      <div class="import-problems">
        <Table
          label={texts.problems(count)}
          rows={notImported}
          keyOf={(object) => JSON.stringify(object)}
          nameOf={({ name }) => name}
          columns={[
            {
              name: texts.object,
              cell: ({ kind, namespace, name }) => `${kind} ${[namespace, name].filter(Boolean).join("/")}`,
              sortBy: ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`,
            },
            { name: texts.reason, form: "wide", cell: ({ reason }) => reason, sortBy: ({ reason }) => reason },
          ]}
        />
      </div>
      <footer>
        <button type="button" class="primary" onClick={open}>
          {texts.open}
        </button>
      </footer>
    </div>
  );
}
