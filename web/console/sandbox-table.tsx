// Sandboxes as a table, with what can be done with each.
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { pathTo, sandboxPath } from "./route.ts";

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
            <th scope="col">Name</th>
            <th scope="col">Id</th>
            <th scope="col">Nodes</th>
            <th scope="col">Age</th>
            <th scope="col">Expires in</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sandboxes.map((sandbox) => (
            <tr key={sandbox.id} data-name={sandbox.name}>
              <th scope="row">
                <a href={sandboxPath(sandbox.id)}>{sandbox.name}</a>
              </th>
              <td data-label="Id">
                <code>{sandbox.id}</code>
              </td>
              <td data-label="Nodes">{sandbox.nodes}</td>
              <td data-label="Age">
                <Age time={sandbox.createdAt} />
              </td>
              <td data-label="Expires in">
                <TimeLeft time={sandbox.expiresAt} />
              </td>
              <td class="actions">
                {may("sandboxes:connect") && (
                  <CopyButton
                    class="quiet"
                    label="Copy kubeconfig"
                    text={() => control.kubeconfig(sandbox.id)}
                    file={`${sandbox.name}.kubeconfig`}
                  />
                )}
                {may("sandboxes:connect") && (
                  <button type="button" class="quiet" onClick={() => ask({ what: "embed", sandbox })}>
                    Embed<span class="unseen"> {sandbox.name}</span>
                  </button>
                )}
                {may("templates:write") && may("sandboxes:connect") && (
                  <a class="button quiet" href={pathTo("templates", [], { make: sandbox.id })}>
                    Template<span class="unseen"> of {sandbox.name}</span>
                  </a>
                )}
                {may("sandboxes:delete") && (
                  <button type="button" class="quiet danger" onClick={() => ask({ what: "delete", sandbox })}>
                    Delete<span class="unseen"> {sandbox.name}</span>
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
