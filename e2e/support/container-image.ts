/**
 * The image of the Dockerfile, built by buildah without an engine: its base is one that is made here, given as its
 * BASE.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, type Run, run } from './hosts.ts'

export const BUILDERS = ['buildah', 'mmdebstrap'] as const

const BASE = 'localhost/node'
const IMAGE = 'localhost/nodefit'
const FUNCTION = 'localhost/nodefit-function'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const MILLISECONDS = 1_200_000

/** A target of the Dockerfile that was built. */
export interface Image {
  /** Runs a command of the image as the user it is for; without one its entry point. */
  readonly run: (command: readonly string[], input?: string) => Run
  /** A folder for PATH whose `docker` runs this image for kpt, and nothing else. */
  readonly docker: string
  /** What is written of the image: user, entry point, labels. */
  readonly config: {
    readonly User: string
    readonly Entrypoint: readonly string[]
    readonly Labels: Readonly<Record<string, string>>
  }
  /** The digests of its layers, from the first. */
  readonly layers: readonly string[]
  /** Where its files are. */
  readonly files: string
}

export interface Images {
  /** The last target, for all; and that for hosts that run functions. */
  readonly sync: Image
  readonly function: Image
  readonly remove: () => void
}

/**
 * Builds the images from what is committed. The base is Debian with this Node.js and its npm, since nothing here can be
 * pulled.
 */
export function buildImages(folder: string): Images {
  const store = ['--storage-driver', 'vfs', '--root', join(folder, 'root'), '--runroot', join(folder, 'run')]
  const buildah = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('buildah', [...store, ...args], {
      encoding: 'utf8',
      timeout: MILLISECONDS,
    })
    if (status !== 0) throw new Error(`buildah ${args[0]}: ${stderr.slice(-3000)}`)
    return stdout.trim()
  }
  const system = join(folder, 'system.tar')
  does('mmdebstrap', ['--quiet', '--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', system])
  const base = buildah('from', 'scratch')
  buildah('add', '--quiet', base, system, '/')
  buildah('add', '--quiet', base, process.execPath, '/usr/local/bin/node')
  buildah('add', '--quiet', base, npmFolder(), '/usr/local/lib/node_modules/npm')
  buildah('add', '--quiet', base, CERTIFICATES, CERTIFICATES)
  const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
  buildah('run', '--isolation', 'chroot', base, '--', 'sh', '-c', link)
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, '--env', `PATH=${PATH}`, base)
  buildah('commit', '--quiet', base, BASE)
  buildah('rm', base)
  rmSync(system)
  const source = join(folder, 'source')
  does('git', ['clone', '-q', '--depth', '1', `file://${realpathSync(ROOT)}`, source])
  const build = (tag: string, ...options: string[]) => {
    const fixed = ['--isolation', 'chroot', '--format', 'oci', '--pull-never', '--timestamp', '0']
    buildah('bud', '--quiet', ...fixed, '--build-arg', `BASE=${BASE}`, ...options, '-t', tag, source)
  }
  const image = (tag: string): Image => {
    const container = buildah('from', '--pull-never', tag)
    const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', tag))
    const start = [...store, 'run', '--isolation', 'chroot', '--user', '65534:65534', container, '--']
    const bin = mkdtempSync(join(folder, 'bin-'))
    const words = ['buildah', ...start, ...OCIv1.config.Entrypoint].map((word) => `'${word}'`).join(' ')
    writeFileSync(join(bin, 'docker'), `#!/bin/sh\ncase $1 in version) echo 20.10.24 ;; run) exec ${words} ;; esac\n`)
    chmodSync(join(bin, 'docker'), 0o755)
    return {
      run: (command, input = '') =>
        run('buildah', [...start, ...(command.length === 0 ? OCIv1.config.Entrypoint : command)], { input }),
      docker: bin,
      config: OCIv1.config,
      layers: OCIv1.rootfs.diff_ids,
      files: buildah('mount', container),
    }
  }
  // each builds all that it needs anew: a cache would copy the whole system after each step
  build(IMAGE)
  build(FUNCTION, '--target', 'function')
  const images = { sync: image(IMAGE), function: image(FUNCTION) }
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return { ...images, remove }
}

/** The folder of the npm that this Node.js comes with. */
function npmFolder(): string {
  return join(dirname(realpathSync(process.execPath)), '../lib/node_modules/npm')
}

function does(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: MILLISECONDS })
  if (status !== 0) throw new Error(`${program}: ${stderr.slice(-3000)}`)
}
