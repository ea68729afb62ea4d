/** Shell scripts that complete commands and options, generated from the program itself. */
import type { Command } from 'commander';
import { UsageError } from '../server/options.js';

interface Completion {
  /** Command path, such as `sinks test`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function printCompletion(program: Command, shell: string): void {
  const completions = collectCompletions(program);
  if (shell === 'bash') process.stdout.write(createBashScript(completions));
  else if (shell === 'zsh')
    process.stdout.write(
      `#compdef crawlway\nautoload -U +X bashcompinit && bashcompinit\n${createBashScript(completions)}`,
    );
  else if (shell === 'fish') process.stdout.write(createFishScript(program));
  else throw new UsageError(`unknown shell ${shell}; use one of ${SHELLS.join(', ')}`);
}

function collectCompletions(command: Command, path = ''): Completion[] {
  const words = [
    ...command.commands.map((subcommand) => subcommand.name()),
    ...command.options.flatMap(({ short, long }) => [long, short]),
  ];
  const ownCompletion = {
    path,
    words: [...words.filter((word) => word !== undefined && word !== null), '--help'] as string[],
  };
  return [
    ownCompletion,
    ...command.commands.flatMap((subcommand) => collectCompletions(subcommand, `${path} ${subcommand.name()}`.trim())),
  ];
}

const createBashScript = (completions: readonly Completion[]): string => `_crawlway() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" candidates=""
  local i=1
  while [ $i -lt $COMP_CWORD ]; do
    case "\${COMP_WORDS[$i]}" in -*) break ;; *) path="\${path:+$path }\${COMP_WORDS[$i]}" ;; esac
    i=$((i + 1))
  done
  while :; do
    case "$path" in
${completions.map(({ path, words }) => `      "${path}") candidates="${words.join(' ')}" ;;`).join('\n')}
    esac
    [ -n "$candidates" ] && break
    case "$path" in *" "*) path="\${path% *}" ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _crawlway crawlway
`;

function createFishScript(program: Command): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const formatOptions = (command: Command, condition: string): string[] =>
    command.options.map(
      ({ long, short, description }) =>
        `complete -c crawlway -n ${quote(condition)}${long ? ` -l ${long.slice(2)}` : ''}${short ? ` -s ${short.slice(1)}` : ''} -d ${quote(description)}`,
    );
  const lines = program.commands.flatMap((command) => [
    `complete -c crawlway -f -n __fish_use_subcommand -a ${command.name()} -d ${quote(command.description())}`,
    ...formatOptions(command, `__fish_seen_subcommand_from ${command.name()}`),
    ...command.commands.flatMap((subcommand) => [
      `complete -c crawlway -f -n ${quote(`__fish_seen_subcommand_from ${command.name()}`)} -a ${subcommand.name()} -d ${quote(subcommand.description())}`,
      ...formatOptions(subcommand, `__fish_seen_subcommand_from ${subcommand.name()}`),
    ]),
  ]);
  return `${lines.join('\n')}\n`;
}
