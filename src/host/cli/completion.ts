import { writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, type Commands, type Option, type Options, readArguments } from './command.ts'

const COMPLETION_HELP = `nodefit completion bash|zsh|fish

Prints a script that lets a shell complete commands, options and files.

  source <(nodefit completion bash)                           in ~/.bashrc
  source <(nodefit completion zsh)         in ~/.zshrc, after its compinit
  nodefit completion fish > ~/.config/fish/completions/nodefit.fish
`

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** `nodefit completion`: what a shell needs to complete these commands, which are asked for when it runs. */
export function completionOf(commands: () => Commands): Command {
  return {
    about: 'completion for a shell',
    help: COMPLETION_HELP,
    options: {},
    operands: Object.keys(SHELLS),
    run: (args) => {
      const { positionals } = readArguments('nodefit completion', args, {})
      const [shell = ''] = positionals
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
      if (script === undefined || positionals.length > 1)
        throw new UserError(`name one shell: ${Object.keys(SHELLS).join(', ')}`)
      writeOutput(script(commands()))
    },
  }
}

/**
 * Completion for bash, 3.2 and later. What has no words of its own completes as files, as bash does. It takes `=` for a
 * word of its own, so that `--set=key` are three.
 */
function bashScript(commands: Commands): string {
  const names = [...Object.keys(commands), '--help', '--version']
  return `# nodefit completion for bash
_nodefit() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names.join(' ')}' -- "$current"))
    return
  fi
  if [ "$current" = = ]; then
    current=
  elif [ "$before" = = ]; then
    before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "\${COMP_WORDS[1]} $before" in
${Object.entries(commands)
  .flatMap(([name, { options }]) => valueCases(name, options))
  .join('\n')}
  esac
  case "\${COMP_WORDS[1]} $current" in
${Object.entries(commands)
  .flatMap(([name, command]) => wordCases(name, command))
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _nodefit nodefit
`
}

/** Behind an option with a value: its words, or files. */
function valueCases(name: string, options: Options): string[] {
  return Object.entries(options)
    .filter(([, { type }]) => type === 'string')
    .map(([option, { value }]) => {
      const words = Array.isArray(value) ? value.join(' ') : ''
      const isPrefix = words.includes('=')
      const reply = words === '' ? '' : ` COMPREPLY=($(compgen -W '${words}' -- "$current"));`
      return `    '${name} --${option}')${reply}${isPrefix ? ' compopt -o nospace 2>/dev/null;' : ''} return ;;`
    })
}

function wordCases(name: string, { options, operands }: Command): string[] {
  const all = [...Object.keys(options), 'help'].map((option) => `--${option}`).join(' ')
  const own = Array.isArray(operands) ? [`    '${name} '*) words='${operands.join(' ')}' ;;`] : []
  return [`    '${name} -'*) words='${all}' ;;`, ...own]
}

/** Completion for fish. */
function fishScript(commands: Commands): string {
  const lines = [
    '# nodefit completion for fish',
    'complete -c nodefit -f',
    ...Object.entries(commands).map(
      ([name, { about }]) => `complete -c nodefit -n __fish_use_subcommand -a ${name} -d ${quotedForFish(about)}`,
    ),
    `complete -c nodefit -l help -d ${quotedForFish('what a command takes')}`,
    `complete -c nodefit -n __fish_use_subcommand -l version -d ${quotedForFish('the version of nodefit')}`,
    ...Object.entries(commands).flatMap(([name, command]) => linesOf(name, command)),
  ]
  return `${lines.join('\n')}\n`
}

function linesOf(name: string, { options, operands }: Command): string[] {
  const own = `complete -c nodefit -n '__fish_seen_subcommand_from ${name}'`
  return [
    ...Object.entries(options).map(
      ([option, definition]) => `${own} -l ${option}${valueFlags(definition)} -d ${quotedForFish(definition.about)}`,
    ),
    `${own} ${operands === 'files' ? '-F' : `-a ${quotedForFish(operands === 'folder' ? FOLDERS : operands.join(' '))}`}`,
  ]
}

const FOLDERS = '(__fish_complete_directories)'

/** Nothing follows a switch; a value is a file, a folder, one of some words, or anything. */
function valueFlags({ type, value }: Option): string {
  if (type === 'boolean') return ''
  if (value === 'file') return ' -r -F'
  if (value === 'folder') return ` -x -a ${quotedForFish(FOLDERS)}`
  return value === undefined ? ' -x' : ` -x -a ${quotedForFish(value.join(' '))}`
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}

/** Completion for zsh: sourced after compinit, or as the file `_nodefit` of a folder in fpath. */
function zshScript(commands: Commands): string {
  const entries = Object.entries(commands)
  return `#compdef nodefit
# nodefit completion for zsh
_nodefit() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C '--help[what a command takes]' '--version[the version of nodefit]' '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands=(
${entries.map(([name, { about }]) => `        ${quotedForZsh(`${name}:${about}`)}`).join('\n')}
      )
      _describe command commands
      ;;
    rest)
      case $words[1] in
${entries.map(([name, command]) => `        ${name})\n          _arguments -s ${specs(command).join(' \\\n            ')}\n          ;;`).join('\n')}
      esac
      ;;
  esac
}
if [ "\${funcstack[1]}" = _nodefit ]; then
  _nodefit "$@"
else
  compdef _nodefit nodefit
fi
`
}

/** What `_arguments` takes for a command: its options, then what stands behind them. */
function specs({ options, operands }: Command): string[] {
  const all = Object.entries(options).map(([name, option]) => quotedForZsh(specOf(name, option)))
  const last =
    operands === 'files' ? '*:file:_files' : `1:${operands === 'folder' ? 'folder:_files -/' : wordsOf(operands)}`
  return [...all, quotedForZsh('--help[what the command takes]'), quotedForZsh(last)]
}

function specOf(name: string, { type, multiple, value, about }: Option): string {
  const own = `${multiple ? '*' : ''}--${name}`
  const text = `[${about.replaceAll(/[[\]:\\]/g, '\\$&')}]`
  if (type === 'boolean') return `${own}${text}`
  if (value === 'file') return `${own}=${text}:file:_files`
  if (value === 'folder') return `${own}=${text}:folder:_files -/`
  return `${own}=${text}:${value === undefined ? 'value: ' : wordsOf(value)}`
}

/** Words to choose from; behind one that ends in `=` the user goes on. */
function wordsOf(words: readonly string[]): string {
  const isPrefix = words.some((word) => word.endsWith('='))
  return isPrefix ? `value:compadd -S "" - ${words.join(' ')}` : `value:(${words.join(' ')})`
}

function quotedForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
