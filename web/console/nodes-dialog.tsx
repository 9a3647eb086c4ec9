// The dialog that changes the number of a sandbox's simulated nodes.
import { useState } from "preact/hooks";
import type { Sandbox, ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { curlLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useSubmit } from "../parts/submit.ts";
import { CountField } from "../parts/text-field.tsx";
import { texts as all } from "../messages/console.ts";

const texts = all.nodesDialog;

interface Props {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly close: () => void;
  readonly changed: (sandbox: ShownSandbox) => void;
}

export function NodesDialog({ control, sandbox: { id, name, nodes: before }, close, changed }: Props) {
  const [nodes, setNodes] = useState(String(before));
  // The API refuses an empty field: JSON has no NaN.
  const input = { nodes: nodes.trim() === "" ? Number.NaN : Number(nodes) };
  const form = useSubmit(async () => {
    changed(await control.changeSandbox(id, input));
    close();
  }, ["nodes"]);
  return (
    <FormDialog
      title={texts.title(name)}
      close={close}
      form={form}
      action={texts.change}
      doing={texts.changing}
      cancelLabel={texts.cancel}
    >
      <CountField label={texts.nodes} hint={texts.means} {...form.bind("nodes", nodes, setNodes)} />
      <CommandLine line={curlLine("PATCH", `/v1/sandboxes/${id}`, input)} />
    </FormDialog>
  );
}
