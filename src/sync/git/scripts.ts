import type { Remote } from './remote-url.ts'

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
