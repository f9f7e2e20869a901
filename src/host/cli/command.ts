import { parseArgs } from 'node:util'
import type * as pages from '../../face/page/index.ts'
import { nearest } from '../../kinds/validate.ts'
import { parseDuration, unlessMalformed } from '../../kube/index.ts'
import { UserError } from '../files/user-error.ts'

/** A command of nodefit. */
export interface Command {
  /** A summary in a few words, for shell completion. */
  readonly about: string
  readonly help: string
  readonly options: Options
  /** Its arguments besides options: files and folders, a folder, or one of these words. */
  readonly operands: 'files' | 'folder' | readonly string[]
  /** The exit code for an error: 1, or 2 where 1 has another meaning. */
  readonly failure?: 2
  /** Runs the command. An exception ends it with its exit code for errors. */
  readonly run: (args: string[]) => void | Promise<void>
}

export type Commands = Readonly<Record<string, Command>>

/** An option of a command, with or without a value. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** The one letter that stands for it, without the dash. */
  readonly short?: string
  /** A summary in a few words, for shell completion. */
  readonly about: string
  /** The kind of its value: a file, a folder, or one of these words. */
  readonly value?: 'file' | 'folder' | readonly string[]
}

/** The options of a command by name, without dashes. */
export type Options = Readonly<Record<string, Option>>

/** What `parseArgs` needs to know of an option. */
type Form = Readonly<Record<string, Pick<Option, 'type' | 'multiple' | 'short'>>>

type Arguments<T extends Form> = ReturnType<typeof parseArgs<{ args: string[]; allowPositionals: true; options: T }>>

/**
 * The arguments of a command. Throws `UserError` for an unknown option, for a missing or unexpected value, and for an
 * option that is given twice and takes one value.
 */
export function readArguments<T extends Form>(command: string, args: string[], options: T): Arguments<T> {
  const { tokens } = parseArgs({ args, allowPositionals: true, strict: false, tokens: true, options })
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined)
      throw new UserError(`${command} has no option ${rawName}${guessFor(name, options)}${help(command)}`)
    if (option.type === 'boolean' && value !== undefined)
      throw new UserError(`${rawName} takes no value, but "${value}" is given${help(command)}`)
    if (option.type === 'string' && !value) throw new UserError(`${rawName} needs a value${help(command)}`)
    if (value?.startsWith('-') && value !== '-' && !inlineValue)
      throw new UserError(
        `${rawName} needs a value: if the value is ${value}, write ${rawName}=${value}${help(command)}`,
      )
    if (given.has(name) && !option.multiple) throw new UserError(`${rawName} is given twice${help(command)}`)
    given.add(name)
  }
  return parseArgs({ args, allowPositionals: true, options })
}

function guessFor(name: string, options: Form): string {
  const best = nearest(name, Object.keys(options))
  return best === undefined ? '' : `, did you mean --${best}?`
}

function help(command: string): string {
  return `; ${command} --help lists its options`
}

/** Formats the words of a command so that a shell reads them as they are. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

/** What loads a file that stands beside the program: Node.js, or a single executable from itself. */
declare const require: (name: string) => unknown

const PARTS = { api: './api.cjs', fn: './fn.cjs', page: './page.cjs', sync: './sync.cjs' } as const

/** Loads a part of the program that most commands do without, such as the client of the API server. */
export function loadPart<Part>(name: keyof typeof PARTS): Part {
  const file: string = PARTS[name]
  return require(file) as Part
}

/** Returns the duration of an option in milliseconds. Throws `UserError` for another text; `such` is an example. */
export function millisecondsOf(option: string, text: string, such: string): number {
  const time = Number((unlessMalformed(() => parseDuration(text)) ?? 0n) / 1_000_000n)
  if (time <= 0) throw new UserError(`${option} ${text} is not a duration above 0 such as ${such}`)
  return time
}

/** Loads what writes pages: a separate file, since other commands do not need it. */
export function loadPages(): typeof pages {
  return loadPart('page')
}
