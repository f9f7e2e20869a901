/** One table of what a change does in several packages, of which each may be a cluster's. */
import * as assert from 'uvu/assert'
import { plain } from '../../src/face/columns.ts'
import { answersTo, diffMarkdown, fleetJson, overviewOfSeveral, reportLines } from '../../src/face/index.ts'
import { overviewLines, overviewRows } from '../../src/face/overview.ts'
import { objectDiffs } from '../../src/host/files/object-diffs.ts'
import { newItem } from '../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const POD = { containers: [{ name: 'agent', image: 'agent:1', resources: SMALL }] }
const PACKAGE_PATH = 'internal.config.kubernetes.io/package-path'
const within = (path: string, objects: readonly KubernetesObject[]): Item[] =>
  objects.map(({ metadata, ...object }, index) => {
    const place = { 'internal.config.kubernetes.io/path': `${index}.yaml`, [PACKAGE_PATH]: path }
    const annotations = { ...metadata.annotations, ...place }
    return newItem({ ...object, metadata: { ...metadata, annotations } } as KubernetesObject)
  })
const fleet = (cluster: string, types: Record<string, number>) =>
  inventory(
    Object.entries(types).map(([type, cores], index) =>
      shape({ [TYPE]: type }, [`${cluster}-${index}`], `${cores}`, `${cores * 4}Gi`),
    ),
    { cluster },
  )
const EU = fleet('eu', { 'm5.large': 2, 'm5.8xlarge': 32 })
const US = fleet('us', { 'm6i.xlarge': 4 })
const planned = (spec: object, us: readonly KubernetesObject[] = [US], earlier?: readonly Item[]) => {
  const all = (nodes: readonly KubernetesObject[]) => [policy({ ...spec }), daemonSet(POD), ...nodes]
  const items = [...within('clusters/eu', all([EU])), ...within('clusters/us', all(us))]
  const empty = listOf([])
  return plan({ ...empty, items }, { keepsFiles: false, earlier: { ...empty, items: earlier ?? [] } })
}
const before = planned({})
const rendered = before.items.filter(({ object }) => object.metadata.annotations?.['nodefit.dev/owner'] !== undefined)
const MORE = { minResources: { cpu: '300m' } }
const after = planned(MORE, [US], rendered)

suite('the overview', (test) => {
  test('has a row for each package: sizes before and after, what restarts, cores and GiB, and the sums', () => {
    assert.equal(overviewLines(overviewRows(after), plain), [
      'CLUSTER  PACKAGE      GROUPS        NODES  CPU REQUEST               MEMORY REQUEST  RESTARTS  CORES         GIB',
      'eu       clusters/eu  2, 1 changes      2  100m..640m -> 300m..640m  180Mi..2621Mi   1         0.74 -> 0.94  2.74',
      'us       clusters/us  1, 1 changes      1        100m -> 300m        327Mi           1          0.1 -> 0.3   0.32',
      'total                                   3                                            2         0.84 -> 1.24  3.05',
    ])
  })
  test('is nothing for one package', () => {
    const one = plan({ ...listOf([]), items: within('a', [policy(), daemonSet(POD), EU]) })
    assert.is(overviewRows(one).length, 1)
    assert.equal(overviewOfSeveral(one), [])
    assert.not.ok(reportLines(one, false, plain).some((line) => line.startsWith('CLUSTER')))
  })
  test('shows what a run would do in the packages without errors, and the codes of the others', () => {
    const failed = planned(MORE, [], rendered)
    assert.ok(failed.failed)
    const [eu, us] = overviewRows(failed)
    assert.is(us?.errors.join(), 'NoNodes')
    assert.is(us?.totals, undefined)
    assert.equal(eu, overviewRows(after)[0])
    const lines = reportLines(failed, false, plain)
    assert.ok(
      lines.some((line) => /^ +clusters\/us +NoNodes$/.test(line)),
      lines.join('\n'),
    )
    const none = plan({ ...listOf([]), items: ['a', 'b'].flatMap((path) => within(path, [policy(), daemonSet(POD)])) })
    assert.equal(overviewOfSeveral(none), [], 'every package has errors')
  })
  test('names policies where there are several', () => {
    const other = policy({ nodeSelector: { [TYPE]: 'm5.large' } }, 'other')
    const items = [
      ...within('a', [policy({ nodeSelector: { [TYPE]: 'm5.8xlarge' } }), other, daemonSet(POD), EU]),
      ...within('b', [policy(), daemonSet(POD), US]),
    ]
    const lines = overviewLines(overviewRows(plan({ ...listOf([]), items })), plain)
    assert.match(lines[0] ?? '', /^CLUSTER +PACKAGE +POLICY/)
    assert.equal(
      lines.slice(1, 4).map((line) => /^\S+ +\S+ +SizingPolicy (\S+)/.exec(line)?.[1]),
      ['agent', 'other', 'agent'],
    )
  })
  test('stands first in the report, in the comment and in the JSON of the fleet, with the same figures', () => {
    assert.match(reportLines(after, false, plain)[0] ?? '', /^CLUSTER/)
    const comment = diffMarkdown(after, [])
    assert.match(comment, '| Cluster | Package | Groups | Nodes |')
    assert.match(comment, '| eu | clusters/eu | 2, 1 changes | 2 | 100m..640m → 300m..640m |')
    const [eu] = fleetJson(after).overview
    assert.equal(
      [eu?.cluster, eu?.nodes, eu?.podsRestarted, eu?.cpu, eu?.totals?.before?.cores, eu?.totals?.after.cores],
      ['eu', 2, 1, { before: '100m..640m', after: '300m..640m' }, '0.74', '0.94'],
    )
  })
  test('findings, answers and summaries name the package they are about', () => {
    const lines = reportLines(after, false, plain)
    for (const path of ['clusters/eu', 'clusters/us'])
      assert.ok(
        lines.some((line) => line.startsWith(`nodefit: info: PolicySummary: ${path}: agent: `)),
        path,
      )
    const subjects = answersTo({ about: 'policy', name: 'agent' }, after).map(({ subject }) => subject)
    assert.equal([...new Set(subjects)], ['SizingPolicy agent in clusters/eu', 'SizingPolicy agent in clusters/us'])
  })
})

suite('objects of several packages', (test) => {
  const config = (path: string, value: string) =>
    within(path, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { value } }])
  test('of one name are compared each with its own', () => {
    const was = [...config('eu', '1'), ...config('us', '2')]
    assert.equal(objectDiffs(was, was), [])
    const [only, ...others] = objectDiffs(was, [...config('eu', '1'), ...config('us', '3')])
    assert.equal(others, [])
    assert.is(only?.package, 'us')
    assert.match(only?.patch ?? '', /^--- ConfigMap a in us\n\+\+\+ ConfigMap a in us\n/)
    assert.match(only?.patch ?? '', /- {2}value: "2"\n\+ {2}value: "3"/)
  })
  test('of a folder without packages are compared by name', () => {
    const [was] = config('eu', '1').map(({ object }) => newItem({ ...object, metadata: { name: 'a' } }))
    assert.equal(objectDiffs(was === undefined ? [] : [was], config('eu', '1')), [])
  })
})
