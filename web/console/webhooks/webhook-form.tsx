// Making a webhook, or giving one another address or other events.
import { useState } from "preact/hooks";
import { type EventType, eventTypes, type Webhook } from "../../../shared/contract/hosted/webhook.ts";
import type { Control } from "../../api/control.ts";
import { curlLine, option, sandbarLine } from "../../api/lines.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { texts as all } from "../../messages/webhooks.ts";

const texts = all.webhookForm;

interface Props {
  readonly control: Control;
  /** Absent: a new one. */
  readonly webhook?: Webhook;
  readonly close: () => void;
  readonly made: (webhook: Webhook) => void;
}

export function WebhookForm({ control, webhook, close, made }: Props) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly EventType[]>(webhook?.events ?? eventTypes);
  const input = { url, events: [...events] };
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => made(await (webhook ? control.changeWebhook(webhook.id, input) : control.createWebhook(input))),
    ["url", "events"],
  );
  const turn = (one: EventType) =>
    setEvents(eventTypes.filter((other) => (other === one ? !events.includes(one) : events.includes(other))));
  const isAll = events.length === eventTypes.length;
  const line = webhook
    ? curlLine("PATCH", `/v1/webhooks/${webhook.id}`, input)
    : sandbarLine("webhook", "add", url || "ADDRESS", ...(isAll ? [] : events.flatMap((one) => option("event", one))));
  const wrongEvents = errorOf("events");
  return (
    <Dialog title={webhook ? texts.changeWebhook : texts.newWebhook} close={close}>
      <form noValidate onSubmit={submit}>
        <TextField
          label={texts.address}
          hint={texts.httpsAndReached}
          value={url}
          change={setUrl}
          error={errorOf("url")}
        />
        <fieldset class="field">
          <legend>{texts.events}</legend>
          {eventTypes.map((one) => (
            <label key={one} class="check">
              <input type="checkbox" checked={events.includes(one)} onChange={() => turn(one)} /> {one}
            </label>
          ))}
          {wrongEvents && (
            <p class="error" role="alert">
              {wrongEvents}
            </p>
          )}
        </fieldset>
        <CommandLine line={line} />
        <FormEnd
          failure={failure}
          close={close}
          busy={busy}
          action={webhook ? texts.changeWebhook : texts.makeWebhook}
          doing={webhook ? texts.changing : texts.making}
        />
      </form>
    </Dialog>
  );
}
