// The webhooks that receive events of sandboxes. The address says which one is open, and whether one is being created.
import { useCallback } from "preact/hooks";
import type { Webhook } from "../../../shared/contract/hosted/webhook.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Table } from "../../parts/table.tsx";
import { go, pathTo } from "../route.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookPage } from "./webhook-page.tsx";
import { texts as all } from "../../messages/webhooks.ts";

const texts = all.webhooksPage;

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

export function WebhooksPage({ control, segments: [open] }: Props) {
  if (open !== undefined && open !== "new") return <WebhookPage key={open} control={control} id={open} />;
  return <WebhookList control={control} isMaking={open === "new"} />;
}

function WebhookList({ control, isMaking }: { readonly control: Control; readonly isMaking: boolean }) {
  const read = useCallback(() => control.webhooks(), [control]);
  const { value, failure } = useLoaded(read);
  const mayMake = may("webhooks:write");
  return (
    <>
      <div class="titled page">
        <h1>{texts.webhooks}</h1>
        {mayMake && (
          <a class="button primary" href={pathTo("webhooks", ["new"])}>
            {texts.newWebhook}
          </a>
        )}
      </div>
      <Alert text={failure} />
      {value?.webhooks.length === 0 && (
        <p class="panel empty">
          {texts.none} {mayMake ? texts.noneHint : texts.creators}
        </p>
      )}
      {value && value.webhooks.length > 0 && <WebhookTable webhooks={value.webhooks} />}
      <CommandLine line={sandbarLine("webhook", "list")} />
      {isMaking && mayMake && (
        <WebhookForm
          control={control}
          close={() => go(pathTo("webhooks"))}
          onSaved={({ id }) => go(pathTo("webhooks", [id]))}
        />
      )}
    </>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  return (
    <Table
      label={texts.webhooks}
      rows={webhooks}
      keyOf={({ id }) => id}
      nameOf={({ url }) => url}
      columns={[
        { name: texts.address, cell: ({ id, url }) => <a href={pathTo("webhooks", [id])}>{url}</a> },
        { name: texts.events, form: "wide", cell: ({ events }) => events.join(", ") },
        { name: texts.state, cell: ({ enabled }) => (enabled ? texts.on : texts.off) },
        { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
      ]}
    />
  );
}
