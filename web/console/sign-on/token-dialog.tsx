// The dialog that creates a SCIM token: an API key that can change members and nothing else.
import { useState } from "preact/hooks";
import type { KeyWithSecret } from "../../../shared/contract/key.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { texts } from "../../messages/sign-on.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { scimScopes } from "./sso-api.ts";

interface Props {
  readonly control: Control;
  readonly close: () => void;
}

export function TokenDialog({ control, close }: Props) {
  const [name, setName] = useState("scim");
  const [createdKey, setCreatedKey] = useState<KeyWithSecret>();
  const { submit, bind, busy, failure } = useSubmit(
    async () => setCreatedKey(await control.createKey({ name, scopes: [...scimScopes] })),
    ["name"],
  );
  return (
    <Dialog title={texts.tokenTitle} close={close}>
      {createdKey ? (
        <ShownOnce text={createdKey.key} file={`${createdKey.name}.key`} words={texts} close={close}>
          {texts.tokenShown}
        </ShownOnce>
      ) : (
        <form noValidate onSubmit={submit}>
          <p>{texts.tokenMeans}</p>
          <TextField label={texts.tokenName} {...bind("name", name, setName)} />
          <CommandLine line={sandbarLine("create-key", "--name", name || "NAME", "--scope", scimScopes.join(","))} />
          <FormEnd failure={failure} close={close} busy={busy} action={texts.createToken} doing={texts.creating} />
        </form>
      )}
    </Dialog>
  );
}
