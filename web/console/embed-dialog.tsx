// The dialog that embeds a live view in a page: allowed origins, lifetime, and the frame to paste.
import { useState } from "preact/hooks";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { ViewToken } from "../../shared/contract/token.ts";
import type { Control } from "../api/control.ts";
import { curlLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../parts/duration-field.tsx";
import { Field } from "../parts/field.tsx";
import { FormEnd } from "../parts/form-end.tsx";
import { useSubmit } from "../parts/submit.ts";
import { CodeField } from "../parts/text-field.tsx";
import { texts as all } from "../messages/account.ts";

const texts = all.embedDialog;

interface Props {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly close: () => void;
}

export function EmbedDialog({ control, sandbox, close }: Props) {
  const [view, setView] = useState<ViewToken>();
  return (
    <Dialog title={texts.title(sandbox.name)} close={close}>
      {view ? (
        <Embedding view={view} name={sandbox.name} close={close} />
      ) : (
        <TokenForm control={control} sandbox={sandbox} close={close} onCreated={setView} />
      )}
    </Dialog>
  );
}

function TokenForm({ control, sandbox, close, onCreated }: Props & { readonly onCreated: (view: ViewToken) => void }) {
  const [lifetime, setLifetime] = useState<Duration>({ amount: "24", unit: "hours" });
  const [origins, setOrigins] = useState("");
  const input = { ttlSeconds: secondsOf(lifetime), frameOrigins: origins.split(/[\s,]+/).filter(Boolean) };
  const { submit, busy, bind, failure } = useSubmit(
    async () => onCreated(await control.viewToken(sandbox.id, input)),
    ["ttlSeconds", "frameOrigins"],
  );
  return (
    <form noValidate onSubmit={submit}>
      <p>{texts.linkMeans}</p>
      <DurationField label={texts.validFor} hint={texts.validForHint} {...bind("ttlSeconds", lifetime, setLifetime)} />
      <CodeField
        label={texts.origins}
        hint={texts.originsHint}
        rows={3}
        {...bind("frameOrigins", origins, setOrigins)}
      />
      <CommandLine line={curlLine("POST", `/v1/sandboxes/${sandbox.id}/tokens`, input)} />
      <FormEnd failure={failure} close={close} busy={busy} action={texts.makeLink} doing={texts.making} />
    </form>
  );
}

function Embedding({
  view,
  name,
  close,
}: {
  readonly view: ViewToken;
  readonly name: string;
  readonly close: () => void;
}) {
  const { url, expiresAt, frameOrigins } = view;
  const snippet = `<iframe src="${url}" title="${name}, live" loading="lazy" style="width: 100%; height: 600px; border: 0"></iframe>`;
  return (
    <div class="made">
      <p>
        {texts.shownOnce} <TimeLeft time={expiresAt} />.
      </p>
      <Result label={texts.link} text={url} file="view.txt" />
      {frameOrigins.length > 0 && <Result label={texts.frame} text={snippet} file="frame.html" />}
      <footer>
        <a class="button" href={url} target="_blank" rel="noreferrer">
          {texts.open}
        </a>
        <button type="button" class="primary" onClick={close}>
          {texts.done}
        </button>
      </footer>
    </div>
  );
}

function Result({ label, text, file }: { readonly label: string; readonly text: string; readonly file: string }) {
  return (
    <Field label={label}>
      {(wiring) => (
        <div class="pair">
          <textarea
            {...wiring}
            class="code"
            rows={4}
            readOnly
            value={text}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <CopyButton label={texts.copy} text={() => text} file={file} />
        </div>
      )}
    </Field>
  );
}
