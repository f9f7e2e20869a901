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
