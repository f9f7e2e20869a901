import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { INVENTORY_FILE } from '../../src/host/sync/effect/owned-folder.ts'
import { renderWith } from '../../src/host/sync/effect/rendered.ts'
import { COMMAND, filesOf, functionsIn, ROOT, type Run, run } from './hosts.ts'
import { imageIn } from './image.ts'
import { objectsOf } from './objects.ts'
import { appliedOf, type Sample } from './samples.ts'
import { asKustomization } from './transformer.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any
type Files = Readonly<Record<string, string>>

/** What came out of a host: what is applied of it, or why it failed; the package's files where the host keeps them. */
export interface Rendered {
  readonly objects: readonly Any[]
  readonly said: string
  /** The manifests as they were printed, by a host that prints them. */
  readonly text?: string
  readonly failed: boolean
  /** Whether a host that failed put something out all the same, which a tool might apply. */
  readonly leaked?: boolean
  readonly files?: Files
}

/** A way to have nodefit render, with the programs that it takes. */
export interface Renderer {
  readonly name: string
  readonly needs: readonly string[]
  /** Whether it sees what was rendered before, be it nothing. */
  readonly seesEarlier: boolean
  /** Whether one step follows on another, with what the last one rendered. */
  readonly goesOn: boolean
  /** Whether it fails where nothing is left to apply, so that nothing is pruned. */
  readonly refusesNothing: boolean
  /** Whether flat keys can be given to it. */
  readonly takesFlat?: boolean
  /** Renders the source of a step in a folder of the sample's own, in which the last step has left what it has. */
  readonly render: (sample: Sample, source: Files, folder: string) => Rendered
}

const PLUGIN = parse(readFileSync(join(ROOT, 'deploy/argocd/plugin.yaml'), 'utf8'))
const GENERATE: readonly string[] = PLUGIN.spec.generate.command
const KPT = { needs: ['kpt'], seesEarlier: true, goesOn: false, refusesNothing: false }

/** Every host of docs/deliver/README.md. */
export const RENDERERS: readonly Renderer[] = [
  { name: 'kpt fn render', ...KPT, render: (...given) => kptRender(...given, functionsIn) },
  { name: 'kpt fn eval', ...KPT, render: kptEval },
  { name: 'container image', ...KPT, render: (...given) => kptRender(...given, imageIn) },
  {
    name: 'kustomize',
    needs: ['kustomize'],
    seesEarlier: false,
    goesOn: false,
    refusesNothing: false,
    render: kustomize,
  },
  { name: 'Argo CD', needs: [], seesEarlier: false, goesOn: false, refusesNothing: true, render: argocd },
  {
    name: 'Argo CD with earlier',
    needs: [],
    seesEarlier: true,
    goesOn: true,
    refusesNothing: true,
    render: argocdWithEarlier,
  },
  { name: 'Flux', needs: ['kustomize'], seesEarlier: true, goesOn: true, refusesNothing: true, render: flux },
  { name: 'nodefit build', needs: [], seesEarlier: false, goesOn: false, refusesNothing: false, render: build },
  {
    name: 'nodefit build --earlier',
    needs: [],
    seesEarlier: true,
    goesOn: true,
    refusesNothing: false,
    render: buildWithEarlier,
  },
  {
    name: 'nodefit sync',
    needs: ['kustomize'],
    seesEarlier: true,
    goesOn: true,
    refusesNothing: true,
    takesFlat: false,
    render: sync,
  },
]

function write(folder: string, files: Files): string {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

function ofStream({ status, stdout, stderr }: Run): Rendered {
  return {
    objects: objectsOf(stdout, '1.1'),
    said: stderr,
    text: stdout,
    failed: status !== 0,
    leaked: status !== 0 && stdout !== '',
  }
}

function ofPackage(before: Files, folder: string, { status, stderr }: Run): Rendered {
  const files = filesOf(folder)
  const failed = status !== 0
  const leaked = failed && JSON.stringify(files) !== JSON.stringify(before)
  return { objects: failed ? [] : appliedOf(files), said: stderr, failed, leaked, files }
}

function kptRender(sample: Sample, source: Files, folder: string, functions: (folder: string) => string): Rendered {
  const config = Object.fromEntries(sample.flat.map((flat) => flat.split('=')))
  const pipeline = { mutators: [{ exec: 'nodefit-fn', configMap: config }] }
  const own = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'flat' }, pipeline }
  const before = sample.flat.length === 0 ? source : { ...source, Kptfile: stringify(own) }
  const work = write(join(folder, 'package'), before)
  const args = ['fn', 'render', work, '--allow-exec', '--truncate-output=false']
  const rendered = ofPackage(before, work, run('kpt', args, { bin: functions(folder) }))
  if (sample.flat.length === 0) return rendered
  const { Kptfile: _, ...files } = rendered.files ?? {}
  return { ...rendered, files }
}

