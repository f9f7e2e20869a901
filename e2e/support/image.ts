import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './hosts.ts'

const DOCKERFILE = join(ROOT, 'Dockerfile')
/** `nobody` of the image. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0 && process.env.NODEFIT_LOOPBACK !== '-rn'

/**
 * A folder for PATH whose `nodefit-fn` is what the image runs, for hosts that would start a container: the programs
 * laid out as the Dockerfile says, its entry point started with its environment alone, in its root folder, by its user
 * and without a network as far as whoever runs the test may do that. The operating system is this one, since nothing
 * here runs images.
 */
export function imageIn(folder: string): string {
  const stage = functionStage(readFileSync(DOCKERFILE, 'utf8'))
  const root = join(folder, 'image')
  const programs = join(root, stage.programs)
  mkdirSync(programs, { recursive: true })
  for (const file of readdirSync(join(ROOT, 'dist')).filter((name) => /\.(?:cjs|program|compiled)$/.test(name)))
    copyFileSync(join(ROOT, 'dist', file), join(programs, file))
  const path = join(root, 'usr/local/bin')
  mkdirSync(path, { recursive: true })
  for (const [link, target] of stage.links) symlinkSync(target, join(root, link))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
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

/** Where the function's stage has the programs, which links lead there, and what it starts. */
function functionStage(dockerfile: string) {
  const stage = dockerfile.split(/^FROM /m).find((text) => text.startsWith('scratch AS function\n')) ?? ''
  const [, programs = ''] = /^COPY --from=build \/nodefit\/dist\/\*\.cjs .* (\S+)\/$/m.exec(stage) ?? []
  const links = [...dockerfile.matchAll(/--link (\S+)=(\S+)/g)].map(
    ([, link, target]) => [link, target] as [string, string],
  )
  if (programs === '' || links.length !== 2 || !/^USER 65534:65534$/m.test(stage))
    throw new Error('the Dockerfile has its programs elsewhere, or does not run as nobody')
  const [entry, ...args]: [string, ...string[]] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(stage)?.[1] ?? '[]')
  return { programs, links, entry, args }
}
