import type { Command, Commands, Option } from '../command.ts'

/** Completion for fish. */
export function fishScript(commands: Commands): string {
  const lines = [
    '# nodefit completion for fish',
    'complete -c nodefit -f',
    ...Object.entries(commands).map(
      ([name, { about }]) => `complete -c nodefit -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
    ),
    `complete -c nodefit -l help -d ${quoted('what a command takes')}`,
    `complete -c nodefit -n __fish_use_subcommand -l version -d ${quoted('the version of nodefit')}`,
    ...Object.entries(commands).flatMap(([name, command]) => linesOf(name, command)),
  ]
  return `${lines.join('\n')}\n`
}

function linesOf(name: string, { options, operands }: Command): string[] {
  const own = `complete -c nodefit -n '__fish_seen_subcommand_from ${name}'`
  return [
    ...Object.entries(options).map(
      ([option, definition]) => `${own} -l ${option}${valueFlags(definition)} -d ${quoted(definition.about)}`,
    ),
    `${own} ${operands === 'files' ? '-F' : `-a ${quoted(operands === 'folder' ? FOLDERS : operands.join(' '))}`}`,
  ]
}

const FOLDERS = '(__fish_complete_directories)'

/** Nothing follows a switch; a value is a file, a folder, one of some words, or anything. */
function valueFlags({ type, value }: Option): string {
  if (type === 'boolean') return ''
  if (value === 'file') return ' -r -F'
  if (value === 'folder') return ` -x -a ${quoted(FOLDERS)}`
  return value === undefined ? ' -x' : ` -x -a ${quoted(value.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
