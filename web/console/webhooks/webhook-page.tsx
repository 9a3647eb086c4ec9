// One webhook: its address, its secret, and what was sent to it lately.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Delivery, Webhook } from "../../../shared/contract/hosted/webhook.ts";
import type { Control } from "../../api/control.ts";
import { curlLine, sandbarLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { go, pathTo } from "../route.ts";
import { WebhookForm } from "./webhook-form.tsx";

interface Props {
  readonly control: Control;
  readonly id: string;
}

/** What waits is looked at again after so long. */
const againMs = 3_000;

export function WebhookPage({ control, id }: Props) {
  const read = useCallback(async () => {
    const [{ webhooks }, { deliveries }] = await Promise.all([control.webhooks(), control.deliveries(id)]);
    return { webhook: webhooks.find((one) => one.id === id), deliveries };
  }, [control, id]);
  const { value, failure, after } = useLoaded(read);
  const waits = value?.deliveries.some(({ state }) => state === "waiting") ?? false;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => after(Promise.resolve()), againMs);
    return () => clearInterval(timer);
  }, [waits, after]);
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{value?.webhook?.url ?? "Webhook"}</h1>
          <p class="facts">
            <code>{id}</code>
            <a href={pathTo("webhooks")}>All webhooks</a>
          </p>
        </div>
        {value?.webhook && may("webhooks:write") && <Actions control={control} webhook={value.webhook} after={after} />}
      </div>
      <Alert text={failure} />
      {value?.webhook && <Facts control={control} webhook={value.webhook} />}
      {value && <Deliveries deliveries={value.deliveries} />}
      <CommandLine label="What was sent" line={sandbarLine("webhook", "log", id)} />
      {value?.webhook && may("webhooks:write") && <Lines webhook={value.webhook} />}
    </>
  );
}

function Lines({ webhook: { id, enabled } }: { readonly webhook: Webhook }) {
  const turned = curlLine("PATCH", `/v1/webhooks/${id}`, { enabled: !enabled });
  return (
    <>
      <CommandLine label="Send a test event" line={sandbarLine("webhook", "test", id)} />
      <CommandLine label={enabled ? "Switch off" : "Switch on"} line={turned} />
    </>
  );
}

interface ActionProps {
  readonly control: Control;
  readonly webhook: Webhook;
  readonly after: (deed: Promise<unknown>) => void;
}

function Actions({ control, webhook, after }: ActionProps) {
  const [asked, ask] = useState<"change" | "delete">();
  const { id, enabled } = webhook;
  const close = () => ask(undefined);
  return (
    <div class="actions">
      <button type="button" onClick={() => after(control.testWebhook(id))}>
        Send a test event
      </button>
      <button type="button" onClick={() => after(control.changeWebhook(id, { enabled: !enabled }))}>
        {enabled ? "Switch off" : "Switch on"}
      </button>
      <button type="button" onClick={() => ask("change")}>
        Change
      </button>
      <button type="button" class="danger" onClick={() => ask("delete")}>
        Delete
      </button>
      {asked === "change" && (
        <WebhookForm
          control={control}
          webhook={webhook}
          close={close}
          made={() => {
            close();
            after(Promise.resolve());
          }}
        />
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete webhook"
          doing="Deleting…"
          line={sandbarLine("webhook", "remove", id)}
          run={async () => {
            await control.removeWebhook(id);
            go(pathTo("webhooks"));
          }}
          close={close}
        >
          <p>Nothing is sent to it any more, and what waits to be sent is dropped.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Facts({ control, webhook }: { readonly control: Control; readonly webhook: Webhook }) {
  const { id, events, enabled, createdAt } = webhook;
  return (
    <dl class="panel pairs">
      <dt>State</dt>
      <dd>{enabled ? "on" : "off: nothing is sent"}</dd>
      <dt>Events</dt>
      <dd>{events.join(", ")}</dd>
      <dt>Made</dt>
      <dd>
        <Age time={createdAt} /> ago
      </dd>
      {may("webhooks:write") && (
        <>
          <dt>Secret</dt>
          <dd>
            <CopyButton
              class="quiet"
              label="Copy the secret"
              text={async () => (await control.webhook(id)).secret}
              file="webhook-secret.txt"
            />{" "}
            <span class="hint">Messages are signed with it, as Standard Webhooks says.</span>
          </dd>
        </>
      )}
    </dl>
  );
}

function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) {
    return (
      <p class="panel empty">Nothing was sent yet. Send a test event, or make a sandbox: that is an event, too.</p>
    );
  }
  return (
    <section class="panel scroll" tabIndex={0} aria-label="Deliveries">
      <h2>What was sent lately</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Event</th>
            <th scope="col">State</th>
            <th scope="col">Attempts</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ id, type, state, attempts, createdAt, status, error }) => (
            <tr key={id} data-name={type}>
              <td data-label="When">
                <Age time={createdAt} /> ago
              </td>
              <td data-label="Event">{type}</td>
              <td data-label="State">{state}</td>
              <td data-label="Attempts">{attempts}</td>
              <td class="wide" data-label="Answer">
                {[status, error].filter(Boolean).join(" ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
