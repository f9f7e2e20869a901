import type { Remote } from './remote.ts'

/** A variable of git's configuration with its value. */
export type Setting = readonly [name: string, value: string]

/**
 * The settings of every operation: no hooks, helpers or submodules run, files are as in Git, and little memory is used.
 */
const COMMON_SETTINGS: readonly Setting[] = [
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

/** A configuration file of git, with the common settings and these. */
export function configText(settings: readonly Setting[]): string {
  return [...COMMON_SETTINGS, ...settings]
    .map(([name, value]) => {
      const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')]
      const section = name.slice(0, first)
      const subsection = first === last ? '' : ` ${quoted(name.slice(first + 1, last))}`
      return `[${section}${subsection}]\n\t${name.slice(last + 1)} = ${quoted(value)}\n`
    })
    .join('')
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Prints a file with shell builtins, so that its content is never an argument of a process. */
const printFile = (file: string): string =>
  `while IFS= read -r line; do printf '%s\\n' "$line"; done <${shellQuoted(file)}`

/**
 * A credential helper that prints `file` for one host only, also after redirects.
 * https://git-scm.com/docs/gitcredentials
 */
export function helperScript({ scheme, hostPort }: Remote, file: string): string {
  return `#!/bin/sh
[ "$1" = get ] || exit 0
protocol= host=
while IFS='=' read -r name value; do
  case $name in protocol) protocol=$value ;; host) host=$value ;; esac
done
[ "$protocol" = ${shellQuoted(scheme)} ] && [ "$host" = ${shellQuoted(hostPort)} ] || exit 0
${printFile(file)}
`
}

/** The SSH_ASKPASS program, which prints the passphrase of the key. */
export const askpassScript = (file: string): string => `#!/bin/sh\n${printFile(file)}\n`

/** The ssh command: one key, known hosts only, and no configuration of the user or the machine. */
export function sshCommand({
  key,
  knownHosts,
  hasPassphrase,
}: {
  key: string
  knownHosts: string
  hasPassphrase: boolean
}): string {
  const options = [
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile="${knownHosts}"`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'NumberOfPasswordPrompts=1',
    `BatchMode=${hasPassphrase ? 'no' : 'yes'}`,
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
