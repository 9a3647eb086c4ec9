// Who belongs to the organisation and who is invited.
import { Alert } from "../parts/alert.tsx";
import { useCallback, useState } from "preact/hooks";
import { type Role, roles } from "../../shared/contract/scope.ts";
import type { Invitation, InvitationWithLink, Member } from "../../shared/contract/tenant.ts";
import type { Control } from "../api/control.ts";
import { may, me } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { curlLine, sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { useLoaded } from "../parts/loaded.ts";

export function MembersPage({ control }: { readonly control: Control }) {
  const read = useCallback(async () => ({ ...(await control.members()), ...(await control.invitations()) }), [control]);
  const { value, failure, after } = useLoaded(read);
  const [made, setMade] = useState<InvitationWithLink>();
  const [removed, askToRemove] = useState<Member>();
  return (
    <>
      <div class="titled page">
        <h1>Members{me.value?.tenant ? ` of ${me.value.tenant.name}` : ""}</h1>
        {may("members:write") && <Invite invite={(role) => after(control.invite(role).then(setMade))} />}
      </div>
      <Alert text={failure} />
      {made && <MadeInvitation made={made} />}
      {value && (
        <MemberTable
          members={value.members}
          change={(id, role) => after(control.changeMember(id, role))}
          remove={askToRemove}
        />
      )}
      {value && value.invitations.length > 0 && (
        <InvitationTable invitations={value.invitations} withdraw={(id) => after(control.withdraw(id))} />
      )}
      <CommandLine label="All members" line={sandbarLine("members")} />
      {may("members:write") && (
        <>
          <CommandLine label="Invite somebody" line={sandbarLine("invite", "--role", "member")} />
          <CommandLine label="Give a role" line={curlLine("PATCH", "/v1/members/MEMBER", { role: "member" })} />
          <CommandLine label="Withdraw" line={curlLine("DELETE", "/v1/invitations/INVITATION")} />
        </>
      )}
      {removed && (
        <ConfirmDialog
          title={`Remove ${removed.name}?`}
          action="Remove member"
          doing="Removing…"
          line={curlLine("DELETE", `/v1/members/${removed.id}`)}
          run={async () => {
            await control.removeMember(removed.id);
            after(Promise.resolve());
          }}
          close={() => askToRemove(undefined)}
        >
          <p>The keys which that member made go at once; sandboxes stay.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Invite({ invite }: { readonly invite: (role: Role) => void }) {
  const [role, setRole] = useState<Role>("member");
  return (
    <div class="actions">
      <RoleSelect label="Role of whoever is invited" role={role} change={setRole} />
      <button type="button" class="primary" onClick={() => invite(role)}>
        Invite somebody
      </button>
    </div>
  );
}

function MadeInvitation({ made }: { readonly made: InvitationWithLink }) {
  return (
    <p class="notice" role="status">
      For one person, who will be {made.role}. It is shown this once: <code>{made.url}</code>{" "}
      <CopyButton label="Copy link" text={() => made.url} file="invitation.txt" />
    </p>
  );
}

interface MemberProps {
  readonly members: readonly Member[];
  readonly change: (id: string, role: Role) => void;
  readonly remove: (member: Member) => void;
}

function MemberTable({ members, change, remove }: MemberProps) {
  const isOwner = may("members:write");
  return (
    <div class="panel scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col">Joined</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => {
            const { id, name, role, joinedAt } = member;
            return (
              <tr key={id} data-name={name}>
                <th scope="row">{name}</th>
                <td data-label="Role">
                  {isOwner ? (
                    <RoleSelect label={`Role of ${name}`} role={role} change={(to) => change(id, to)} />
                  ) : (
                    role
                  )}
                </td>
                <td data-label="Joined">
                  <Age time={joinedAt} /> ago
                </td>
                <td class="actions">
                  {isOwner && (
                    <button type="button" class="quiet danger" onClick={() => remove(member)}>
                      Remove<span class="unseen"> {name}</span>
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {members.length === 0 && <p class="empty">Nobody yet: whoever has a key may invite somebody.</p>}
    </div>
  );
}

interface InvitationProps {
  readonly invitations: readonly Invitation[];
  readonly withdraw: (id: string) => void;
}

function InvitationTable({ invitations, withdraw }: InvitationProps) {
  return (
    <section class="panel scroll">
      <h2>Open invitations</h2>
      <table>
        <tbody>
          {invitations.map(({ id, role, invitedBy, expiresAt }) => (
            <tr key={id}>
              <th scope="row">{role}</th>
              <td>by {invitedBy}</td>
              <td>
                expires in <TimeLeft time={expiresAt} />
              </td>
              <td class="actions">
                {may("members:write") && (
                  <button type="button" class="quiet danger" onClick={() => withdraw(id)}>
                    Withdraw
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RoleProps {
  readonly label: string;
  readonly role: Role;
  readonly change: (role: Role) => void;
}

function RoleSelect({ label, role, change }: RoleProps) {
  return (
    <select
      aria-label={label}
      value={role}
      onChange={({ currentTarget }) => change(roles.find((one) => one === currentTarget.value) ?? role)}
    >
      {roles.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
