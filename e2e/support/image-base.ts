/** What stands for the base of the Dockerfile: Debian and Node.js, made of packages, since nothing here can be pulled. */
import { cpSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodeBinary } from '../../tools/executables/node-binary.ts'
import { TARGETS } from '../../tools/executables/targets.ts'

export const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Runs a program and gives what it prints. Throws where it fails. */
export type Does = (program: string, ...args: readonly string[]) => string

/**
 * The file system of a Debian that runs here, with this Node.js and its npm.
 * `does` and `buildah` run where whatever they leave is removed.
 */
export function hostBase(folder: string, does: Does, buildah: (...args: readonly string[]) => string): string {
  const system = join(folder, 'system.tar')
  does(
    'mmdebstrap',
    '--quiet',
    '--variant=apt',
    '--dpkgopt=force-unsafe-io',
    '--include=ca-certificates,libstdc++6',
    'bookworm',
    system,
  )
  const npm = join(dirname(realpathSync(process.execPath)), '../lib/node_modules/npm')
  const container = buildah('from', 'scratch')
  buildah('add', '--quiet', container, system, '/')
  buildah('add', '--quiet', container, process.execPath, '/usr/local/bin/node')
  buildah('add', '--quiet', container, npm, '/usr/local/lib/node_modules/npm')
  buildah('add', '--quiet', container, CERTIFICATES, CERTIFICATES)
  const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
  buildah('run', '--isolation', 'chroot', container, '--', 'sh', '-c', link)
  rmSync(system)
  return committed(container, 'amd64', buildah)
}

/**
 * The same for arm64, of which nothing can be run: packages are laid out and not set up, and dpkg's lists are written
 * for them. Those that the Dockerfile installs are there already.
 */
export function foreignBase(folder: string, does: Does, buildah: (...args: readonly string[]) => string): string {
  const system = join(folder, 'foreign.tar')
  const hook = join(folder, 'lists.sh')
  writeFileSync(hook, LISTS)
  does(
    'mmdebstrap',
    ...['--quiet', '--arch=arm64', '--variant=extract', `--include=${FOREIGN.join()}`],
    ...['--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr', `--extract-hook=sh '${hook}' "$1"`, 'bookworm', system],
  )
  const target = TARGETS.find(({ name }) => name === 'linux-arm64')
  if (target === undefined) throw new Error('there is no Node.js for arm64')
  // of another owner, where it was fetched
  cpSync(nodeBinary(target.node).program, join(folder, 'node'))
  const container = buildah('from', 'scratch')
  buildah('add', '--quiet', container, system, '/')
  buildah('add', '--quiet', '--chmod', '755', container, join(folder, 'node'), '/usr/local/bin/node')
  buildah('add', '--quiet', container, CERTIFICATES, CERTIFICATES)
  for (const file of [system, join(folder, 'node')]) rmSync(file)
  return committed(container, 'arm64', buildah)
}

const FOREIGN = ['base-files', 'coreutils', 'dash', 'libc6', 'libstdc++6', 'ca-certificates', 'git', 'openssh-client']
/** What dpkg would write of packages that are there as archives. */
const LISTS = `set -eu
cd "$1/var/lib/dpkg"
mkdir -p info
for deb in "$1"/var/cache/apt/archives/*.deb; do
  name=$(dpkg-deb --field "$deb" Package)
  { dpkg-deb --field "$deb"; printf 'Status: install ok installed\\n\\n'; } >>status
  dpkg-deb --fsys-tarfile "$deb" | tar --list | sed 's/^\\.//; s/\\/$//' >"info/$name.list"
done
`

function committed(container: string, arch: string, buildah: (...args: readonly string[]) => string): string {
  const env = ['--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, '--env', `PATH=${PATH}`]
  buildah('config', '--os', 'linux', '--arch', arch, ...env, container)
  const name = `localhost/node-${arch}`
  buildah('commit', '--quiet', container, name)
  buildah('rm', container)
  return name
}
