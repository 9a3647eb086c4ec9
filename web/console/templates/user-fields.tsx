// The users of a template: each with a name, groups, and a role that is bound to them.
import type { CreateTemplate } from "../../../shared/contract/template.ts";
import { texts } from "../../messages/templates.ts";
import { TextField } from "../../parts/text-field.tsx";
import { wordsOf } from "../../parts/words.ts";

export interface UserText {
  readonly user: string;
  readonly groups: string;
  readonly role: string;
  readonly namespace: string;
}

export const newUser: UserText = { user: "", groups: "", role: "", namespace: "" };

/** Converts the texts to the API's form. */
export function usersOf(all: readonly UserText[]): NonNullable<CreateTemplate["users"]> {
  return all.map(({ user, groups, role, namespace }) => ({
    user,
    groups: wordsOf(groups),
    ...(role ? { role } : {}),
    ...(namespace ? { namespace } : {}),
  }));
}

interface Props {
  readonly users: readonly UserText[];
  readonly change: (users: readonly UserText[]) => void;
  /** Returns the error of a field by its path: `users.0.role`. */
  readonly errorOf: (field: string) => string | undefined;
}

export function UserFields({ users, change, errorOf }: Props) {
  const set = (at: number, changes: Partial<UserText>) =>
    change(users.map((user, n) => (n === at ? { ...user, ...changes } : user)));
  return (
    <fieldset class="field">
      <legend>{texts.users}</legend>
      <p class="hint">{texts.usersHint}</p>
      {users.map((templateUser, at) => (
        <fieldset key={at} class="field">
          <legend>{texts.user(at + 1)}</legend>
          <TextField
            label={texts.userName}
            value={templateUser.user}
            change={(user) => set(at, { user })}
            error={errorOf(`users.${at}.user`)}
          />
          <TextField
            label={texts.groups}
            hint={texts.groupsHint}
            value={templateUser.groups}
            change={(groups) => set(at, { groups })}
            error={errorOf(`users.${at}.groups`)}
          />
          <TextField
            label={texts.role}
            hint={texts.roleHint}
            value={templateUser.role}
            change={(role) => set(at, { role })}
            error={errorOf(`users.${at}.role`)}
          />
          {templateUser.role !== "" && (
            <TextField
              label={texts.roleNamespace}
              hint={texts.roleNamespaceHint}
              value={templateUser.namespace}
              change={(namespace) => set(at, { namespace })}
              error={errorOf(`users.${at}.namespace`)}
            />
          )}
          <button type="button" class="quiet danger" onClick={() => change(users.filter((_, n) => n !== at))}>
            {texts.removeUser(at + 1)}
          </button>
        </fieldset>
      ))}
      <button type="button" onClick={() => change([...users, newUser])}>
        {texts.addUser}
      </button>
    </fieldset>
  );
}
