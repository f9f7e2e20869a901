import { isLocalConfig, isWireAnnotation } from '../krm/annotation.ts'
import { newItem } from '../krm/item.ts'
import { setMember } from '../krm/map.ts'
import type { Item, ResourceList } from '../krm/types.ts'
import { writeYaml } from '../krm/write-yaml.ts'
import { type Plan, plan } from '../plan.ts'
import { FLAT_KEY_NAMES } from '../policy/index.ts'
import { reportLines } from '../view/index.ts'
import { argocdRequest, argocdText, requireManifests } from './argocd.ts'
import { type Options, readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { Failure } from './failure.ts'
import { endProgress, progress } from './progress.ts'
import { readEarlier, readObjects } from './read-objects.ts'
import { say } from './say.ts'
import { isWatched, paintFor } from './terminal.ts'
import { writeFileWhole } from './write-file.ts'
import { writeOutput } from './write-output.ts'

const HELP = `nodefit build [PATH...|-] [--set KEY=VALUE]... [--earlier DIR]
              [--output FILE] [--explain]
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
  --explain        say on stderr how every number came about, and fold nothing
  --argocd         as a plugin of Argo CD: the folder it is started in, with the
                   parameters paths, earlier and set of the Application

  kubectl get nodes -o json > nodes.json
  kubectl -n logging get ds fluent-bit -o json > ds.json
  nodefit build nodes.json ds.json --set target=fluent-bit
`

const OPTIONS = {
  set: {
    type: 'string',
    multiple: true,
    about: 'size one DaemonSet without a policy file',
    value: FLAT_KEY_NAMES.map((key) => `${key}=`),
  },
  earlier: { type: 'string', about: 'what was rendered before', value: 'folder' },
  output: { type: 'string', about: 'write to a file instead of stdout', value: 'file' },
  explain: { type: 'boolean', about: 'say how every number came about' },
  argocd: { type: 'boolean', about: 'as a plugin of Argo CD' },
} as const satisfies Options

/** `nodefit build`: any mix of inputs to a stream of manifests, and what changes on stderr; all or nothing. */
export const BUILD: Command = {
  about: 'render DaemonSets sized per node group',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: build,
}

function build(args: string[]): void {
  const { values, positionals } = readArguments('nodefit build', args, OPTIONS)
  const argocd = values.argocd === true ? argocdRequest(values, positionals) : undefined
  const given = argocd ?? { ...values, paths: positionals.length === 0 ? ['-'] : positionals }
  const items = readObjects(given.paths, argocd?.within)
  const list: ResourceList = {
    apiVersion: 'config.kubernetes.io/v1',
    items,
    results: [],
    functionConfig: flatConfig(given.set),
  }
  const earlier =
    given.earlier === undefined ? undefined : { ...list, items: readEarlier(given.earlier, argocd?.within) }
  progress(`planning ${items.length} objects`)
  const result = plan(list, { earlier, keepsFiles: false })
  endProgress()
  const told = argocd === undefined ? toldOf(result, values.explain === true) : argocdText(result)
  if (result.failed) {
    process.exitCode = 1
    say(told)
    return
  }
  if (result.packages.every(({ planned }) => planned.length === 0)) {
    say(told)
    throw new Failure(
      'there is no policy in the input: add a SizingPolicy or an Order in DaemonSet mode, or size one DaemonSet with --set target=NAME',
    )
  }
  const documents = result.items.filter(({ object }) => !isLocalConfig(object.metadata.annotations)).map(printed)
  if (argocd !== undefined) requireManifests(documents)
  const output = documents.join('---\n')
  if (values.output === undefined || values.output === '-') writeOutput(output)
  else writeFileWhole(values.output, output)
  say(told)
}

/** What a run says on stderr. */
function toldOf(result: Plan, isExplained: boolean): string {
  const report = reportLines(result, isExplained, paintFor(isWatched(), process.env))
  return report.map((line) => `${line}\n`).join('')
}

/** The flat keys as the functionConfig they are elsewhere. */
function flatConfig(set: readonly string[] | undefined): Item | undefined {
  if (set === undefined) return undefined
  const data: Record<string, string> = {}
  for (const entry of set) {
    const equals = entry.indexOf('=')
    if (equals < 1) throw new Failure(`--set ${entry} is not KEY=VALUE`)
    const key = entry.slice(0, equals)
    if (Object.hasOwn(data, key)) throw new Failure(`--set ${key}=… is given twice`)
    setMember(data, key, entry.slice(equals + 1))
  }
  return newItem({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'set' }, data })
}

/** An object without what only the wire needs; one that nobody changed as its file has it. */
function printed({ object, text }: Item): string {
  if (text !== undefined) return text.endsWith('\n') ? text : `${text}\n`
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !isWireAnnotation(key)),
  )
  const metadata: Record<string, unknown> = { ...object.metadata, annotations }
  if (Object.keys(annotations).length === 0) delete metadata.annotations
  return writeYaml({ ...object, metadata })
}
