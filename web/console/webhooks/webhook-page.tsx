// A webhook: its address, its secret, and its recent deliveries.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Webhook } from "../../../shared/contract/hosted/webhook.ts";
import type { Control } from "../../api/control.ts";
import { curlLine, sandbarLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Deliveries } from "../../parts/deliveries.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { go, pathTo } from "../route.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { texts as all } from "../../messages/webhooks.ts";

const texts = all.webhookPage;

interface Props {
  readonly control: Control;
  readonly id: string;
}

/** The interval at which pending deliveries are read again. */
const againMs = 3_000;

export function WebhookPage({ control, id }: Props) {
  const read = useCallback(async () => {
    const [{ webhooks }, { deliveries }] = await Promise.all([control.webhooks(), control.deliveries(id)]);
    return { webhook: webhooks.find((webhook) => webhook.id === id), deliveries };
  }, [control, id]);
  const { value, failure, after, reload } = useLoaded(read);
  const waits = value?.deliveries.some(({ state }) => state === "waiting") ?? false;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(reload, againMs);
    return () => clearInterval(timer);
  }, [waits, reload]);
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{value?.webhook?.url ?? texts.webhook}</h1>
          <p class="facts">
            <code>{id}</code>
            <a href={pathTo("webhooks")}>{texts.allWebhooks}</a>
          </p>
        </div>
        {value?.webhook && may("webhooks:write") && (
          <Actions control={control} webhook={value.webhook} after={after} reload={reload} />
        )}
      </div>
      <Alert text={failure} />
      {value?.webhook && <Facts control={control} webhook={value.webhook} />}
      {value && (
        <Deliveries
          label={texts.deliveries}
          title={texts.recentDeliveries}
          none={texts.noDeliveries}
          words={texts}
          deliveries={value.deliveries}
          nameOf={({ type }) => type}
          stateOf={({ state }) => state}
          more={{ name: texts.event, cell: ({ type }) => type }}
        />
      )}
      <CommandLine label={texts.deliveriesTitle} line={sandbarLine("webhook", "log", id)} />
      {value?.webhook && may("webhooks:write") && <Lines webhook={value.webhook} />}
    </>
  );
}

function Lines({ webhook: { id, enabled } }: { readonly webhook: Webhook }) {
  const turned = curlLine("PATCH", `/v1/webhooks/${id}`, { enabled: !enabled });
  return (
    <>
      <CommandLine label={texts.sendTestEvent} line={sandbarLine("webhook", "test", id)} />
      <CommandLine label={enabled ? texts.switchOff : texts.switchOn} line={turned} />
    </>
  );
}

interface ActionProps {
  readonly control: Control;
  readonly webhook: Webhook;
  readonly after: (change: Promise<unknown>) => void;
  readonly reload: () => void;
}

function Actions({ control, webhook, after, reload }: ActionProps) {
  const [openDialog, ask] = useState<"change" | "delete">();
  const { id, enabled } = webhook;
  const close = () => ask(undefined);
  return (
    <div class="actions">
      <button type="button" onClick={() => after(control.testWebhook(id))}>
        {texts.sendTestEvent}
      </button>
      <button type="button" onClick={() => after(control.changeWebhook(id, { enabled: !enabled }))}>
        {enabled ? texts.switchOff : texts.switchOn}
      </button>
      <button type="button" onClick={() => ask("change")}>
        {texts.change}
      </button>
      <button type="button" class="danger" onClick={() => ask("delete")}>
        {texts.delete}
      </button>
      {openDialog === "change" && (
        <WebhookForm
          control={control}
          webhook={webhook}
          close={close}
          onSaved={() => {
            close();
            reload();
          }}
        />
      )}
      {openDialog === "delete" && (
        <ConfirmDialog
          title={texts.deleteAsk}
          action={texts.deleteWebhook}
          doing={texts.deleting}
          line={sandbarLine("webhook", "remove", id)}
          run={async () => {
            await control.removeWebhook(id);
            go(pathTo("webhooks"));
          }}
          close={close}
        >
          <p>{texts.deleteMeans}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Facts({ control, webhook }: { readonly control: Control; readonly webhook: Webhook }) {
  const { id, events, enabled, createdAt } = webhook;
  return (
    <dl class="panel pairs">
      <dt>{texts.state}</dt>
      <dd>{enabled ? texts.on : texts.off}</dd>
      <dt>{texts.events}</dt>
      <dd>{events.join(", ")}</dd>
      <dt>{texts.made}</dt>
      <dd>
        <Age time={createdAt} /> {texts.ago}
      </dd>
      {may("webhooks:write") && (
        <>
          <dt>{texts.secret}</dt>
          <dd>
            <CopyButton
              class="quiet"
              label={texts.copySecret}
              text={async () => (await control.webhook(id)).secret}
              file="webhook-secret.txt"
            />{" "}
            <span class="hint">{texts.secretHint}</span>
          </dd>
        </>
      )}
    </dl>
  );
}
