/** Coverage is proved from what is rendered: every fault that changes who serves a node is found, and confirmed by Kubernetes' own rule. */
import * as assert from 'uvu/assert'
import type { Planned } from '../../src/core/index.ts'
import type { Finding } from '../../src/krm/finding.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import {
  daemonEligibility,
  type Labels,
  type Node,
  type PodTemplateSpec,
  Region,
  type Taint,
} from '../../src/kube/index.ts'
import { coverageFindings } from '../../src/rules/coverage.ts'
import type { PackagePlan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { goldenLists, ownLists } from '../support/lists.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { SEEDS, type Seed } from '../support/seeds.ts'
import { suite } from '../support/suite.ts'

const FOUND = ['Uncovered', 'CoveredTwice', 'RunsElsewhere']
const found = (findings: readonly Finding[]) => findings.filter(({ code }) => FOUND.includes(code))

/** A policy that renders DaemonSets, with its package. */
interface Case {
  readonly name: string
  readonly one: PackagePlan
  readonly planned: Planned
}

const cases = [...goldenLists(), ...ownLists()]
  .filter(({ name }) => !name.includes('rendered') && !name.includes('paused'))
  .flatMap(({ name, items }): Case[] => {
    const made = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
    if (made.failed) return []
    return made.packages.flatMap((one) =>
      one.planned
        .filter(({ constraints, objects }) => constraints !== undefined && objects.length > 0)
        .map((planned) => ({ name: `${name}: ${planned.subject.object.metadata.name}`, one, planned })),
    )
  })

const podOf = (object: KubernetesObject) => (object.spec as { template: PodTemplateSpec }).template
const nodeOf = ({
  name = 'drawn',
  labels = {},
  taints = [],
}: {
  name?: string
  labels?: Labels
  taints?: Taint[]
}): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: { taints } }) as unknown as Node
const runs = (template: PodTemplateSpec, node: Node) => daemonEligibility(template, node).shouldRun

/** Whether a pod may run on the node: by the template and by the policy, each alone. */
function mayRunOn({ constraints }: Planned, node: Node): boolean {
  if (constraints === undefined) return false
  const tolerations = [...(constraints.pod.tolerations ?? []), ...constraints.tolerations]
  const { nodeSelector, affinity } = constraints
  return (
    runs({ spec: { ...constraints.pod, tolerations } }, node) &&
    runs({ spec: { nodeSelector, affinity, tolerations } }, node)
  )
}

const countOn = (objects: readonly KubernetesObject[], node: Node) =>
  objects.filter((object) => runs(podOf(object), node)).length

/** Nodes of every kind that the objects tell apart: each value that is written, one that is not, none, and no label at all. */
function drawnNodes({ planned, one }: Case, objects: readonly KubernetesObject[]): Node[] {
  const values = new Map<string, Set<string | undefined>>()
  const add = (key: string, value: string | undefined) =>
    values.set(key, (values.get(key) ?? new Set([undefined, '', 'unseen', '7'])).add(value))
  const templates = [...objects, ...planned.objects.map(({ object }) => object)].map(
    (object) => podOf(object).spec ?? {},
  )
  for (const { nodeSelector, affinity } of [...templates, planned.constraints?.pod ?? {}, planned.constraints ?? {}]) {
    for (const [key, value] of Object.entries(nodeSelector ?? {})) add(key, value)
    const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
    for (const { key, values: own } of terms.flatMap(({ matchExpressions }) => matchExpressions ?? [])) {
      add(key, undefined)
      for (const value of own ?? []) {
        add(key, value)
        if (/^-?[0-9]+$/.test(value)) for (const step of [-1n, 1n]) add(key, String(BigInt(value) + step))
      }
    }
  }
  let nodes: Labels[] = [{}]
  for (const [key, own] of values) {
    nodes = nodes.flatMap((labels) =>
      [...own].map((value) => (value === undefined ? labels : { ...labels, [key]: value })),
    )
    // far more than tell apart what is rendered would take too long: every third, in a fixed order
    if (nodes.length > 3000) nodes = nodes.filter((_, index) => index % Math.ceil(nodes.length / 3000) === 0)
  }
  const taints: Taint[][] = [[], [{ key: 'example.com/seeded', effect: 'NoExecute' }], ...seenTaints(planned)]
  const known = one.fleets.flatMap(({ shapes }) =>
    shapes.flatMap((shape) => shape.nodes.map((name) => nodeOf({ name, labels: shape.labels }))),
  )
  return [...known, ...nodes.map((labels, index) => nodeOf({ labels, taints: taints[index % taints.length] }))]
}

function seenTaints({ constraints }: Planned): Taint[][] {
  const tolerations = [...(constraints?.pod.tolerations ?? []), ...(constraints?.tolerations ?? [])]
  return tolerations.map(({ key, value, effect }) => [
    { key: key || 'any', ...(value ? { value } : {}), effect: effect || 'NoSchedule' },
  ])
}

/** Whether the fault changes how many serve a node where pods may run, or lets one run where none may. */
function isFault(one: Case, objects: readonly KubernetesObject[]): boolean {
  const before = one.planned.objects.map(({ object }) => object)
  return drawnNodes(one, objects).some((node) => countOn(before, node) !== countOn(objects, node))
}

function withObjects(planned: Planned, objects: readonly KubernetesObject[]): Planned {
  const [first] = planned.objects
  return {
    ...planned,
    objects: objects.map((object) => ({ file: '', about: '', nodes: [], nodeCount: 0, ...first, object })),
  }
}

