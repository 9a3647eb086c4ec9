// A link by which one learning platform registers itself: it is shown once.
import { useState } from "preact/hooks";
import type { LtiRegistration } from "../../../shared/contract/hosted/lti.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/lti.ts";
import { TimeLeft } from "../../parts/age.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { registrationLink, registrationsPath } from "./lti-api.ts";

interface Props {
  readonly control: Control;
  readonly close: () => void;
}

export function LinkDialog({ control, close }: Props) {
  const [link, setLink] = useState<LtiRegistration>();
  const { submit, busy, failure } = useSubmit(async () => setLink(await registrationLink(control)), []);
  return (
    <Dialog title={texts.linkTitle} close={close}>
      {link ? (
        <ShownOnce text={link.url} file="lti-registration.txt" words={texts} close={close}>
          {texts.linkShown} <TimeLeft time={link.expiresAt} />.
        </ShownOnce>
      ) : (
        <form onSubmit={submit}>
          <p>{texts.linkMeans}</p>
          <dl class="pairs">
            {Object.entries(texts.linkAt).map(([system, where]) => (
              <>
                <dt>{system}</dt>
                <dd>{where}</dd>
              </>
            ))}
          </dl>
          <CommandLine line={curlLine("POST", registrationsPath, {})} />
          <FormEnd failure={failure} close={close} busy={busy} action={texts.linkMake} doing={texts.linkMaking} />
        </form>
      )}
    </Dialog>
  );
}
