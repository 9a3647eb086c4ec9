// The members of the organisation and its open invitations.
import { Alert } from "../parts/alert.tsx";
import { useCallback, useEffect, useState } from "preact/hooks";
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
import { useSubmit } from "../parts/submit.ts";
import { texts as all } from "../messages/console.ts";
import { Table } from "../parts/table.tsx";

const texts = all.membersPage;

export function MembersPage({ control }: { readonly control: Control }) {
  const read = useCallback(async () => ({ ...(await control.members()), ...(await control.invitations()) }), [control]);
  const { value, failure, after, reload } = useLoaded(read);
  useMailState(value?.invitations.some(({ mail }) => mail === "sending") ?? false, reload);
  const [createdInvitation, setMade] = useState<InvitationWithLink>();
  const [removed, askToRemove] = useState<Member>();
  return (
    <>
      <div class="titled page">
        <h1>
          {texts.members}
          {me.value?.tenant ? texts.of(me.value.tenant.name) : ""}
        </h1>
        {may("members:write") && (
          <Invite
            invite={async (role, email) => {
              setMade(await control.invite(role, email));
              reload();
            }}
          />
        )}
      </div>
      <Alert text={failure} />
      {createdInvitation && <CreatedInvitation invitation={createdInvitation} />}
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
      <CommandLine label={texts.allMembers} line={sandbarLine("members")} />
      {may("members:write") && (
        <>
          <CommandLine label={texts.invite} line={sandbarLine("invite", "--role", "member", "--email", "EMAIL")} />
          <CommandLine label={texts.changeRole} line={curlLine("PATCH", "/v1/members/MEMBER", { role: "member" })} />
          <CommandLine label={texts.withdraw} line={curlLine("DELETE", "/v1/invitations/INVITATION")} />
        </>
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeAsk(removed.name)}
          action={texts.removeMember}
          doing={texts.removing}
          line={curlLine("DELETE", `/v1/members/${removed.id}`)}
          run={async () => {
            await control.removeMember(removed.id);
            reload();
          }}
          close={() => askToRemove(undefined)}
        >
          <p>{texts.removeMeans}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The interval at which invitations are read again while an e-mail is being sent. */
const againMs = 2_000;
/** The number of these reads. A service that stopped in the meantime never tells the outcome. */
const mostReads = 30;

function useMailState(isSending: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isSending) return undefined;
    let reads = 0;
    const timer = setInterval(() => {
      reload();
      if (++reads === mostReads) clearInterval(timer);
    }, againMs);
    return () => clearInterval(timer);
  }, [isSending, reload]);
}

function Invite({ invite }: { readonly invite: (role: Role, email: string) => Promise<void> }) {
  const [role, setRole] = useState<Role>("member");
  const [email, setEmail] = useState("");
  const { submit, busy, errorOf, failure } = useSubmit(async () => {
    await invite(role, email.trim());
    setEmail("");
  }, ["email"]);
  return (
    <form noValidate class="inline-form" onSubmit={submit}>
      <input
        type="email"
        class="search"
        aria-label={texts.email}
        aria-invalid={errorOf("email") ? "true" : undefined}
        placeholder={texts.emailHint}
        autoComplete="off"
        value={email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <RoleSelect label={texts.invitedRole} role={role} change={setRole} />
      <button type="submit" class="primary" disabled={busy}>
        {texts.invite}
      </button>
      <Alert text={errorOf("email") ?? failure} />
    </form>
  );
}

function CreatedInvitation({ invitation }: { readonly invitation: InvitationWithLink }) {
  return (
    <p class="notice" role="status">
      {texts.invitationFor} {invitation.role}
      {texts.invitationShownOnce} <code>{invitation.url}</code>{" "}
      <CopyButton label={texts.copyLink} text={() => invitation.url} file="invitation.txt" />{" "}
      {invitation.email && (invitation.mail ? texts.mailed(invitation.email) : texts.notMailed(invitation.email))}
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
  if (members.length === 0) return <p class="panel empty">{texts.none}</p>;
  return (
    <Table
      label={texts.members}
      rows={members}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        { name: texts.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
        {
          name: texts.role,
          cell: ({ id, name, role }) =>
            isOwner ? <RoleSelect label={texts.roleOf(name)} role={role} change={(to) => change(id, to)} /> : role,
          sortBy: ({ role }) => role,
        },
        {
          name: texts.joined,
          cell: ({ joinedAt }) => (
            <>
              <Age time={joinedAt} /> {texts.ago}
            </>
          ),
          sortBy: ({ joinedAt }) => joinedAt,
        },
        {
          name: texts.actions,
          form: "actions",
          cell: (member) =>
            isOwner && (
              <button type="button" class="quiet danger" onClick={() => remove(member)}>
                {texts.remove}
                <span class="unseen"> {member.name}</span>
              </button>
            ),
        },
      ]}
    />
  );
}

interface InvitationProps {
  readonly invitations: readonly Invitation[];
  readonly withdraw: (id: string) => void;
}

function InvitationTable({ invitations, withdraw }: InvitationProps) {
  return (
    <section class="panel scroll">
      <h2>{texts.openInvitations}</h2>
      <table>
        <tbody>
          {invitations.map(({ id, role, invitedBy, email, mail, expiresAt }) => (
            <tr key={id} data-name={email}>
              <th scope="row">{role}</th>
              <td>
                {email} {mail && <span class={mail === "failed" ? "error" : "muted"}>{texts.mailState[mail]}</span>}
              </td>
              <td>
                {texts.by} {invitedBy}
              </td>
              <td>
                {texts.expiresIn} <TimeLeft time={expiresAt} />
              </td>
              <td class="actions">
                {may("members:write") && (
                  <button type="button" class="quiet danger" onClick={() => withdraw(id)}>
                    {texts.withdraw}
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
      onChange={({ currentTarget }) => change(roles.find((roleName) => roleName === currentTarget.value) ?? role)}
    >
      {roles.map((roleName) => (
        <option key={roleName}>{roleName}</option>
      ))}
    </select>
  );
}
