/**
 * Karpenter's own function counts what nodefit renders, for every NodePool, instance type, zone and capacity type of a package, in
 * either order of types and pools: what it counts is what the DaemonSet controller would run there, or AutoscalerCounts gives
 * both figures.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { daemonSet, policy, TYPE } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { filesOf, ROOT } from '../support/hosts.ts'
import { draw } from '../support/karpenter/draw.ts'
import {
  ask,
  type Counts,
  faultOf,
  type Rendering,
  render,
  runningOn,
  type Scenario,
  saidOf,
} from '../support/karpenter/judge.ts'
import {
  CAPACITY,
  FAMILY,
  GPU,
  MEMORY,
  NEW_TYPE,
  POOL,
  type PoolSpec,
  TYPES,
  takes,
  ZONE,
  ZONES,
} from '../support/karpenter/scenario.ts'
import { has } from '../support/program.ts'

const container = { name: 'agent', image: 'agent:1', resources: { requests: { cpu: '10m', memory: '10Mi' } } }
const scenario = (name: string, spec: object, pools: readonly PoolSpec[], pod: object = {}): Scenario => ({
  name,
  pools,
  objects: [policy(spec as Record<string, unknown>), daemonSet({ containers: [container], ...pod })],
})
const In = (key: string, ...values: string[]) => ({ key, operator: 'In', values })
const required = (...terms: object[][]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
      },
    },
  },
})
const ANY: PoolSpec = { name: 'any' }
const TEAMS: readonly PoolSpec[] = [
  { name: 'blue', labels: { team: 'blue' } },
  { name: 'red', labels: { team: 'red' } },
]
const GPUS: PoolSpec = {
  name: 'gpus',
  requirements: [In(FAMILY, 'g5')],
  taints: [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }],
}
const ONE_ZONE: PoolSpec = { name: 'one-zone', requirements: [In(ZONE, 'eu-1b')] }
const tolerant = { tolerations: [{ operator: 'Exists' }] }

/** Which packages are drawn: KARPENTER=200-400 draws others. */
const [FIRST = 1, LAST = 150] = (process.env.KARPENTER ?? '1-150').split('-').map(Number)
const DRAWN = LAST - FIRST + 1

const AREAS = ['golden', 'kubescape']

/** Whether each scenario is counted as it runs. */
const SCENARIOS: ReadonlyArray<readonly [isExact: boolean, scenario: Scenario]> = [
  [true, scenario('by instance type', {}, [ANY])],
  [true, scenario('by instance type, in several pools', {}, [ANY, ...TEAMS, ONE_ZONE])],
  [true, scenario('by instance type, with a pool whose taint is not tolerated', {}, [ANY, GPUS])],
  [true, scenario('by instance type, with a pool whose taint is tolerated', {}, [ANY, GPUS], tolerant)],
  [
    true,
    scenario('by instance type, with limits that keep a type away', {}, [{ name: 'small', limits: { cpu: '8' } }]),
  ],
  [true, scenario('by architecture', { nodeGroupLabel: 'kubernetes.io/arch' }, [ANY])],
  [true, scenario('by its beta name', { nodeGroupLabel: 'beta.kubernetes.io/arch' }, [ANY])],
  [true, scenario('by pool', { nodeGroupLabel: POOL }, [ANY, ...TEAMS])],
  [true, scenario('by pool and type', { nodeGroupLabels: [POOL, TYPE] }, [ANY, ...TEAMS])],
  [true, scenario('by node class', { nodeGroupLabel: 'karpenter.k8s.aws/ec2nodeclass' }, [ANY])],
  [true, scenario('by ranges', { nodeGroupRanges: { label: MEMORY, bounds: [8193, 32768] } }, [ANY, GPUS])],
  [true, scenario('by classes', { classes: { ratio: 2 } }, [ANY])],
  [true, scenario('by a label of each pool', { nodeGroupLabel: 'team' }, TEAMS)],
  [true, scenario('by a label of some pools', { nodeGroupLabel: 'team' }, [...TEAMS])],
  [
    true,
    scenario(
      'by an explicit group of a pool',
      { groups: [{ name: 'gpu', nodeSelector: { [POOL]: 'gpus' } }] },
      [ANY, GPUS],
      tolerant,
    ),
  ],
  [
    true,
    scenario(
      'by an explicit group of a team and a type',
      { groups: [{ name: 'own', nodeSelector: { team: 'red', [TYPE]: 'm5.large' } }] },
      TEAMS,
    ),
  ],
  [
    true,
    scenario(
      'by zone, in pools of one zone',
      { nodeGroupLabel: ZONE },
      ZONES.map((zone) => ({ name: zone, requirements: [In(ZONE, zone)] })),
    ),
  ],
  [
    true,
    scenario('by capacity type, in pools of one', { nodeGroupLabel: CAPACITY }, [
      { name: 'spot', requirements: [In(CAPACITY, 'spot')] },
    ]),
  ],
  [
    true,
    scenario('with a template for one architecture', {}, [ANY], { nodeSelector: { 'kubernetes.io/arch': 'amd64' } }),
  ],
  [true, scenario('without graphics cards', {}, [ANY], required([{ key: GPU, operator: 'DoesNotExist' }]))],
  [false, scenario('by zone', { nodeGroupLabel: ZONE }, [ANY])],
  [false, scenario('by zone, in a pool of one and one of all', { nodeGroupLabel: ZONE }, [ANY, ONE_ZONE])],
  [
    false,
    scenario('by zone, in a pool that leaves one out', { nodeGroupLabel: ZONE }, [
      { name: 'two', requirements: [{ key: ZONE, operator: 'NotIn', values: ['eu-1a'] }] },
    ]),
  ],
  [
    false,
    scenario('by type and zone', { nodeGroupLabels: [TYPE, ZONE] }, [
      { name: 'three', requirements: [In(ZONE, ...ZONES)] },
    ]),
  ],
  [false, scenario('by zone and type', { nodeGroupLabels: [ZONE, TYPE] }, [ANY])],
  [false, scenario('by capacity type', { nodeGroupLabel: CAPACITY }, [ANY])],
  [false, scenario('by a label that some types lack', { nodeGroupLabel: GPU }, [ANY])],
  [
    false,
    scenario('by a label of which a pool has several values', { nodeGroupLabel: 'team' }, [
      { name: 'both', requirements: [In('team', 'blue', 'red')] },
    ]),
  ],
  [false, scenario('by a label that one pool lacks', { nodeGroupLabel: 'team' }, [ANY, ...TEAMS])],
  [
    false,
    scenario('by a label that nodes get later', { nodeGroupLabel: 'team' }, [
      { name: 'later', later: { team: 'green' } },
    ]),
  ],
  [
    false,
    scenario(
      'with a template of two terms',
      {},
      [ANY],
      required([In(ZONE, 'eu-1a')], [In('kubernetes.io/arch', 'amd64')]),
    ),
  ],
  [false, scenario('with a template for one zone', {}, [ANY], { nodeSelector: { [ZONE]: 'eu-1a' } })],
  [
    false,
    scenario('by an explicit group of a zone', { groups: [{ name: 'near', nodeSelector: { [ZONE]: 'eu-1a' } }] }, [
      ANY,
    ]),
  ],
]

