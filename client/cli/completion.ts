// What bash and zsh complete the command line by: made of the table of commands.
import { commands, common } from "./commands.ts";

export function completion(shell: string): string | undefined {
  if (shell === "bash") return `${bash()}complete -o default -F _sandbar sandbar\n`;
  // zsh reads bash's way of saying it.
  if (shell === "zsh")
    return `autoload -U +X bashcompinit && bashcompinit\n${bash()}complete -o default -F _sandbar sandbar\n`;
  return undefined;
}

function bash(): string {
  const cases = Object.entries(commands).map(([word, { arguments: given, options }]) => {
    // `list|show [name]`: what the first word may be.
    const firsts = /^[a-z-]+(?:\|[a-z-]+)+/.exec(given)?.[0].split("|") ?? [];
    const words = [...firsts, ...Object.keys({ ...options, ...common }).map((name) => `--${name}`)];
    return `    ${word}) words="${words.join(" ")}" ;;`;
  });
  return [
    "_sandbar() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${Object.keys(commands).join(" ")}"`,
    '  else case "${COMP_WORDS[1]}" in',
    ...cases,
    "  esac; fi",
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    "}",
    "",
  ].join("\n");
}
