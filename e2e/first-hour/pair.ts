/** One agent on one fleet, as a user meets nodefit: `init`, `build`, and the steps that `init` prints. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { COMMAND, filesOf, functionsIn, type Run, run } from '../support/hosts.ts'
import { objectsOf } from '../support/objects.ts'
import { AGENTS, type AgentName, agentDaemonSet } from './agents.ts'
import { FLEETS, type FleetName, fleetNodes, nodeList } from './fleets.ts'
import type { DaemonSet, Node } from './kubernetes.ts'
import type { PolicySpec } from './sizes.ts'

export interface Pair {
  readonly fleet: FleetName
  readonly agent: AgentName
}

/** Every agent on every fleet. */
export const ALL_PAIRS: readonly Pair[] = FLEETS.flatMap((fleet) => AGENTS.map((agent) => ({ fleet, agent })))

/** Each fleet, agents that request something, with sidecars and without, and one that requests nothing. */
export const SAMPLE: readonly Pair[] = [
  { fleet: 'eks-karpenter', agent: 'filebeat' },
  { fleet: 'eks-karpenter', agent: 'calico' },
  { fleet: 'eks', agent: 'secrets-store-csi' },
  { fleet: 'gke', agent: 'splunk' },
  { fleet: 'gke', agent: 'node-local-dns' },
  { fleet: 'k3s', agent: 'promtail' },
  { fleet: 'k3s', agent: 'tetragon' },
  { fleet: 'bare-metal', agent: 'filebeat' },
]

/** What became of a package that `init` wrote. */
export interface Made {
  /** The label that this run was told to group by; undefined for init's own choice. */
  readonly label?: string
  readonly folder: string
  readonly init: Run
  readonly build: Run
  readonly rendered: readonly DaemonSet[]
  readonly policy: PolicySpec
}

/** A pair with its nodes and template, and its packages: init's own choice first, then what it advised, then others. */
export interface Tried extends Pair {
  readonly nodes: readonly Node[]
  readonly template: DaemonSet
  readonly made: readonly Made[]
}

/** Other ways to group a fleet that a user of its platform knows: by ranges of Karpenter's memory label. */
const OTHER_LABELS: Readonly<Partial<Record<FleetName, readonly string[]>>> = {
  'eks-karpenter': ['karpenter.k8s.aws/instance-memory'],
}

const ADVICE = /nodefit init --group-by (\S+) does\./

/** Runs `init` and `build` for a pair, and again by the label that `init` advises and by others. The packages lie in the folder. */
export function tryPair({ fleet, agent }: Pair, folder: string): Tried {
  const template = agentDaemonSet(agent)
  writeFileSync(join(folder, 'nodes.json'), nodeList(fleet))
  writeFileSync(join(folder, 'daemonset.yaml'), stringify(template))
  const first = make(folder)
  const advised = ADVICE.exec(first.init.stderr)?.[1]
  const labels = [...(advised === undefined ? [] : [advised]), ...(OTHER_LABELS[fleet] ?? [])]
  const made = [first, ...labels.map((label) => make(folder, label))]
  return { fleet, agent, template, nodes: fleetNodes(fleet), made }
}

function make(folder: string, label?: string): Made {
  const package_ = join(mkdtempSync(join(folder, 'try-')), 'agent')
  const files = ['--nodes', join(folder, 'nodes.json'), '--daemonset', join(folder, 'daemonset.yaml')]
  const more = label === undefined ? [] : ['--group-by', label]
  const init = nodefit('init', package_, ...files, '--cluster', 'prod', '--anyway', ...more)
  if (init.status !== 0) throw new Error(`nodefit init ended with ${init.status}:\n${init.stderr}`)
  const build = nodefit('build', package_)
  if (build.status !== 0) throw new Error(`nodefit build ended with ${build.status}:\n${build.stderr}`)
  const { spec } = parse(filesOf(package_)['policy.yaml'] ?? '') as { spec: PolicySpec }
  return { label, folder: package_, init, build, rendered: objectsOf(build.stdout), policy: spec }
}

function nodefit(...args: readonly string[]): Run {
  return run(process.execPath, [COMMAND, ...args])
}

/** Renders a package beside the output of another one of the same agent, as a user who regroups it does. */
export function regroup(
  earlier: Made,
  after: Made,
  { withInventoryOf }: { withInventoryOf?: Made } = {},
): { build: Run; rendered: readonly DaemonSet[] } {
  const around = mkdtempSync(join(after.folder, '../earlier-'))
  const [before, folder] = [join(around, 'out'), join(around, 'agent')]
  mkdirSync(before)
  cpSync(after.folder, folder, { recursive: true })
  if (withInventoryOf !== undefined)
    copyFileSync(join(withInventoryOf.folder, 'inventory.yaml'), join(folder, 'inventory.yaml'))
  allowRegrouping(folder)
  writeFileSync(join(before, 'groups.yaml'), earlier.build.stdout)
  const build = nodefit('build', folder, '--earlier', before)
  if (build.status !== 0) throw new Error(`nodefit build --earlier ended with ${build.status}:\n${build.stderr}`)
  return { build, rendered: objectsOf(build.stdout) }
}

/** Lets a run remove all groups, as one does that groups by another label. */
function allowRegrouping(folder: string): void {
  const text = filesOf(folder)['render-config.yaml']
  const config = text === undefined ? {} : (parse(text) as { spec?: object })
  const spec = { ...config.spec, guards: { maxGroupsRemoved: 'any', maxNodesLost: 'any' } }
  const named = {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'RenderConfig',
    metadata: { name: 'render' },
    ...config,
    spec,
  }
  writeFileSync(join(folder, 'render-config.yaml'), stringify(named))
}

/** Runs each step that `init` printed as it stands, and gives what kpt wrote; throws where one ends with an error. */
export function runNextSteps({ folder, init }: Made): readonly DaemonSet[] {
  const steps = [...init.stderr.matchAll(/^nodefit: next: (.+)$/gm)].map(([, step]) => step ?? '')
  if (steps.length === 0) throw new Error(`no next step:\n${init.stderr}`)
  const above = join(folder, '..')
  for (const step of steps) {
    const [program = '', ...args] = step.split(' ')
    const { status, stdout, stderr } = run(program, args, { bin: functionsIn(above), cwd: above })
    if (status !== 0) throw new Error(`${step} ended with ${status}:\n${stdout}${stderr}`)
  }
  const written = Object.entries(filesOf(folder)).filter(([file]) => basename(file).endsWith('groups.yaml'))
  return written.flatMap(([, text]) => objectsOf(text))
}
