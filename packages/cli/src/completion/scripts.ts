/** A command as shells complete it. */
export interface Completed {
  /** The words before it, after the program's name. */
  readonly path: readonly string[];
  /** The commands and options that may follow. */
  readonly words: readonly string[];
}

const key = ({ path }: Completed): string => path.join(" ");

/** The script that makes bash complete the program. */
export function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map((each) => `    "${key(each)}") words="${each.words.join(" ")}" ;;`);
  return `_chainwright() {
  local words path=() word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path+=("$word") ;; esac
  done
  case "\${path[*]:0:2}" in
${cases.join("\n")}
    *) case "\${path[0]}" in
${commands
  .filter(({ path }) => path.length === 1)
  .map((each) => `      "${key(each)}") words="${each.words.join(" ")}" ;;`)
  .join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _chainwright chainwright
`;
}

/** zsh runs the script for bash. */
export function zshScript(commands: readonly Completed[]): string {
  return `autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

export function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ path, words }) => {
    const condition =
      path.length === 0
        ? "__fish_use_subcommand"
        : path.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    return words.map((word) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c chainwright -n "${condition}" ${what}`;
    });
  });
  return `${lines.join("\n")}\n`;
}
