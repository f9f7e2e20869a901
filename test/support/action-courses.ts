/** Drawn courses of signed actions: what people sign, remove and bring back, what a cluster makes of it, and what crashes. */
import { Draw } from '../../e2e/support/fleets/draw.ts'
import type { KubeObject } from '../../src/host/cluster/list.ts'
import {
  type LiveJob,
  liveJob,
  mergeOutcomes,
  type Outcome,
  outcomesOf,
} from '../../src/host/sync/collect/action-outcomes.ts'
import { workloadSnapshot } from '../../src/host/sync/collect/start.ts'
import { outcomesInGit } from '../../src/host/sync/effect/outcomes.ts'
import { readYaml } from '../../src/krm/read-yaml.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { timeText } from '../../src/kube/index.ts'
import { plan } from '../../src/rules/run.ts'
import { actionPolicy, after, errors, nodesAt, snapshot } from './action-package.ts'
import { keyringItem, signedAction, T } from './actions.ts'
import { apiNode } from './api-nodes.ts'
import { listOf } from './objects.ts'
import { DAY, MINUTE, Scene } from './sync-repository.ts'

const NODE = 'small-000002'
const MARK = 'nodefit.dev/actions'
const PROOF = 'nodefit.dev/signed-action'
const SNAPSHOT = 'clusters/prod/nodes/workload.yaml'
const START = Date.parse(T)

/** The fields that one field manager has on a node: server-side apply takes away what a document has no more. */
export interface Held {
  readonly unschedulable?: unknown
  readonly labels: readonly string[]
  readonly mark?: string
  readonly proof?: string
}

const heldBy = ({ metadata, spec }: KubernetesObject): Held => ({
  unschedulable: (spec as { unschedulable?: unknown } | undefined)?.unschedulable,
  labels: Object.keys(metadata.labels ?? {}),
  mark: metadata.annotations?.[MARK],
  proof: metadata.annotations?.[PROOF],
})

/**
 * Draws a course of cordons, uncordons and labels over some hours, with a tool that applies what is rendered now and
 * then: `applied` gives what the node has of it. Returns what is wrong: a node that is held though no valid action holds
 * it; undefined where nothing is. `isHidden`: the host shows no run what the one before rendered.
 */
export function leaseCourse(
  seed: number,
  applied: (document: KubernetesObject) => Held = heldBy,
  isHidden = false,
): string | undefined {
  const draw = new Draw(`course ${seed}`)
  const files = new Map<string, KubernetesObject>()
  const removed: KubernetesObject[] = []
  let now = START
  let held: Held = { labels: [] }
  let kept: KubernetesObject[] = []
  // two actions of one sequence are an error, and a run with an error changes nothing: what is held stays so
  let isRefused = false
  const run = (shown: readonly KubernetesObject[] = []): string | undefined => {
    const output = isHidden ? [] : kept.filter(({ kind }) => ['Node', 'Job', 'ActionRecord'].includes(kind))
    const made = plan(
      listOf([nodesAt(timeText(now)), actionPolicy(), keyringItem(), ...files.values(), ...shown, ...output]),
    )
    const wrong = errors(made).filter((code) => code !== 'DuplicateSequence')
    if (wrong.length > 0) return wrong.join(' ')
    isRefused = made.failed
    if (!made.failed) kept = after(made)
    return undefined
  }
  const apply = () => {
    const document = kept.find(({ kind, metadata }) => kind === 'Node' && metadata.name === NODE)
    // a document that is gone leaves its fields
    if (document !== undefined) held = applied(document)
  }
  const shows = () =>
    snapshot(
      {
        nodes: [
          { name: NODE, annotations: { shown: '', ...(held.mark && { [MARK]: held.mark, [PROOF]: held.proof }) } },
        ],
      },
      timeText(now),
    )
  const isHeldRightly = (): boolean => {
    if (held.unschedulable !== true || isRefused) return true
    return [...files.values()].some(({ spec }) => {
      const { type, issuedAt, expiresAt } = spec as Record<string, string>
      return (
        type !== 'labelNode' &&
        type !== 'uncordonNode' &&
        Date.parse(issuedAt ?? '') - MINUTE <= now &&
        Date.parse(expiresAt ?? '') > now
      )
    })
  }
  const steps: Array<() => void> = [
    () => {
      const id = `a${files.size + removed.length}-${seed}`
      const type = draw.one(['cordonNode', 'uncordonNode', 'labelNode', 'drainNode'])
      const parameters = type === 'labelNode' ? { labels: { [draw.one(['team', 'zone'])]: 'a' } } : {}
      const expiresAt = timeText(now + draw.integer(5, 180) * MINUTE)
      files.set(
        id,
        signedAction({ id, type, parameters, sequence: draw.integer(1, 40), issuedAt: timeText(now), expiresAt }),
      )
    },
    () => {
      const id = draw.one([...files.keys(), ''])
      const file = files.get(id)
      if (file === undefined) return
      files.delete(id)
      removed.push(file)
    },
    () => {
      const file = removed.pop()
      if (file !== undefined) files.set(file.metadata.name, file)
    },
    apply,
    apply,
  ]
  for (let step = 0; step < 10; step++) {
    now += draw.integer(0, 40) * MINUTE
    draw.one(steps)()
    const wrong = run(isHidden || draw.percent(50) ? [shows()] : [])
    if (wrong !== undefined) return `step ${step}: ${wrong}`
    if (draw.percent(70)) {
      apply()
      if (!isHeldRightly()) return `step ${step}: ${JSON.stringify(held)}`
    }
  }
  now += 4 * 60 * MINUTE
  run([shows()])
  apply()
  if (held.unschedulable !== undefined || held.labels.length > 0 || held.mark !== undefined)
    return `at the end: ${JSON.stringify(held)}`
  now += 11 * MINUTE
  run([shows()])
  return kept.some(({ kind }) => kind === 'Node') ? 'the document stays for ever' : undefined
}