/** What is wrong with what is said of a scenario, pool by pool and type by type. */
function faultsOf({ pools }: Scenario, { daemonSets, sentences }: Rendering, answers: readonly Counts[]): string[] {
  return pools.flatMap((pool) =>
    [...TYPES, NEW_TYPE].flatMap((type) => {
      // the new type is like the first, so it is known what it would be where that one may come
      if (!takes(pool, type) || (type === NEW_TYPE && !TYPES.slice(0, 1).every((first) => takes(pool, first))))
        return []
      const counted = answers.flatMap((counts) => counts.get(`${pool.name} ${type.name}`) ?? [])
      const fault = faultOf(saidOf(sentences, pool.name, type.name), counted, runningOn(daemonSets, pool, type))
      return fault === undefined ? [] : [`${type.name} in ${pool.name}: ${fault}`]
    }),
  )
}

suite('what Karpenter counts', (test) => {
  test('there are scenarios', () => assert.ok(SCENARIOS.length > 30))
  if (!has('karpenter-counts')) return
  const cases = SCENARIOS.flatMap(([isExact, one]) =>
    render(one).map((rendering) => ({ isExact, scenario: one, rendering })),
  )
  const answers = ask(cases)
  for (const [index, { isExact, scenario: one, rendering }] of cases.entries())
    test(`${one.name}: ${isExact ? 'is what runs' : 'is said where it is not'}`, () => {
      assert.is(rendering.sentences.length === 0, isExact, rendering.sentences.join('\n'))
      assert.equal(faultsOf(one, rendering, answers[index] ?? []), [])
    })
})

/** By a label of each pool, where one NodePool has no node, nor has any node one of its types. */
const AT_ZERO: ReadonlyArray<
  readonly [isExact: boolean, name: string, type: string, requirements: PoolSpec['requirements']]
> = [
  [false, 'two values of the label', NEW_TYPE.name, [In(FAMILY, 'g5'), In('team', 'blue', 'red')]],
  [false, 'two values, and its type is named', 'g5.xlarge', [In(TYPE, 'g5.xlarge'), In('team', 'blue', 'red')]],
  [true, 'one value', NEW_TYPE.name, [In(FAMILY, 'g5'), In('team', 'blue')]],
  [true, 'one value, and its type is named', 'g5.xlarge', [In(TYPE, 'g5.xlarge'), In('team', 'red')]],
]

