import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printable } from '../../face/index.ts'
import { readCommit, writeCommitFiles } from '../files/revision.ts'
import { writeView } from '../files/stdio.ts'
import { givenTrust } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { isBelow, repositoryPath } from '../sync/effect/owned-folder.ts'
import { replay } from '../sync/effect/replay.ts'
import { readTrailers } from '../sync/effect/trailers.ts'
import { type Command, type Options, readArguments } from './command.ts'

declare const NODEFIT_VERSION: string

const HELP = `nodefit replay COMMIT [--repository DIR]
               [--trust FILE|env:NAME | --keyring FILE|env:NAME]

Renders a commit of nodefit sync again, from its files and the output in its
parent, and compares the result with the output in the commit, byte for byte.
It writes no file and contacts neither cluster nor remote.

  --repository DIR  a clone with the commit and its parent; by default that of
                    the working directory
  --trust FILE      whom the controller trusted, an ActionTrust
  --keyring FILE    the keys that verify signed actions, an ActionKeyring

Exit code 0: equal; 1: different, and stdout lists where; 2: there is no such
commit, or nodefit sync did not make it.

  nodefit replay HEAD
`

const OPTIONS = {
  repository: { type: 'string', about: 'a clone with the commit', value: 'folder' },
  trust: { type: 'string', about: 'whom the controller trusted to act', value: 'file' },
  keyring: { type: 'string', about: 'the keys that verify signed actions', value: 'file' },
} as const satisfies Options

/** `nodefit replay`: whether the output in a commit of nodefit sync is what its inputs render to. */
export const REPLAY: Command = {
  about: 'render a commit of nodefit sync again',
  help: HELP,
  options: OPTIONS,
  operands: [],
  failure: 2,
  run: replayCommit,
}

function replayCommit(args: string[]): void {
  const { values, positionals } = readArguments('nodefit replay', args, OPTIONS)
  const [name, another] = positionals
  if (name === undefined || another !== undefined) throw new UserError('name one commit, such as HEAD')
  const { repository = '.' } = values
  // what the operator of this machine trusts says nothing of what the controller did
  const trust = () => givenTrust(values, process.env, '')
  const { id, message, parent } = readCommit(repository, name)
  const trailers = readTrailers(message)
  if (trailers === undefined)
    throw new UserError(`${name} is not a commit of nodefit sync: its message has no Nodefit trailers`)
  const read = [...trailers.packages, trailers.folder].map(repositoryPath)
  const output = trailers.output === undefined ? undefined : repositoryPath(trailers.output)
  const isOutput = (path: string) => output !== undefined && isBelow(output, path)
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-replay-'))
  try {
    const [inputs, outputs] = [join(folder, 'inputs'), join(folder, 'outputs')]
    const isRead = (path: string) => !isOutput(path) && read.some((part) => isBelow(part, path))
    writeCommitFiles(repository, id, inputs, isRead)
    if (parent !== undefined) writeCommitFiles(repository, parent, inputs, isOutput)
    writeCommitFiles(repository, id, outputs, isOutput)
    const { isSame, lines } = replay({ trailers, inputs, outputs, trust, version: NODEFIT_VERSION })
    writeView(lines.map((line) => `${printable(line)}\n`).join(''))
    process.exitCode = isSame ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