const ACTS = [
  { type: 'drainNode', target: { kind: 'Node', name: 'n1' }, parameters: { timeoutSeconds: 60 } },
  { type: 'drainNode', target: { kind: 'Node', name: 'n2' }, parameters: {} },
  { type: 'evictPod', target: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u' }, parameters: {} },
  { type: 'taintNode', target: { kind: 'Node', name: 'n1' }, parameters: { key: 'a', effect: 'NoSchedule' } },
] as const

/**
 * Draws a course of acts with nodefit sync, which is killed before or after a push, sees Jobs late and loses its
 * snapshot, and a tool that applies what Git has now and then. Returns the Jobs that ran twice and what failed.
 */
export function actCourse(seed: number): string[] {
  const draw = new Draw(`course ${seed}`)
  const settings = { cluster: 'prod-eu1', uid: true, output: 'rendered', undoesEdits: true }
  const scene = new Scene(settings, [
    ...[actionPolicy({ maxConcurrent: 2 }), keyringItem()],
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nodefit-actions' } },
  ]).add(apiNode('n1'), apiNode('n2'))
  scene.now = START
  const jobs = new Map<string, KubeObject>()
  const runs = new Map<string, number>()
  const wrong: string[] = []
  let seen: ReadonlyMap<string, LiveJob> = new Map()
  let earlier: readonly Outcome[] = []
  let number = 0
  const restart = () => {
    scene.restart()
    earlier = []
  }
  const look = () => {
    seen = new Map(
      [...jobs].flatMap(([name, object]) => {
        const job = liveJob(object)
        return job === undefined ? [] : [[name, job] as const]
      }),
    )
  }
  const workload = () => {
    earlier = mergeOutcomes(outcomesInGit(scene.path, scene.settings), earlier)
    const planned = scene.memory.actions
    earlier = outcomesOf({ planned, earlier, jobs: seen, marks: new Map(), blocking: new Map(), now: scene.now })
    const target = { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u' }
    const parts = [{ outcomes: [...earlier], targets: [target] }]
    return workloadSnapshot(parts, { cluster: 'prod-eu1', name: 'w', now: new Date(scene.now) })
  }
  const applyOutput = () => {
    const wanted = new Map(
      Object.entries(scene.files()).flatMap(([path, text]) => {
        if (!path.startsWith('rendered/') || !text.includes('kind: Job')) return []
        const object = readYaml(text) as KubeObject
        return [[object.metadata.name, object] as const]
      }),
    )
    for (const name of jobs.keys()) if (!wanted.has(name)) jobs.delete(name)
    for (const [name, job] of wanted) {
      if (jobs.has(name)) continue
      jobs.set(name, job)
      runs.set(name, (runs.get(name) ?? 0) + 1)
    }
  }
  const end = () => {
    const name = draw.one([...jobs.keys(), ''])
    const job = jobs.get(name)
    if (job === undefined || job.status !== undefined) return
    const type = draw.percent(80) ? 'Complete' : 'Failed'
    jobs.set(name, { ...job, status: { conditions: [{ type, status: 'True' }] } })
  }
  const files: string[] = []
  const gone: Array<readonly [string, string]> = []
  const sign = () => {
    number++
    const act = draw.one(ACTS)
    const [issuedAt, expiresAt] = [scene.now, scene.now + draw.integer(20, 240) * MINUTE].map((time) => timeText(time))
    const action = signedAction({ ...act, id: `a${number}`, sequence: number, issuedAt, expiresAt })
    files.push(`policies/a${number}.yaml`)
    scene.write(`policies/a${number}.yaml`, writeYaml(action))
  }
  const remove = () => {
    const path = files.pop()
    if (path === undefined) return
    gone.push([path, scene.read(path)])
    scene.remove(path)
  }
  const restore = () => {
    const [path, text] = gone.pop() ?? []
    if (path === undefined || text === undefined) return
    files.push(path)
    scene.write(path, text)
  }
  const turn = () => {
    const given = workload()
    const crash = draw.integer(0, 9)
    const evaluation = crash === 0 ? scene.evaluate(given) : scene.turn(given)
    if (evaluation.kind === 'stopped') wrong.push(evaluation.sentence)
    if ('failure' in evaluation && evaluation.failure !== undefined) wrong.push(evaluation.failure)
    // killed before its push, or after it
    if (crash <= 1) restart()
  }
  // a process that lives knows what somebody has deleted, and writes it again
  const loseSnapshot = () => {
    const given = workload()
    if (scene.files()[SNAPSHOT] !== undefined) scene.remove(SNAPSHOT)
    scene.turn(given)
  }
  const steps = [sign, remove, restore, applyOutput, applyOutput, end, end, look, turn, turn, loseSnapshot]
  try {
    scene.turn(workload())
    for (let step = 0; step < 30; step++) {
      scene.now += draw.integer(0, 12) * MINUTE
      draw.one(steps)()
      if (draw.percent(60)) look()
    }
    scene.now += DAY
    scene.turn(workload())
  } finally {
    scene.end()
  }
  const twice = [...runs].filter(([name, count]) => count > 1 && !name.startsWith('untaintnode-'))
  return [...wrong, ...twice.map(([name, count]) => `${name} ran ${count} times`)]
}
