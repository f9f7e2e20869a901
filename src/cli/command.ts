import type { Options } from './arguments.ts'

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
