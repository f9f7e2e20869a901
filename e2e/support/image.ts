import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ROOT } from './hosts.ts'

const DOCKERFILE = join(ROOT, 'Dockerfile')
/** `nobody` of the image. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0 && process.env.NODEFIT_LOOPBACK !== '-rn'

/**
 * A folder for PATH whose `nodefit-fn` is what the image runs, for hosts that would start a container: its last stage laid out as the
 * Dockerfile says, its entry point started with its environment alone, in its root folder, by its user and without a network as
 * far as whoever runs the test may do that. The operating system is this one, since nothing here runs images.
 */
export function imageIn(folder: string): string {
  const stage = lastStage(readFileSync(DOCKERFILE, 'utf8'))
  const root = join(folder, 'image')
  for (const [from, to] of stage.copied) {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    const built = join(ROOT, from.replace('/nodefit/', ''))
    if (basename(to).includes('.')) cpSync(built, join(root, to), { recursive: true })
    else copyFileSync(built, join(root, to))
  }
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const path = join(root, 'usr/local/bin')
  const entry = [join(path, stage.entry), ...stage.args].map((word) => `'${word}'`).join(' ')
  const alone = isRoot ? 'unshare -n' : ''
  const user = isRoot
    ? `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --bounding-set=-all`
    : ''
  const env = `env -i PATH='${path}:${dirname(process.execPath)}:/usr/bin:/bin' HOME=/nonexistent`
  writeFileSync(join(bin, 'nodefit-fn'), `#!/bin/sh\ncd '${root}'\nexec ${alone} ${user} ${env} ${entry}\n`)
  chmodSync(join(bin, 'nodefit-fn'), 0o755)
  // another user has to come that far
  for (const open of [folder, root]) chmodSync(open, 0o711)
  return bin
}

/** What the last stage copies from the one before, and what it starts. */
function lastStage(dockerfile: string): { copied: [string, string][]; entry: string; args: string[] } {
  const stage = dockerfile.split(/^FROM /m).at(-1) ?? ''
  const copied = [...stage.matchAll(/^COPY --from=build (\S+) (\S+)$/gm)].map(
    ([, from, to]) => [from, to] as [string, string],
  )
  if (!/^USER 65534:65534$/m.test(stage)) throw new Error('the image does not run as nobody')
  const [entry, ...args] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(stage)?.[1] ?? '[]')
  return { copied, entry, args }
}
