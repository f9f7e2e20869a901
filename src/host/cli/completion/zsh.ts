import type { Command, Commands, Option } from '../command.ts'

/** Completion for zsh: sourced after compinit, or as the file `_nodefit` of a folder in fpath. */
export function zshScript(commands: Commands): string {
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
${entries.map(([name, { about }]) => `        ${quoted(`${name}:${about}`)}`).join('\n')}
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
  const all = Object.entries(options).map(([name, option]) => quoted(specOf(name, option)))
  const last =
    operands === 'files' ? '*:file:_files' : `1:${operands === 'folder' ? 'folder:_files -/' : wordsOf(operands)}`
  return [...all, quoted('--help[what the command takes]'), quoted(last)]
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