/** A counter-example holds: another number of objects would run there than there should. */
function confirm({ planned }: Case, objects: readonly KubernetesObject[], finding: Finding): void {
  const node = nodeOf(finding.field?.currentValue as object)
  const { name, labels = {} } = node.metadata
  const isHole = (planned.holes ?? []).some(({ region }) => region.has({ name, labels }))
  const expected = mayRunOn(planned, node) && !isHole ? 1 : 0
  const count = countOn(objects, node)
  const { taints } = (finding.field?.currentValue ?? {}) as { taints?: unknown }
  if (taints === undefined) assert.is.not(count, expected, `${finding.message}: ${count} run there`)
}

suite('coverage', (test) => {
  test('nothing is found in what is rendered', () => {
    assert.ok(cases.length > 20, `${cases.length} policies`)
    for (const { name, one } of cases) assert.equal(found(coverageFindings(one.planned, one.fleets)), [], name)
  })
  test('what takes too many regions to look at is not proved, and says so', () => {
    const [{ one, planned } = { one: undefined, planned: undefined }] = cases
    if (one === undefined || planned === undefined) throw new Error('no case')
    const [first] = planned.objects
    const pairs = Array.from({ length: 14 }, (_, index) => {
      const spec = { template: { spec: { nodeSelector: { [`a${index}`]: 'x', [`b${index}`]: 'y' } } } }
      return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: `pair-${index}` }, spec }
    })
    const objects = pairs.map((object) => ({ file: '', about: '', nodes: [], nodeCount: 0, ...first, object }))
    const wide = { ...planned, objects, constraints: { pod: {}, tolerations: [] } }
    assert.ok(coverageFindings([wide], one.fleets).some(({ code }) => code === 'CoverageNotProved'))
  })
  test('a hole for nodes that nobody has seen holds none that is there', () => {
    const made = plan(
      listOf([inventory([shape({ [TYPE]: 'm5' }, ['a']), shape({ [TYPE]: 'm6' }, ['b'])]), policy(), daemonSet()]),
    )
    const [one] = made.packages
    const [planned] = one?.planned.filter(({ constraints }) => constraints !== undefined) ?? []
    if (one === undefined || planned === undefined) throw new Error('nothing was planned')
    const objects = planned.objects.filter(({ nodes }) => !nodes.includes('b'))
    const messages = (mayHoldNodes: boolean) => {
      const holes = [{ region: Region.everywhere, why: 'remainder: false', mayHoldNodes }]
      return coverageFindings([{ ...planned, objects, holes }], one.fleets).filter(({ code }) => code === 'Uncovered')
    }
    assert.match(
      messages(false)
        .map(({ message }) => message)
        .join(),
      /pods may run on node b, but no rendered object runs there/,
    )
    assert.equal(messages(true), [])
  })
  test('a node whose NoExecute taint nobody tolerates is missed by nobody', () => {
    const gone = { effect: 'NoExecute', key: 'x' }
    const tainted = { ...shape({ [TYPE]: 'm6' }, ['b']), taints: [gone] }
    const nodes = inventory([shape({ [TYPE]: 'm5' }, ['a']), tainted])
    const made = plan(listOf([nodes, policy({ remainder: false }), daemonSet()]))
    assert.equal(found(made.findings), [])
    assert.is(made.failed, false)
  })
  for (const [name, seed] of Object.entries(SEEDS))
    test(`it is found that ${name}`, () => {
      const applied = cases.flatMap((one) => seeded(one, seed))
      assert.ok(applied.length > 0 || name === 'a bound is one further', 'no package has a place for it')
      for (const { one, objects } of applied) {
        const findings = found(coverageFindings([withObjects(one.planned, objects)], one.one.fleets))
        assert.ok(findings.length > 0, `${one.name}: nothing was found`)
        for (const finding of findings) confirm(one, objects, finding)
      }
    })

  test('of one policy alone nothing is said of others, which the run does not look at', () => {
    const pools = ['a', 'b'].map((pool) =>
      policy(
        {
          nodeSelector: { pool },
          labels: { nodeGroup: `example.com/${pool}` },
          names: { m5: pool, default: `${pool}-d`, remainder: `${pool}-r` },
        },
        pool,
      ),
    )
    const fleet = inventory(['a', 'b'].map((pool) => shape({ pool, [TYPE]: 'm5' }, [`${pool}-1`])))
    const [only] = pools
    const holes = (functionConfig?: KubernetesObject) =>
      plan(listOf([fleet, daemonSet(), ...pools], functionConfig)).findings.flatMap(({ code, message }) =>
        code === 'HoleOnPurpose' ? [/but (no policy.*selects them);/.exec(message)?.[1]] : [],
      )
    assert.equal(holes(), ['no policy serves such nodes: no policy selects them'])
    assert.equal(holes(only), ['no policy of this run serves such nodes: no policy of this run selects them'])
  })
})

/** The ways in which a fault can be put into a case, as far as it is one there; few are enough of each. */
function seeded(one: Case, seed: Seed): Array<{ one: Case; objects: readonly KubernetesObject[] }> {
  const ways = seed(one.planned.objects.map(({ object }) => object))
  return ways
    .filter((_, index) => index < 3 || index === ways.length - 1)
    .filter((objects) => isFault(one, objects))
    .map((objects) => ({ one, objects }))
}
