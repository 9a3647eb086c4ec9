// A tenant, as the operator sees it: plan and limits, suspension, usage, and the health of its sandboxes, without their
// contents.
import { useCallback } from "preact/hooks";
import type { OperatedTenant } from "../../../shared/contract/hosted/admin.ts";
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Meter } from "../../parts/meter.tsx";
import { countText } from "../../parts/numbers.ts";
import { go, pathTo } from "../route.ts";
import { UsageReport } from "../usage/usage-report.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { SandboxList } from "./sandbox-list.tsx";
import { SuspendDialog } from "./suspend-dialog.tsx";
import { texts as all } from "../../messages/admin.ts";

const texts = all.tenantPage;

interface Props {
  readonly operator: Operator;
  readonly id: string;
  /** The id of the sandbox whose health is shown. */
  readonly sandbox: string | undefined;
  /** The open dialog: `plan`, `suspend`, or empty. */
  readonly dialog: string;
}

export function TenantPage({ operator, id, sandbox, dialog }: Props) {
  const read = useCallback(
    async () => ({ tenant: await operator.tenant(id), usage: await operator.usage(id, { by: "day" }) }),
    [operator, id],
  );
  const { value, failure, after, reload } = useLoaded(read);
  const ask = (what: "" | "plan" | "suspend") => go(pathTo("admin", ["tenants", id], { do: what }));
  const close = () => {
    ask("");
    reload();
  };
  const tenant = value?.tenant;
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{tenant?.name ?? id}</h1>
          <p class="facts">
            <code>{id}</code>
            {tenant && (
              <span>
                <Age time={tenant.createdAt} /> {texts.old}
              </span>
            )}
          </p>
        </div>
        {tenant && <Actions tenant={tenant} ask={ask} count={() => after(operator.reconcile(id))} />}
      </div>
      <Alert text={failure} />
      {tenant?.suspended && (
        <p class="notice">
          {texts.suspendedBecause} {tenant.suspended}
        </p>
      )}
      {tenant && <Facts tenant={tenant} />}
      {value && (
        <section>
          <h2>{texts.usedThisMonth}</h2>
          {value.usage.rows.length > 0 ? (
            <UsageReport usage={value.usage} by="day" withoutLinks />
          ) : (
            <p class="panel empty">{texts.noUsage}</p>
          )}
        </section>
      )}
      <SandboxList operator={operator} tenant={id} open={sandbox} />
      <CommandLine label={texts.thisTenant} line={sandbarLine("admin", "tenant", id)} />
      <CommandLine label={texts.recount} line={sandbarLine("admin", "reconcile", id)} />
      {tenant && dialog === "plan" && <PlanDialog operator={operator} tenant={tenant} close={close} />}
      {tenant && dialog === "suspend" && <SuspendDialog operator={operator} tenant={tenant} close={close} />}
    </>
  );
}

interface ActionProps {
  readonly tenant: OperatedTenant;
  readonly ask: (what: "plan" | "suspend") => void;
  readonly count: () => void;
}

function Actions({ tenant, ask, count }: ActionProps) {
  return (
    <div class="actions">
      <button type="button" onClick={() => ask("plan")}>
        {texts.planAndLimits}
      </button>
      <button type="button" onClick={count}>
        {texts.recount}
      </button>
      <button type="button" class={tenant.suspended ? "" : "danger"} onClick={() => ask("suspend")}>
        {tenant.suspended ? texts.resume : texts.suspend}
      </button>
    </div>
  );
}

function Facts({ tenant }: { readonly tenant: OperatedTenant }) {
  const { plan, overrides, limits, liveSandboxes, creationsLastHour, webhooks, waitingDeliveries } = tenant;
  const overrideTexts = Object.entries(overrides).map(
    ([name, value]) => `${name} ${value === null ? texts.unlimited : value}`,
  );
  const meter = (label: string, used: number, limited: number | null) => (
    <Meter label={label} used={used} limited={limited} text={countText} />
  );
  return (
    <dl class="panel pairs">
      <dt>{texts.plan}</dt>
      <dd>{plan}</dd>
      <dt>{texts.ownLimits}</dt>
      <dd>{overrideTexts.length > 0 ? overrideTexts.join(", ") : texts.noOwnLimits}</dd>
      <dt>{texts.sandboxes}</dt>
      <dd>{meter(texts.sandboxes, liveSandboxes, limits.liveSandboxes)}</dd>
      <dt>{texts.madeInLastHour}</dt>
      <dd>{meter(texts.madeInLastHour, creationsLastHour, limits.creationsPerHour)}</dd>
      <dt>{texts.webhooks}</dt>
      <dd>{meter(texts.webhooks, webhooks, limits.webhooks)}</dd>
      <dt>{texts.pendingDeliveries}</dt>
      <dd>{countText(waitingDeliveries)}</dd>
    </dl>
  );
}
