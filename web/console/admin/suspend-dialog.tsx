// Suspending a tenant with a sentence for it, or letting it go on.
import { useState } from "preact/hooks";
import type { OperatedTenant } from "../../../shared/contract/hosted/admin.ts";
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { texts as all } from "../../messages/admin.ts";

const texts = all.suspendDialog;

interface Props {
  readonly operator: Operator;
  readonly tenant: OperatedTenant;
  readonly close: () => void;
}

export function SuspendDialog({ operator, tenant, close }: Props) {
  const [why, setWhy] = useState("");
  const isOn = tenant.suspended !== undefined;
  const form = useSubmit(async () => {
    await operator.change(tenant.id, { suspended: isOn ? null : why });
    close();
  }, ["suspended"]);
  const line = isOn
    ? sandbarLine("admin", "resume", tenant.id)
    : sandbarLine("admin", "suspend", tenant.id, why || "WHY");
  return (
    <FormDialog
      title={isOn ? texts.resumeAsk(tenant.name) : texts.suspendAsk(tenant.name)}
      close={close}
      form={form}
      action={isOn ? texts.resume : texts.suspend}
      doing={isOn ? texts.resuming : texts.suspending}
    >
      {isOn ? (
        <p>{texts.resumeMeans}</p>
      ) : (
        <>
          <p>{texts.suspendMeans}</p>
          <TextField label={texts.reason} {...form.bind("suspended", why, setWhy)} />
        </>
      )}
      <CommandLine line={line} />
    </FormDialog>
  );
}
