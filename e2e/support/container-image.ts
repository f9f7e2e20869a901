/**
 * The images of the Dockerfile, built by buildah without an engine on bases that are made here, and laid out as whoever
 * pulls them has them.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CONFINED, type GuardedFolder, guardedFolder } from './guarded-folder.ts'
import { ROOT, type Run, run } from './hosts.ts'
import { type Does, foreignBase, hostBase } from './image-base.ts'
import { programOf } from './program.ts'

export const BUILDERS = ['buildah', 'mmdebstrap', 'qemu-aarch64-static'] as const
/** Where an image for another processor has what emulates it. */
export const EMULATOR = '/qemu'

const BASE = 'localhost/node'
const APT = /^RUN apt-get update(?:.*\\\n)+.*\n/m
const MILLISECONDS = 600_000
/** Of the image itself, and what a container runtime adds to it. */
const CONTAINER = `mount --bind "$0" "$0"
mount -o remount,bind,ro "$0"
mount -t proc proc "$0/proc"
/usr/sbin/ip link set lo up
mount --rbind /dev "$0/dev"
[ -z "$1" ] || mount -t tmpfs tmpfs "$0/tmp"
shift
exec setpriv --no-new-privs /usr/sbin/chroot --userspec=65534:65534 --groups= "$0" "$@"`

/** A target of the Dockerfile that was built. */
export interface Image {
  /** That of its manifest, which is the image's own. */
  readonly digest: string
  /** What is written of the image: user, entry point, labels. */
  readonly config: {
    readonly User: string
    readonly Entrypoint: readonly string[]
    readonly Env: readonly string[]
    readonly Labels: Readonly<Record<string, string>>
  }
  readonly architecture: string
  /** Its layers, from the first: archives, each named by its digest. */
  readonly layers: readonly string[]
}

/** An image whose files are laid out. */
export interface Container extends Image {
  /** Where its files are. */
  readonly files: string
  /**
   * Runs a command of the image as its user, without a network, on a root that nobody can write to, with a /tmp where
   * it is given one; without a command its entry point.
   */
  readonly run: (command: readonly string[], input?: string, has?: { readonly tmp: boolean }) => Run
  /** A folder for PATH whose `docker` runs this image for kpt, and nothing else. */
  readonly docker: string
}

/** Builds images from what is committed, each round with nothing of the others. */
export class ImageBuilder {
  readonly #folder: GuardedFolder = guardedFolder('nodefit-image-')

  constructor() {
    const buildah = (...args: readonly string[]): string => this.#does('buildah', ...this.#store('base'), ...args)
    const does: Does = (program, ...args) => this.#does(program, ...args)
    const bases = [hostBase, foreignBase].map((base) => base(this.path, does, buildah))
    buildah('manifest', 'create', BASE)
    for (const base of bases) buildah('manifest', 'add', BASE, base)
  }

  get path(): string {
    return this.#folder.path
  }

  /** Builds targets for processors, from a clone of its own, as `[target, arch]`. */
  round(targets: ReadonlyArray<readonly [target: string, arch: string]>): Image[] {
    const work = mkdtempSync(join(this.path, 'round-'))
    const source = join(work, 'source')
    this.#does('git', 'clone', '-q', '--depth', '1', `file://${realpathSync(ROOT)}`, source)
    const shared = ['--storage-opt', `overlay.imagestore=${join(this.path, 'base-root')}`]
    const store = [...this.#store(join(work, 'own')), ...shared]
    const fixed = [
      '--quiet',
      '--layers',
      '--isolation',
      'chroot',
      '--format',
      'oci',
      '--pull-never',
      '--timestamp',
      '0',
    ]
    const images = targets.map(([target, arch], index) => {
      const name = `image-${index}`
      // buildah of Debian 12 does not say so by itself to the stages' first lines
      const own = ['BUILDPLATFORM=linux/amd64', `TARGETPLATFORM=linux/${arch}`]
      const platforms = ['--platform', `linux/${arch}`, ...own.flatMap((one) => ['--build-arg', one])]
      // apt-get of another processor is not run: the base has what it would install
      const file = join(work, `Dockerfile-${arch}`)
      const text = readFileSync(join(source, 'Dockerfile'), 'utf8')
      writeFileSync(file, arch === 'amd64' ? text : text.replace(APT, ''))
      const of = ['--file', file, '--build-arg', `BASE=${BASE}`, '--target', target, '--tag', name]
      this.#does('buildah', ...store, 'bud', ...fixed, ...platforms, ...of, source)
      const layout = mkdtempSync(join(this.path, 'layout-'))
      this.#does('buildah', ...store, 'push', '--quiet', '--disable-compression', name, `oci:${layout}`)
      return imageOf(layout)
    })
    rmSync(work, { recursive: true })
    return images
  }

  /** Lays out the files of an image. */
  container(image: Image): Container {
    const files = mkdtempSync(join(this.path, 'files-'))
    chmodSync(files, 0o755)
    chmodSync(this.path, 0o711)
    for (const layer of image.layers) this.#does('tar', '-xpf', layer, '-C', files)
    for (const name of ['proc', 'dev']) mkdirSync(join(files, name), { recursive: true })
    if (image.architecture === 'arm64') copyFileSync(programOf('qemu-aarch64-static'), join(files, EMULATOR))
    const start = (tmp: boolean) => [
      ...['env', '-i', ...image.config.Env],
      ...[...CONFINED, '--net', 'sh', '-ec', CONTAINER, files, tmp ? 'tmp' : ''],
    ]
    const docker = mkdtempSync(join(this.path, 'bin-'))
    const words = [...start(false), ...image.config.Entrypoint].map((word) => `'${word}'`).join(' ')
    writeFileSync(
      join(docker, 'docker'),
      `#!/bin/sh\ncase $1 in version) echo 20.10.24 ;; run) exec ${words} ;; esac\n`,
    )
    chmodSync(join(docker, 'docker'), 0o755)
    return {
      ...image,
      files,
      docker,
      run(command, input = '', { tmp } = { tmp: false }) {
        const [program = '', ...args] = [...start(tmp), ...(command.length === 0 ? image.config.Entrypoint : command)]
        return run(program, args, { input })
      },
    }
  }

  /** Removes all of it. */
  remove(): Promise<void> {
    return this.#folder.remove()
  }

  #store(name: string): string[] {
    const at = name.startsWith('/') ? name : join(this.path, name)
    return ['--storage-driver', 'overlay', '--root', `${at}-root`, '--runroot', `${at}-run`]
  }

  #does(program: string, ...args: readonly string[]): string {
    const [start = '', ...rest] = [...CONFINED, program, ...args]
    const env = { ...process.env, TMPDIR: join(this.path, 'tmp') }
    const options = { encoding: 'utf8', timeout: MILLISECONDS, env, maxBuffer: 1 << 28 } as const
    const { status, stdout, stderr } = spawnSync(start, rest, options)
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.slice(-3000)}`)
    return stdout.trim()
  }
}

/** Reads an image from a folder in the form of OCI, which has no other. */
function imageOf(layout: string): Image {
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  const [{ digest }] = read(join(layout, 'index.json')).manifests
  const manifest = read(blob(digest))
  const { config, architecture } = read(blob(manifest.config.digest))
  return {
    digest,
    config,
    architecture,
    layers: manifest.layers.map((layer: { digest: string }) => blob(layer.digest)),
  }
}
