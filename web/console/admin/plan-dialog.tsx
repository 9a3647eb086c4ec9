// The dialog that changes the plan of a tenant, or overrides limits of its plan.
import { useState } from "preact/hooks";
import type { OperatedTenant, PatchOperatedTenant } from "../../../shared/contract/hosted/admin.ts";
import { type PlanName, planNames, plans } from "../../../shared/contract/hosted/plan.ts";
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { type LimitName, limitNames, limitText, ofPeople, ofSandbox, ofTenant } from "../usage/limit-names.ts";
import { texts as all } from "../../messages/admin.ts";

const words = all.planDialog;

interface Props {
  readonly operator: Operator;
  readonly tenant: OperatedTenant;
  readonly close: () => void;
}

const names: readonly LimitName[] = [...ofTenant, ...ofPeople, ...ofSandbox];

export function PlanDialog({ operator, tenant, close }: Props) {
  const [plan, setPlan] = useState<PlanName>(tenant.plan);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() => written(tenant.overrides));
  const overrides = read(texts);
  const input: PatchOperatedTenant = { ...(plan === tenant.plan ? {} : { plan }), overrides };
  const form = useSubmit(async () => {
    await operator.change(tenant.id, input);
    close();
  }, ["plan", ...names.map((name) => `overrides.${name}`)]);
  const pairs = Object.entries(overrides).map(([name, value]) => `${name}=${value ?? "none"}`);
  return (
    <FormDialog title={words.title(tenant.name)} close={close} form={form} action={words.change} doing={words.changing}>
      <ChoiceField
        label={words.plan}
        value={plan}
        choices={planNames.map((planName) => [planName, planName])}
        change={(text) => setPlan(planNames.find((planName) => planName === text) ?? plan)}
        error={form.errorOf("plan")}
      />
      <fieldset class="field">
        <legend>{words.ownLimits}</legend>
        <p class="hint">{words.ownLimitsHint}</p>
        <div class="grid">
          {names.map((name) => (
            <TextField
              key={name}
              label={limitNames[name]}
              hint={words.planLimit(limitText(name, plans[plan][name]))}
              value={texts[name] ?? ""}
              change={(text) => setTexts({ ...texts, [name]: text })}
              error={form.errorOf(`overrides.${name}`)}
            />
          ))}
        </div>
      </fieldset>
      {plan !== tenant.plan && <CommandLine line={sandbarLine("admin", "plan", tenant.id, plan)} />}
      <CommandLine line={sandbarLine("admin", "limits", tenant.id, ...pairs)} />
    </FormDialog>
  );
}

function written(overrides: OperatedTenant["overrides"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(overrides).map(([name, value]) => [name, value === null ? "none" : String(value)]),
  );
}

/** Reads the entered limits. Invalid numbers are sent as text, and the API reports them. */
function read(texts: Readonly<Record<string, string>>): NonNullable<PatchOperatedTenant["overrides"]> {
  const filled = Object.entries(texts).filter(([, text]) => text.trim() !== "");
  return Object.fromEntries(
    filled.map(([name, text]) => [name, text.trim() === "none" ? null : numberOf(text.trim())]),
  );
}

/** Returns the text itself if it is not a number, because JSON has no `NaN`; the API refuses it with a message. */
function numberOf(text: string): number {
  const value = Number(text);
  // The API reports what is wrong with the text.
  return Number.isNaN(value) ? (text as unknown as number) : value;
}