function kptEval({ flat }: Sample, source: Files, folder: string): Rendered {
  const work = write(join(folder, 'package'), source)
  const own = flat.length === 0 ? [] : ['--', ...flat]
  const args = ['fn', 'eval', work, '--exec', 'nodefit-fn', '--truncate-output=false', ...own]
  return ofPackage(source, work, run('kpt', args, { bin: functionsIn(folder) }))
}

function kustomize({ flat }: Sample, source: Files, folder: string): Rendered {
  const work = write(join(folder, 'package'), asKustomization(source, flat))
  const args = ['build', '--enable-alpha-plugins', '--enable-exec', work]
  return ofStream(run('kustomize', args, { bin: functionsIn(folder) }))
}

/** As the plugin server starts it: the command of plugin.yaml, without stdin, in a clone, with parameters in its environment. */
function plugin(work: string, { flat }: Sample, parameters: readonly object[]): Rendered {
  const map = Object.fromEntries(flat.map((one) => one.split('=')))
  const all = flat.length === 0 ? parameters : [...parameters, { name: 'set', map }]
  const [program, ...args] = GENERATE
  if (program !== 'nodefit') throw new Error(`the plugin runs ${program}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: work,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ARGOCD_APP_PARAMETERS: JSON.stringify(all), ARGOCD_APP_NAME: 'agents' },
  })
  return ofStream({ status, stdout, stderr })
}

function argocd(sample: Sample, source: Files, folder: string): Rendered {
  return plugin(write(join(folder, 'package'), source), sample, [])
}

function argocdWithEarlier(sample: Sample, source: Files, folder: string): Rendered {
  // what was rendered before lies beside the inputs, which are named
  mkdirSync(join(folder, 'app/rendered'), { recursive: true })
  write(join(folder, 'app/inputs'), source)
  const parameters = [
    { name: 'paths', array: ['inputs'] },
    { name: 'earlier', string: 'rendered' },
  ]
  const rendered = plugin(join(folder, 'app'), sample, parameters)
  if (!rendered.failed) writeFileSync(join(folder, 'app/rendered/all.yaml'), rendered.text ?? '')
  return rendered
}

function flux({ flat }: Sample, source: Files, folder: string): Rendered {
  const work = write(join(folder, 'package'), source)
  const output = join(folder, 'rendered')
  const before = readable(output)
  const set = flat.flatMap((one) => ['--set', one])
  const built = run(process.execPath, [COMMAND, 'build', work, '--output-dir', output, ...set])
  const leaked = JSON.stringify(readable(output)) !== JSON.stringify(before)
  if (built.status !== 0) return { objects: [], said: built.stderr, failed: true, leaked }
  return ofStream(run('kustomize', ['build', output]))
}

/**
 * As the controller renders for a commit: by its clock, with the inventory in the folder that it owns, into an output
 * folder, which is applied.
 */
function sync(_sample: Sample, source: Files, folder: string): Rendered {
  const root = join(folder, 'repository')
  const { [INVENTORY_FILE]: inventory, ...others } = source
  write(join(root, 'package'), others)
  const output = join(root, 'rendered')
  const before = readable(output)
  const paths = { root: realpathSync(root), folder: 'nodes', packages: ['package'], output: 'rendered' }
  const owned = new Map(inventory === undefined ? [] : [[INVENTORY_FILE, inventory]])
  const rendered = renderWith({ ...paths, clock: new Date() }, owned)
  const leaked = JSON.stringify(readable(output)) !== JSON.stringify(before)
  if (rendered.kind !== 'rendered')
    return { objects: [], said: rendered.kind === 'failed' ? rendered.sentence : 'nothing', failed: true, leaked }
  mkdirSync(output, { recursive: true })
  for (const [path, text] of rendered.change?.write ?? []) {
    mkdirSync(dirname(join(output, path)), { recursive: true })
    writeFileSync(join(output, path), text)
  }
  for (const path of rendered.change?.remove ?? []) rmSync(join(output, path))
  return ofStream(run('kustomize', ['build', output]))
}

function readable(folder: string): Files {
  try {
    return filesOf(folder)
  } catch {
    return {}
  }
}

function build({ flat }: Sample, source: Files, folder: string): Rendered {
  const work = write(join(folder, 'package'), source)
  const set = flat.flatMap((one) => ['--set', one])
  return ofStream(run(process.execPath, [COMMAND, 'build', work, ...set]))
}

function buildWithEarlier({ flat }: Sample, source: Files, folder: string): Rendered {
  const work = write(join(folder, 'package'), source)
  const earlier = join(folder, 'earlier.yaml')
  const set = flat.flatMap((one) => ['--set', one])
  const built = run(process.execPath, [COMMAND, 'build', work, '--earlier', earlier, ...set])
  if (built.status === 0) writeFileSync(earlier, built.stdout)
  return ofStream(built)
}
