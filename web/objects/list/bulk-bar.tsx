// The bar of what is selected in a table, and the dialog of an action on all of it.
import { useState } from "preact/hooks";
import type { Mapping } from "../../kubectl/cluster/discovery.ts";
import { messages } from "../../messages.ts";
import { texts } from "../../messages/bulk.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { CountField, TextField } from "../../parts/text-field.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { showOutput } from "../command-output.tsx";
import { lineOf, runKubectl } from "../run.ts";
import { type BulkAction, bulkActions, bulkLines } from "./bulk.ts";
import type { Row } from "./rows.ts";

interface Props {
  readonly mapping: Mapping;
  readonly rows: readonly Row[];
  readonly clear: () => void;
}

export function BulkBar({ mapping, rows, clear }: Props) {
  const [openAction, ask] = useState<BulkAction>();
  if (rows.length === 0) return null;
  return (
    <div class="bulk" role="toolbar" aria-label={texts.bar}>
      <strong role="status">{texts.selected(rows.length)}</strong>
      {bulkActions(mapping).map((action) => (
        <button
          key={action.id}
          type="button"
          class={action.isDangerous ? "small danger" : "small"}
          onClick={() => ask(action)}
        >
          {texts.of[action.id].button}
        </button>
      ))}
      <button type="button" class="quiet small" onClick={clear}>
        {texts.clear}
      </button>
      {openAction && (
        <BulkDialog action={openAction} mapping={mapping} rows={rows} close={() => ask(undefined)} clear={clear} />
      )}
    </div>
  );
}

interface DialogProps extends Props {
  readonly action: BulkAction;
  readonly close: () => void;
}

function BulkDialog({ action, mapping, rows, close, clear }: DialogProps) {
  const { cluster } = useLive();
  const [answer, setAnswer] = useState(action.asks === "replicas" ? "1" : "");
  const lines = bulkLines(action, mapping, rows, answer);
  const text = lines.map(lineOf).join("\n");
  const { button, doing } = texts.of[action.id];
  const form = useSubmit(async () => {
    let output = "";
    for (const words of lines) {
      const { code, out, err } = await runKubectl(cluster.access, words);
      if (code !== 0) throw new Error(err.trim() || messages.actions.endedWith(code));
      output += out + err;
    }
    showOutput(lines.length === 1 ? text : texts.lines(lines.length), output);
    close();
    if (action.id === "delete") clear();
  }, []);
  return (
    <FormDialog
      title={texts.title(button, rows.length, mapping.kind)}
      close={close}
      form={form}
      action={button}
      doing={doing}
      {...(action.isDangerous ? { cancelLabel: messages.common.cancel } : {})}
    >
      <ul class="bulk-names">
        {rows.slice(0, namesAtMost).map(({ uid, name, namespace }) => (
          <li key={uid}>
            {name} <small class="within">{namespace}</small>
          </li>
        ))}
        {rows.length > namesAtMost && <li class="muted">{texts.more(rows.length - namesAtMost)}</li>}
      </ul>
      {action.asks === "replicas" && (
        <CountField label={messages.actions.questions.replicas} value={answer} change={setAnswer} />
      )}
      {action.asks === "label" && (
        <TextField label={texts.labels} hint={texts.labelsHint} value={answer} change={setAnswer} />
      )}
      <Command line={text} />
    </FormDialog>
  );
}

const namesAtMost = 12;
