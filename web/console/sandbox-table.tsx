// The table of sandboxes with the actions on each.
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { pathTo, sandboxPath } from "./route.ts";
import { texts as all } from "../messages/console.ts";
import { Table } from "../parts/table.tsx";

const texts = all.sandboxTable;

interface Props {
  readonly control: Control;
  readonly sandboxes: readonly Sandbox[];
  readonly ask: (dialog: { readonly what: "delete" | "embed"; readonly sandbox: Sandbox }) => void;
}

export function SandboxTable({ control, sandboxes, ask }: Props) {
  return (
    <Table
      class="sandboxes"
      label={texts.sandboxes}
      rows={sandboxes}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.name,
          cell: ({ id, name, description }) => (
            <>
              <a href={sandboxPath(id)}>{name}</a>
              {description && <small class="description">{description}</small>}
            </>
          ),
          sortBy: ({ name }) => name,
        },
        { name: texts.id, cell: ({ id }) => <code>{id}</code> },
        { name: texts.nodes, cell: ({ nodes }) => nodes, sortBy: ({ nodes }) => nodes },
        { name: texts.phase, cell: ({ phase }) => phase, sortBy: ({ phase }) => phase },
        { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
        {
          name: texts.expiresIn,
          cell: ({ expiresAt }) => <TimeLeft time={expiresAt} />,
          sortBy: ({ expiresAt }) => expiresAt,
        },
        {
          name: texts.actions,
          form: "actions",
          cell: (sandbox) => <Actions control={control} sandbox={sandbox} ask={ask} />,
        },
      ]}
    />
  );
}

type ActionProps = Omit<Props, "sandboxes"> & { readonly sandbox: Sandbox };

function Actions({ control, sandbox, ask }: ActionProps) {
  return (
    <>
      {may("sandboxes:connect") && (
        <CopyButton
          class="quiet"
          label={texts.copyKubeconfig}
          text={() => control.kubeconfig(sandbox.id)}
          file={`${sandbox.name}.kubeconfig`}
        />
      )}
      {may("sandboxes:connect") && (
        <button type="button" class="quiet" onClick={() => ask({ what: "embed", sandbox })}>
          {texts.embed}
          <span class="unseen"> {sandbox.name}</span>
        </button>
      )}
      {may("templates:write") && may("sandboxes:connect") && (
        <a class="button quiet" href={pathTo("templates", [], { make: sandbox.id })}>
          {texts.template}
          <span class="unseen">
            {" "}
            {texts.of} {sandbox.name}
          </span>
        </a>
      )}
      {may("sandboxes:delete") && (
        <button type="button" class="quiet danger" onClick={() => ask({ what: "delete", sandbox })}>
          {texts.delete}
          <span class="unseen"> {sandbox.name}</span>
        </button>
      )}
    </>
  );
}
