import type { Remote } from './remote.ts'

/** A name of git's configuration with its value. */
export type Setting = readonly [name: string, value: string]

/** What holds for every operation: nothing runs that was not asked for, files are as they are in Git, and little memory is used. */
const ALWAYS: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['push.followTags', 'false'],
  ['push.gpgSign', 'false'],
  ['protocol.version', '2'],
  ['transfer.credentialsInUrl', 'die'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '2000'],
  ['gc.autoPackLimit', '20'],
  ['gc.autoDetach', 'false'],
  ['gc.pruneExpire', 'now'],
  ['gc.reflogExpire', 'now'],
  ['pack.threads', '1'],
  ['pack.windowMemory', '16m'],
  ['core.packedGitLimit', '64m'],
  ['gpg.format', 'ssh'],
  ['user.useConfigOnly', 'true'],
]

/** The text of a configuration file. */
export function configText(settings: readonly Setting[]): string {
  return [...ALWAYS, ...settings]
    .map(([name, value]) => {
      const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')]
      const section = name.slice(0, first)
      const within = first === last ? '' : ` ${quoted(name.slice(first + 1, last))}`
      return `[${section}${within}]\n\t${name.slice(last + 1)} = ${quoted(value)}\n`
    })
    .join('')
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Writes a file's lines with what the shell has built in, so that no other program has them among its arguments. */
const shown = (file: string): string => `while IFS= read -r line; do printf '%s\\n' "$line"; done <${shellQuoted(file)}`

/**
 * A credential helper that answers for one host only, wherever the server may lead to.
 * https://git-scm.com/docs/gitcredentials
 */
export function helperScript({ scheme, hostPort }: Remote, answer: string): string {
  return `#!/bin/sh
[ "$1" = get ] || exit 0
protocol= host=
while IFS='=' read -r name value; do
  case $name in protocol) protocol=$value ;; host) host=$value ;; esac
done
[ "$protocol" = ${shellQuoted(scheme)} ] && [ "$host" = ${shellQuoted(hostPort)} ] || exit 0
${shown(answer)}
`
}

/** What ssh asks for the passphrase of the key. */
export const askpassScript = (file: string): string => `#!/bin/sh\n${shown(file)}\n`

/** How ssh is run: with one key, for hosts that are known and no others, and without the user's or the machine's configuration. */
export function sshCommand({ key, knownHosts, asks }: { key: string; knownHosts: string; asks: boolean }): string {
  const options = [
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile="${knownHosts}"`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'NumberOfPasswordPrompts=1',
    `BatchMode=${asks ? 'no' : 'yes'}`,
    'ConnectTimeout=15',
    'ServerAliveInterval=10',
    'ServerAliveCountMax=3',
    'ControlMaster=no',
    'ForwardAgent=no',
  ]
  return ['ssh', '-F', '/dev/null', '-i', key, ...options.flatMap((option) => ['-o', option])]
    .map(shellQuoted)
    .join(' ')
}