suite('what Karpenter counts of a NodePool at zero', (test) => {
  if (!has('karpenter-counts')) return
  const G5 = TYPES.filter(({ name }) => name === 'g5.xlarge')
  const cases = AT_ZERO.flatMap(([isExact, name, type, requirements]) => {
    const pools = [
      ...TEAMS.map((pool) => ({ ...pool, requirements: [In(FAMILY, 'm5')] })),
      { name: 'zero', requirements, isAtZero: true },
    ]
    const one = scenario(name, { nodeGroupLabel: 'team' }, pools)
    return render(one).map((rendering) => ({ isExact, type, pool: pools.at(-1), scenario: one, rendering }))
  })
  const answers = ask(cases)
  for (const [index, { isExact, type, pool, scenario: one, rendering }] of cases.entries())
    test(`${one.name}: ${isExact ? 'is what runs' : 'is said where it is not'}`, () => {
      const [g5] = G5
      assert.ok(pool !== undefined && g5 !== undefined)
      if (pool === undefined || g5 === undefined) return
      const counted = (answers[index] ?? []).flatMap((counts) => counts.get(`zero ${g5.name}`) ?? [])
      assert.is(counted.length, 2, 'Karpenter may create it')
      assert.is(rendering.sentences.length === 0, isExact, rendering.sentences.join('\n'))
      const fault = faultOf(
        saidOf(rendering.sentences, 'zero', type),
        counted,
        runningOn(rendering.daemonSets, pool, g5),
      )
      assert.is(fault, undefined)
    })
})

suite('what Karpenter counts of the policies of the page', (test) => {
  if (!has('karpenter-counts')) return
  const folder = join(ROOT, 'testdata/karpenter')
  const policies = readdirSync(folder).filter((file) => file.startsWith('by-'))
  const template = objectsIn(readFileSync(join(folder, 'daemonset.yaml'), 'utf8'))
  const cases = policies.flatMap((file) => {
    const objects = [...objectsIn(readFileSync(join(folder, file), 'utf8')), ...template]
    const one: Scenario = { name: file, pools: TEAMS, objects }
    return render(one).map((rendering) => ({ scenario: one, rendering }))
  })
  const answers = ask(cases)
  test('there are some', () => assert.ok(cases.length >= 8))
  for (const [index, { scenario: one, rendering }] of cases.entries())
    test(one.name, () => {
      assert.equal(rendering.sentences, [])
      assert.equal(faultsOf(one, rendering, answers[index] ?? []), [])
    })
})

suite('what Karpenter counts of packages drawn at random', (test) => {
  if (!has('karpenter-counts')) return
  const drawn = Array.from({ length: DRAWN }, (_, index) => draw(FIRST + index))
  const cases = drawn.flatMap((one) => {
    return attempt(one).map((rendering) => ({ scenario: one, rendering }))
  })
  const answers = ask(cases)
  test('most of them render', () => assert.ok(cases.length > DRAWN / 2, String(cases.length)))
  test('some are counted as they run, and some are not', () => {
    const silent = cases.filter(({ rendering }) => rendering.sentences.length === 0).length
    assert.ok(silent > cases.length / 4 && silent < (cases.length * 3) / 4, `${silent} of ${cases.length}`)
  })
  for (const [index, { scenario: one, rendering }] of cases.entries())
    test(one.name, () => assert.equal(faultsOf(one, rendering, answers[index] ?? []), []))
})

suite('what Karpenter counts of golden packages', (test) => {
  if (!has('karpenter-counts')) return
  const cases = AREAS.flatMap((area) =>
    readdirSync(join(ROOT, 'testdata', area))
      .sort()
      .flatMap((name) => {
        const one = { name: `${area}/${name}`, pools: [ANY, ONE_ZONE, ...TEAMS], objects: packageIn(area, name) }
        return one.objects.length === 0 ? [] : attempt(one).map((rendering) => ({ scenario: one, rendering }))
      }),
  )
  const answers = ask(cases)
  test('many of them render on a fleet of these pools', () => assert.ok(cases.length >= 20, String(cases.length)))
  for (const [index, { scenario: one, rendering }] of cases.entries())
    test(one.name, () => assert.equal(faultsOf(one, rendering, answers[index] ?? []), []))
})

function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject)
}

/** The policies and templates of a golden package, without its nodes. */
function packageIn(area: string, name: string): KubernetesObject[] {
  const folder = join(ROOT, 'testdata', area, name, 'package')
  if (!existsSync(folder)) return []
  const files = Object.entries(filesOf(folder)).filter(([file]) => file.endsWith('.yaml'))
  const objects = files.flatMap(([, text]) => objectsIn(text))
  return objects.filter(
    (one) => one?.metadata !== undefined && !['NodeInventory', 'Node', 'RenderConfig'].includes(one.kind),
  )
}

/** What is rendered; nothing where the package is refused, as by a template that no node matches. */
function attempt(one: Scenario): Rendering[] {
  try {
    return render(one)
  } catch {
    return []
  }
}
