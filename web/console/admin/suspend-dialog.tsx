// Suspending a tenant with a sentence for it, or letting it go on.
import { useState } from "preact/hooks";
import type { OperatedTenant } from "../../../shared/contract/hosted/admin.ts";
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";

interface Props {
  readonly operator: Operator;
  readonly tenant: OperatedTenant;
  readonly close: () => void;
}

export function SuspendDialog({ operator, tenant, close }: Props) {
  const [why, setWhy] = useState("");
  const isOn = tenant.suspended !== undefined;
  const { submit, busy, errorOf, failure } = useSubmit(async () => {
    await operator.change(tenant.id, { suspended: isOn ? null : why });
    close();
  }, ["suspended"]);
  const line = isOn
    ? sandbarLine("admin", "resume", tenant.id)
    : sandbarLine("admin", "suspend", tenant.id, why || "WHY");
  return (
    <Dialog title={isOn ? `Let ${tenant.name} go on?` : `Suspend ${tenant.name}?`} close={close}>
      <form noValidate onSubmit={submit}>
        {isOn ? (
          <p>It is answered again, and its sandboxes go on as they were.</p>
        ) : (
          <>
            <p>Whoever asks for it is refused with this sentence, and its sandboxes answer nobody and do nothing.</p>
            <TextField label="Why, for the tenant" value={why} change={setWhy} error={errorOf("suspended")} />
          </>
        )}
        <CommandLine line={line} />
        <FormEnd
          failure={failure}
          close={close}
          busy={busy}
          action={isOn ? "Let it go on" : "Suspend"}
          doing={isOn ? "Going on…" : "Suspending…"}
        />
      </form>
    </Dialog>
  );
}
