import { manifestTexts } from '../files/manifest.ts'
import { openOutput, outputChange, writeOutputFolder } from '../files/output-change.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { isPlanned, manifestsOf, planItems } from '../files/rendering.ts'
import { finishChange } from '../files/replace-files.ts'
import { writeOutput } from '../files/stdio.ts'
import { isWatched, paintFor, say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { FLAT_KEY_NAMES } from '../policy/index.ts'
import { reportLines } from '../view/index.ts'
import { renderForArgocd } from './argocd.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit build [PATH...|-] [--set KEY=VALUE]... [--earlier DIR]
              [--output FILE | --output-dir DIR] [--explain]
nodefit build --argocd

Renders what the policies say and prints it as a stream of manifests, without
the inputs themselves; what changes is said on stderr. PATH is any mix of
packages, YAML or JSON files and - for stdin; Lists are taken apart. On an
error nothing is printed on stdout.

  --set KEY=VALUE  size one DaemonSet without a policy file: target, kind, name,
                   namespace, nodeGroupLabel, defaultNodeGroup, remainder,
                   containers (a:70,b:30), requestCPU, requestMemory,
                   limitCPU, limitMemory, minCPU, minMemory, maxCPU, maxMemory
  --earlier DIR    what was rendered before, if anything; its names are kept
  --output FILE    write to a file, whole or not at all, instead of stdout
  --output-dir DIR write a folder for Flux or Argo CD, a file per object, all or
                   nothing; what it holds is the earlier output
  --explain        say on stderr how every number came about, and fold nothing
  --argocd         as a plugin of Argo CD: the folder it is started in, with the
                   parameters paths, earlier and set of the Application

  kubectl get nodes -o json > nodes.json
  kubectl -n logging get ds fluent-bit -o json > ds.json
  nodefit build nodes.json ds.json --set target=fluent-bit
`

/** What a render is asked for, by every command that renders. */
export const RENDER_OPTIONS = {
  set: {
    type: 'string',
    multiple: true,
    about: 'size one DaemonSet without a policy file',
    value: FLAT_KEY_NAMES.map((key) => `${key}=`),
  },
  earlier: { type: 'string', about: 'what was rendered before', value: 'folder' },
  explain: { type: 'boolean', about: 'say how every number came about' },
} as const satisfies Options

const OPTIONS = {
  ...RENDER_OPTIONS,
  output: { type: 'string', about: 'write to a file instead of stdout', value: 'file' },
  'output-dir': { type: 'string', about: 'write a folder for Flux or Argo CD', value: 'folder' },
  argocd: { type: 'boolean', about: 'as a plugin of Argo CD' },
} as const satisfies Options

/** `nodefit build`: any mix of inputs to a stream of manifests or a folder, and what changes on stderr; all or nothing. */
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
    throw new UserError('--output and --output-dir both say where the output goes: give one')
  if (directory !== undefined && finishChange(directory))
    say(`nodefit: the last write into ${directory} had not ended: it has now\n`)
  const output = directory === undefined ? undefined : openOutput(directory, paths)
  if (output !== undefined && output.earlier.length > 0 && values.earlier !== undefined)
    throw new UserError(`${directory} holds the earlier output itself: leave --earlier out`)
  const items = readObjects(paths, { except: directory })
  const earlier = values.earlier === undefined ? output?.earlier : readEarlier(values.earlier)
  if (output?.earlier.length === 0 && values.earlier === undefined)
    say(`nodefit: there is no output in ${directory}: nothing was rendered before\n`)
  const plan = planItems(items, { set: values.set, earlier, keepsFiles: false })
  const report = reportLines(plan, values.explain === true, paintFor(isWatched(), process.env))
  const told = report.map((line) => `${line}\n`).join('')
  if (plan.failed) {
    process.exitCode = 1
    say(told)
    return
  }
  if (!isPlanned(plan)) say(told)
  if (output !== undefined) {
    const done = writeOutputFolder(output.folder, outputChange(output.folder, plan))
    say(`${told}nodefit: ${done}\n`)
    return
  }
  const stream = manifestTexts(manifestsOf(plan)).join('---\n')
  if (values.output === undefined || values.output === '-') writeOutput(stream)
  else writeFileAtomically(values.output, stream)
  say(told)
}
