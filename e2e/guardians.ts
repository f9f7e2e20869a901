/**
 * Drawn templates of Orders against a real API server: it takes the guardian pod of what nodefit renders, and refuses that of what
 * nodefit refuses. `npm run e2e:guardians -- [COUNT | FIRST-LAST]` (docs/korder/reservations.md).
 */
import { pathToFileURL } from 'node:url'
import type { KubernetesObject } from '../src/krm/types.ts'
import { readOrder } from '../src/plan/reservation/order/read-order.ts'
import { prototypeOf } from '../src/plan/reservation/ticket/ticket.ts'
import { seedsOf } from './fit.ts'
import { CONTROL_PLANE, startCluster } from './support/cluster.ts'
import { Api } from './support/fleets/api.ts'
import { drawSpec, PRIORITY } from './support/guardians/draw-spec.ts'
import { has } from './support/program.ts'

/** Templates of the whole suite. */
const COUNT = 300
const STYLE = { dialect: 'duration', pin: 'affinity', orderLabel: true, owner: 'Order/drawn' } as const
const COPIED = [
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'schedulerName',
  'priorityClassName',
]

/** What was compared, and where the API server said something else. */
export interface GuardiansReport {
  readonly refused: number
  readonly taken: number
  readonly differences: readonly string[]
}

/** Changes what nodefit says, so that a test sees that it is noticed. */
export type Fault = (refusal: string | undefined) => string | undefined

/** Tries the templates of the seeds on a cluster of their own. */
export async function runGuardians(
  seeds: readonly number[],
  fault: Fault = (refusal) => refusal,
): Promise<GuardiansReport> {
  const cluster = await startCluster()
  const api = new Api(cluster.folder)
  try {
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'infra' } })
    await api.create({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: PRIORITY },
      value: 0,
    })
    const differences: string[] = []
    let refused = 0
    for (const seed of seeds) {
      const { pod, refusal } = judge(drawSpec(seed))
      const own = fault(refusal)
      const real = await api.refusal(pod)
      if (real !== undefined) refused++
      if ((real === undefined) !== (own === undefined))
        differences.push(`${seed}: nodefit ${own ?? 'takes it'}, Kubernetes ${real ?? 'takes it'}`)
    }
    return { refused, taken: seeds.length - refused, differences }
  } finally {
    api.close()
    await cluster.stop()
  }
}

/** What nodefit says of a template, and the guardian that korder makes: of the Ticket, or where there is none of the template. */
function judge(spec: Record<string, unknown>): { pod: KubernetesObject; refusal?: string } {
  const { value: order, findings } = readOrder({
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Order',
    metadata: { name: 'drawn', namespace: 'infra' },
    spec: { daemonSet: true, template: { spec } },
  } as KubernetesObject)
  if (order === undefined)
    return { pod: guardianOf(spec), refusal: findings.map(({ sentence }) => sentence).join('; ') }
  // where every term is empty no node matches, and there is no Ticket
  const terms = order.pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms?.every((term) => Object.keys(term).length === 0)) return { pod: guardianOf(spec) }
  const ticket = prototypeOf(order, STYLE).make({ name: 'drawn-a-0123456789', node: 'a', generation: '' })
  return { pod: guardianOf(ticket.spec as Record<string, unknown>) }
}

/** The pod that korder makes of a Ticket (research: korder section 2.7). */
function guardianOf(spec: Record<string, unknown>): KubernetesObject {
  const name = 'drawn-a-0123456789'
  const own = Object.entries(spec).filter(([key, value]) => COPIED.includes(key) && value !== '')
  const resources = spec.resources ?? { requests: { cpu: '100m', memory: '128Mi' } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `korder-guardian-${name}`,
      namespace: 'infra',
      labels: { 'korder.dev/ticket': name, 'korder.dev/guardian': 'true' },
    },
    spec: {
      ...Object.fromEntries(own),
      containers: [{ name: 'guardian', image: 'registry.k8s.io/pause:3.10', resources }],
      restartPolicy: 'Always',
    },
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && CONTROL_PLANE.every(has)) {
  const start = Date.now()
  const seeds = seedsOf(process.argv[2] ?? String(COUNT))
  const { refused, taken, differences } = await runGuardians(seeds)
  for (const line of differences) process.stdout.write(`FAIL ${line}\n`)
  const seconds = Math.round((Date.now() - start) / 1000)
  process.stdout.write(
    `${seeds.length} templates: ${refused} guardians refused, ${taken} taken; ${seconds} s, ${differences.length} differences\n`,
  )
  process.exitCode = differences.length === 0 ? 0 : 1
}
