// Sandboxes as a table, with what can be done with each.
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { pathTo, sandboxPath } from "./route.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.sandboxTable;

interface Props {
  readonly control: Control;
  readonly sandboxes: readonly Sandbox[];
  readonly ask: (asked: { readonly what: "delete" | "embed"; readonly sandbox: Sandbox }) => void;
}

export function SandboxTable({ control, sandboxes, ask }: Props) {
  return (
    <div class="panel scroll">
      <table class="sandboxes">
        <thead>
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col">{texts.id}</th>
            <th scope="col">{texts.nodes}</th>
            <th scope="col">{texts.age}</th>
            <th scope="col">{texts.expiresIn}</th>
            <th scope="col">
              <span class="unseen">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sandboxes.map((sandbox) => (
            <tr key={sandbox.id} data-name={sandbox.name}>
              <th scope="row">
                <a href={sandboxPath(sandbox.id)}>{sandbox.name}</a>
              </th>
              <td data-label={texts.id}>
                <code>{sandbox.id}</code>
              </td>
              <td data-label={texts.nodes}>{sandbox.nodes}</td>
              <td data-label={texts.age}>
                <Age time={sandbox.createdAt} />
              </td>
              <td data-label={texts.expiresIn}>
                <TimeLeft time={sandbox.expiresAt} />
              </td>
              <td class="actions">
                {may("sandboxes:connect") && (
                  <CopyButton
                    class="quiet"
                    label={texts.copyKubeconfig}
                    text={() => control.kubeconfig(sandbox.id)}
                    file={`${sandbox.name}.kubeconfig`}
                  />
                )}
                {may("sandboxes:connect") && (
                  <button type="button" class="quiet" onClick={() => ask({ what: "embed", sandbox })}>
                    {texts.embed}
                    <span class="unseen"> {sandbox.name}</span>
                  </button>
                )}
                {may("templates:write") && may("sandboxes:connect") && (
                  <a class="button quiet" href={pathTo("templates", [], { make: sandbox.id })}>
                    {texts.template}
                    <span class="unseen">
                      {" "}
                      {texts.of} {sandbox.name}
                    </span>
                  </a>
                )}
                {may("sandboxes:delete") && (
                  <button type="button" class="quiet danger" onClick={() => ask({ what: "delete", sandbox })}>
                    {texts.delete}
                    <span class="unseen"> {sandbox.name}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
