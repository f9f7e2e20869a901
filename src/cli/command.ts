import { parseArgs } from 'node:util'
import { UserError } from '../files/user-error.ts'
import { nearest } from '../policy/unknown-fields.ts'

/** A command of nodefit: how it is called, and what it does. */
export interface Command {
  /** In a few words. */
  readonly about: string
  readonly help: string
  readonly options: Options
  /** What stands behind its options: files and folders, a folder, or one of these words. */
  readonly operands: 'files' | 'folder' | readonly string[]
  /** The exit code where it ends without an answer: 1, unless that already says something else. */
  readonly failure?: 2
  /** Throws what ends it. */
  readonly run: (args: string[]) => void | Promise<void>
}

export type Commands = Readonly<Record<string, Command>>

/** An option of a command: one with a value, or a switch. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** In a few words, for a shell that completes it. */
  readonly about: string
  /** What a value is: a file, a folder, or one of these words. */
  readonly value?: 'file' | 'folder' | readonly string[]
}

/** The options of a command by their names, without dashes. */
export type Options = Readonly<Record<string, Option>>

/** What is needed to read it. */
type Form = Readonly<Record<string, Pick<Option, 'type' | 'multiple'>>>

type Arguments<T extends Form> = ReturnType<typeof parseArgs<{ args: string[]; allowPositionals: true; options: T }>>

/**
 * The arguments of a command. Throws `UserError` for an option that the command does not know, one without its value, one
 * with a value it does not take, and one that is given twice where only one can count.
 */
export function readArguments<T extends Form>(command: string, args: string[], options: T): Arguments<T> {
  const { tokens } = parseArgs({ args, allowPositionals: true, strict: false, tokens: true, options })
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined)
      throw new UserError(`${command} has no option ${rawName}${nearestOf(name, options)}${help(command)}`)
    if (option.type === 'boolean' && value !== undefined)
      throw new UserError(`${rawName} takes no value, but "${value}" is given${help(command)}`)
    if (option.type === 'string' && !value) throw new UserError(`${rawName} needs a value${help(command)}`)
    if (value?.startsWith('-') && value !== '-' && !inlineValue)
      throw new UserError(`${rawName} needs a value: write ${rawName}=${value} where ${value} is one${help(command)}`)
    if (given.has(name) && !option.multiple) throw new UserError(`${rawName} is given twice${help(command)}`)
    given.add(name)
  }
  return parseArgs({ args, allowPositionals: true, options })
}

function nearestOf(name: string, options: Form): string {
  const best = nearest(name, Object.keys(options))
  return best === undefined ? '' : `: --${best} is the nearest`
}

function help(command: string): string {
  return `; ${command} --help says what it takes`
}
