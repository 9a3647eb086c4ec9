// Shares the state of a sandbox: a link that gives everybody a copy, and the links that exist.
import { useCallback, useState } from "preact/hooks";
import type { CreateShare, Share } from "../../../shared/contract/hosted/share.ts";
import type { States } from "../../api/states.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/share.ts";
import { Alert } from "../../parts/alert.tsx";
import { TimeLeft } from "../../parts/age.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { useSubmit } from "../../parts/submit.ts";
import { CountField, TextField } from "../../parts/text-field.tsx";

interface Props {
  readonly states: States;
  readonly close: () => void;
}

export function ShareDialog({ states, close }: Props) {
  const read = useCallback(() => states.shares(), [states]);
  const { value, failure, after } = useLoaded(read);
  const [title, setTitle] = useState("");
  const [forks, setForks] = useState("50");
  const [life, setLife] = useState<Duration>({ amount: "7", unit: "days" });
  const [forkLife, setForkLife] = useState<Duration>({ amount: "1", unit: "hours" });
  const input: CreateShare = {
    title,
    forks: forks.trim() === "" ? Number.NaN : Number(forks),
    ttlSeconds: secondsOf(life),
    forkTtlSeconds: secondsOf(forkLife),
  };
  const form = useSubmit(async () => {
    const share = states.share(input);
    await share;
    after(share);
    setTitle("");
  }, ["title", "forks", "ttlSeconds", "forkTtlSeconds"]);
  return (
    <FormDialog title={texts.title} close={close} form={form} action={texts.share} doing={texts.sharing}>
      <p>{texts.means}</p>
      <Alert text={failure} />
      {value && value.length > 0 && <Shares shares={value} revoke={(id) => after(states.unshare(id))} />}
      <TextField label={texts.name} hint={texts.nameHint} {...form.bind("title", title, setTitle)} />
      <CountField label={texts.copies} {...form.bind("forks", forks, setForks)} />
      <DurationField label={texts.life} {...form.bind("ttlSeconds", life, setLife)} />
      <DurationField label={texts.copyLife} {...form.bind("forkTtlSeconds", forkLife, setForkLife)} />
      <CommandLine line={curlLine("POST", `/v1/sandboxes/${states.sandbox.id}/shares`, input)} />
    </FormDialog>
  );
}

interface SharesProps {
  readonly shares: readonly Share[];
  readonly revoke: (id: string) => void;
}

function Shares({ shares, revoke }: SharesProps) {
  return (
    <ul class="class-links">
      {shares.map(({ id, title, forks, used, expiresAt, url }) => (
        <li key={id} data-name={title}>
          <p>
            <strong>{title}</strong>
          </p>
          <p class="facts">
            <span>{texts.used(used, forks)}</span>
            <span>
              {texts.closesIn} <TimeLeft time={expiresAt} />
            </span>
          </p>
          <div class="pair">
            <input class="code" readOnly aria-label={texts.linkOf(title)} value={url} />
            <CopyButton label={texts.copy} about={title} text={() => url} file="share-link.txt" />
            <button type="button" class="quiet danger" onClick={() => revoke(id)}>
              {texts.revoke}
              <span class="unseen"> {title}</span>
            </button>
          </div>
        </li>
      ))}
    </ul>
  );
}
