import type { Command, Commands, Options } from '../command.ts'

/**
 * Completion for bash, 3.2 and later. What has no words of its own completes as files, as bash does. It takes `=` for a
 * word of its own, so that `--set=key` are three.
 */
export function bashScript(commands: Commands): string {
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
