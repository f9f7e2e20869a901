import type { Trust } from '../../core/index.ts'
import { reportLines } from '../../face/index.ts'
import { FLAT_KEY_NAMES } from '../../kinds/index.ts'
import type { Item } from '../../krm/types.ts'
import { isPlanned, manifestsOf, manifestTexts } from '../files/manifest.ts'
import { listOutputFolder, openSettled, writeOutputFolder } from '../files/output-change.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { planItems } from '../files/rendering.ts'
import { writeOutput } from '../files/stdio.ts'
import { isWatched, paintFor, say } from '../files/terminal.ts'
import { givenTrust } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { renderForArgocd } from './argocd.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit build [PATH...|-] [--set KEY=VALUE]... [--earlier DIR] [--all]
              [--output FILE | --output-dir DIR] [--trust | --keyring FILE]
nodefit build --argocd

Renders the policies and prints the objects to apply as a stream of manifests.
stderr lists changes and findings. Each PATH is a package, a YAML or JSON file,
or - for stdin. After an error stdout stays empty.

  --set KEY=VALUE  size one DaemonSet without a policy file: target, kind, name,
                   namespace, nodeGroupLabel, defaultNodeGroup, remainder,
                   containers (a:70,b:30), {request,limit,min,max}{CPU,Memory},
                   {min,max}Limit{CPU,Memory}; percentages left out start from
                   today's sizes, with the lines that keep them
  --earlier DIR    the earlier output, if any; its names are kept
  --output FILE    write to a file instead of stdout, atomically
  --output-dir DIR write a folder for Flux or Argo CD: its own earlier output
  --all            print all findings on stderr, none folded, and every group
  --trust FILE, --keyring FILE  whom you trust to act on nodes; the keys alone
  --argocd         render the working directory as a plugin of Argo CD, with the
                   parameters cluster, policies, paths, earlier and set

  kubectl get nodes -o json > nodes.json
  kubectl -n logging get ds fluent-bit -o json > ds.json
  nodefit build nodes.json ds.json --set target=fluent-bit
`

/** The options of every command that renders. */
export const RENDER_OPTIONS = {
  set: {
    type: 'string',
    multiple: true,
    about: 'size one DaemonSet without a policy file',
    value: FLAT_KEY_NAMES.map((key) => `${key}=`),
  },
  earlier: { type: 'string', about: 'the earlier output', value: 'folder' },
  trust: { type: 'string', about: 'whom the operator trusts to act', value: 'file' },
  keyring: { type: 'string', about: 'the keys that verify signed actions', value: 'file' },
  all: { type: 'boolean', about: 'print all findings, none folded' },
} as const satisfies Options

const OPTIONS = {
  ...RENDER_OPTIONS,
  output: { type: 'string', about: 'write to a file instead of stdout', value: 'file' },
  'output-dir': { type: 'string', about: 'write a folder for Flux or Argo CD', value: 'folder' },
  argocd: { type: 'boolean', about: 'run as a plugin of Argo CD' },
} as const satisfies Options

/** `nodefit build`: renders inputs to a stream of manifests, a file or a folder, and lists the changes on stderr. */
export const BUILD: Command = {
  about: 'render DaemonSets sized per node group',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: build,
}

function build(args: string[]): void {
  const { values, positionals } = readArguments('nodefit build', args, OPTIONS)
  if (values.argocd === true) {
    renderForArgocd(values, positionals)
    return
  }
  const paths = positionals.length === 0 ? ['-'] : positionals
  const directory = values['output-dir']
  if (directory !== undefined && values.output !== undefined)
    throw new UserError('--output and --output-dir exclude each other: give one')
  let items: readonly Item[] | undefined
  // the input is read once: stdin has no second
  const read = () => {
    items ??= readObjects(paths, { except: directory, kustomizations: true })
    return items
  }
  const { set, earlier, output, all } = values
  const trust = givenTrust(values, process.env)
  while (!buildOnce({ paths, read, directory, set, earlier, output, all, trust }))
    say(`nodefit: another run has written into ${directory}: rendering again\n`)
}

interface BuildRequest {
  readonly paths: readonly string[]
  readonly read: () => readonly Item[]
  readonly directory?: string
  readonly set?: readonly string[]
  readonly earlier?: string
  readonly output?: string
  readonly all?: boolean
  readonly trust?: Trust
}

/** Renders and writes. Returns false, and has written nothing, where another run came first to the output folder. */
function buildOnce({ paths, read, directory, ...values }: BuildRequest): boolean {
  const tell = (text: string) => say(`nodefit: ${text}\n`)
  const output = directory === undefined ? undefined : openSettled(directory, paths, tell)
  if (output !== undefined && output.earlier.length > 0 && values.earlier !== undefined)
    throw new UserError(`${directory} holds the earlier output itself: leave --earlier out`)
  const items = read()
  const earlier = values.earlier === undefined ? output?.earlier : readEarlier(values.earlier)
  if (output?.earlier.length === 0 && values.earlier === undefined)
    tell(`there is no output in ${directory}: nothing was rendered before`)
  const plan = planItems(items, {
    clock: new Date(),
    set: values.set,
    earlier,
    keepsFiles: false,
    trust: values.trust,
  })
  const report = reportLines(plan, values.all === true, paintFor(isWatched(), process.env))
  const text = report.map((line) => `${line}\n`).join('')
  if (plan.failed) {
    process.exitCode = 1
    say(text)
    return true
  }
  if (!isPlanned(plan)) say(text)
  if (output !== undefined) {
    const done = writeOutputFolder(output.folder, plan)
    if (done === undefined) return false
    const listed = listOutputFolder(output.folder.path, items, plan)
    say([text, ...[done, listed ?? []].flat().map((line) => `nodefit: ${line}\n`)].join(''))
    return true
  }
  const stream = manifestTexts(manifestsOf(plan)).join('---\n')
  if (values.output === undefined || values.output === '-') writeOutput(stream)
  else writeFileAtomically(values.output, stream)
  say(text)
  return true
}
