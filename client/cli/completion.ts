// Generates the completion scripts of bash and zsh from the table of commands.
import { commands, common } from "./commands.ts";

export function completion(shell: string): string | undefined {
  if (shell === "bash") return `${bash()}complete -o default -F _sandbar sandbar\n`;
  // zsh can load bash's completions.
  if (shell === "zsh")
    return `autoload -U +X bashcompinit && bashcompinit\n${bash()}complete -o default -F _sandbar sandbar\n`;
  return undefined;
}

function bash(): string {
  const cases = Object.entries(commands).map(([word, { arguments: argumentsText, options }]) => {
    // The first word of `list|show [name]` is one of its alternatives.
    const firsts = /^[a-z-]+(?:\|[a-z-]+)+/.exec(argumentsText)?.[0].split("|") ?? [];
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
