// The form that creates a webhook, or changes its address or events.
import { useState } from "preact/hooks";
import { type EventType, eventTypes, type Webhook } from "../../../shared/contract/hosted/webhook.ts";
import type { Control } from "../../api/control.ts";
import { curlLine, option, sandbarLine } from "../../api/lines.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { texts as all } from "../../messages/webhooks.ts";

const texts = all.webhookForm;

interface Props {
  readonly control: Control;
  /** The webhook to change. Absent for a new one. */
  readonly webhook?: Webhook;
  readonly close: () => void;
  readonly onSaved: (webhook: Webhook) => void;
}

export function WebhookForm({ control, webhook, close, onSaved }: Props) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly EventType[]>(webhook?.events ?? eventTypes);
  const input = { url, events: [...events] };
  const form = useSubmit(
    async () => onSaved(await (webhook ? control.changeWebhook(webhook.id, input) : control.createWebhook(input))),
    ["url", "events"],
  );
  const toggle = (toggled: EventType) =>
    setEvents(eventTypes.filter((event) => (event === toggled ? !events.includes(toggled) : events.includes(event))));
  const isAll = events.length === eventTypes.length;
  const line = webhook
    ? curlLine("PATCH", `/v1/webhooks/${webhook.id}`, input)
    : sandbarLine(
        "webhook",
        "add",
        url || "ADDRESS",
        ...(isAll ? [] : events.flatMap((event) => option("event", event))),
      );
  const wrongEvents = form.errorOf("events");
  return (
    <FormDialog
      title={webhook ? texts.changeWebhook : texts.newWebhook}
      close={close}
      form={form}
      action={webhook ? texts.changeWebhook : texts.makeWebhook}
      doing={webhook ? texts.changing : texts.making}
    >
      <TextField label={texts.address} hint={texts.addressHint} {...form.bind("url", url, setUrl)} />
      <fieldset class="field">
        <legend>{texts.events}</legend>
        {eventTypes.map((event) => (
          <label key={event} class="check">
            <input type="checkbox" checked={events.includes(event)} onChange={() => toggle(event)} /> {event}
          </label>
        ))}
        {wrongEvents && (
          <p class="error" role="alert">
            {wrongEvents}
          </p>
        )}
      </fieldset>
      <CommandLine line={line} />
    </FormDialog>
  );
}
