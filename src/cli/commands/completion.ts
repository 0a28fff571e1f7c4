/** `sluice completion`: a script for the shell, printed from the commands themselves, so that it knows every one of them. */
import { Argument, Command } from 'commander';
import { CliError, printJson } from '../output.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

interface Word {
  readonly word: string;
  readonly about: string;
}

/** The words that may follow a command, and an option that has a few values. */
interface Place {
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
  readonly choices: readonly string[];
}

export function completionCommand(): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('print a script that completes commands and options')
    .option('--json', 'print what it completes, as JSON')
    .addHelpText(
      'after',
      `
  bash:  sluice completion bash > ~/.local/share/bash-completion/completions/sluice
  zsh:   sluice completion zsh > "\${fpath[1]}/_sluice"
  fish:  sluice completion fish > ~/.config/fish/completions/sluice.fish`,
    )
    .action((shell: Shell, { json }: { json?: true }, command: Command) => {
      if (command.parent === null) throw new CliError('It completes `sluice`, and is a part of it.');
      const places = placesIn(command.parent, '');
      if (json) printJson(places);
      else console.log(SCRIPTS[shell](places));
    });
}

function placesIn(command: Command, path: string): Place[] {
  const { visibleCommands, visibleOptions } = {
    visibleCommands: command.createHelp().visibleCommands(command),
    visibleOptions: command.createHelp().visibleOptions(command),
  };
  const here: Place = {
    path,
    commands: visibleCommands.map((inside) => ({ word: inside.name(), about: inside.description() })),
    options: visibleOptions.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : [])),
    values: visibleOptions.flatMap(({ long, short, argChoices }) =>
      argChoices === undefined
        ? []
        : [long, short].flatMap((option) => (option ? [{ option, choices: argChoices }] : [])),
    ),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  const inside = command.commands.flatMap((one) => placesIn(one, path === '' ? one.name() : `${path} ${one.name()}`));
  return [here, ...inside];
}

const wordsOf = ({ commands, options, choices }: Place): string[] => [
  ...commands.map(({ word }) => word),
  ...choices,
  ...options.map(({ word }) => word),
];

/** `path` is made of the words so far that are commands; options and arguments between them are passed over. */
const bash = (places: readonly Place[]): string => `# Completion of sluice for bash.
_sluice() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${pathsOf(places).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path:$prev" in
${valuesOf(places)
  .map(
    ({ path, option, choices }) =>
      `    "${path}:${option}") COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")); return ;;`,
  )
  .join('\n')}
  esac
  case "$path" in
${places.map((place) => `    "${place.path}") COMPREPLY=($(compgen -W "${wordsOf(place).join(' ')}" -- "$cur")) ;;`).join('\n')}
  esac
}
complete -o default -F _sluice sluice`;

const zsh = (places: readonly Place[]): string => `#compdef sluice
# Completion of sluice for zsh.
_sluice() {
  local path_="" word
  local -a found
  for word in "\${words[@]:1:CURRENT-2}"; do
    case "\${path_:+$path_ }$word" in
      ${pathsOf(places).join('|')}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  case "$path_:\${words[CURRENT-1]}" in
${valuesOf(places)
  .map(({ path, option, choices }) => `    "${path}:${option}") compadd -- ${choices.join(' ')}; return ;;`)
  .join('\n')}
  esac
  case "$path_" in
${places.map((place) => `    "${place.path}") found=(${[...place.commands, ...place.choices.map((word) => ({ word, about: '' })), ...place.options].map(described).join(' ')}) ;;`).join('\n')}
  esac
  _describe sluice found
  _files
}
# Loaded as a function of this name, it is called at once; sourced, it is registered.
if [ "$funcstack[1]" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi`;

const fish = (places: readonly Place[]): string =>
  [
    `# Completion of sluice for fish.
function __sluice_at
  set -l path
  for word in (commandline -opc)
    switch (string join ' ' $path $word)
      case ${pathsOf(places).join(' ')}
        set -a path $word
    end
  end
  test "$path" = "$argv"
end`,
    ...places.flatMap((place) => {
      const at = `complete -c sluice -n "__sluice_at '${place.path}'"`;
      return [
        ...place.commands.map(({ word, about }) => `${at} -f -a ${word} -d ${quoted(about)}`),
        ...place.choices.map((word) => `${at} -f -a ${word}`),
        ...place.options.map(({ word, about }) => {
          const values = place.values.find(({ option }) => option === word);
          const choices = values === undefined ? '' : ` -x -a ${quoted(values.choices.join(' '))}`;
          return `${at} -l ${word.slice(2)}${choices} -d ${quoted(about)}`;
        }),
      ];
    }),
  ].join('\n');

const SCRIPTS: Record<Shell, (places: readonly Place[]) => string> = { bash, zsh, fish };

const pathsOf = (places: readonly Place[]): string[] =>
  places.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);

const valuesOf = (places: readonly Place[]) =>
  places.flatMap(({ path, values }) => values.map((value) => ({ path, ...value })));

/** In single quotes nothing means anything but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`;

const described = ({ word, about }: Word): string => quoted(`${word}${about === '' ? '' : `:${about}`}`);
