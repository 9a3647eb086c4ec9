// The operator's pages: sign-in with the operator's key, then the list of tenants, one tenant, or the log of operators. The address says
// which one is open.
import { useState } from "preact/hooks";
import { curlLine } from "../../api/lines.ts";
import { signInOperator, signOutOperator, operator } from "../../api/operator.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { SecretField } from "../../parts/text-field.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { pathTo } from "../route.ts";
import { OperatorsLog } from "./operators-log.tsx";
import { TenantList } from "./tenant-list.tsx";
import { TenantPage } from "./tenant-page.tsx";
import { texts as all } from "../../messages/admin.ts";

const texts = all.adminPage;

interface Props {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

export function AdminPage({ segments: [view, tenant, sandbox], query }: Props) {
  const currentOperator = operator.value;
  if (!currentOperator) return <OperatorSignIn />;
  return (
    <>
      <nav class="pages sub" aria-label={texts.operatorPages}>
        <a href={pathTo("admin")} aria-current={view === undefined ? "page" : undefined}>
          {texts.tenants}
        </a>
        <a href={pathTo("admin", ["log"])} aria-current={view === "log" ? "page" : undefined}>
          {texts.operatorsLog}
        </a>
        <button type="button" class="quiet" onClick={signOutOperator}>
          {texts.forgetKey}
        </button>
      </nav>
      {view === "tenants" && tenant !== undefined ? (
        <TenantPage
          key={tenant}
          operator={currentOperator}
          id={tenant}
          sandbox={sandbox}
          dialog={query.get("do") ?? ""}
        />
      ) : view === "log" ? (
        <OperatorsLog operator={currentOperator} />
      ) : (
        <TenantList operator={currentOperator} />
      )}
    </>
  );
}

function OperatorSignIn() {
  const [key, setKey] = useState("");
  const { submit, busy, failure } = useSubmit(() => signInOperator(key), []);
  return (
    <div class="card narrow">
      <h1>{texts.title}</h1>
      <form noValidate onSubmit={submit}>
        <SecretField
          label={texts.operatorKey}
          hint={texts.operatorKeyHint}
          error={failure || undefined}
          autoComplete="off"
          value={key}
          change={setKey}
        />
        <button type="submit" class="primary" disabled={busy || key.trim() === ""}>
          {texts.open}
        </button>
      </form>
      <CommandLine line={curlLine("GET", "/v1/admin/tenants", undefined, "SANDBAR_OPERATOR_KEY")} />
    </div>
  );
}
