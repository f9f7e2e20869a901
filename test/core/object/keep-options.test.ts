import * as assert from 'uvu/assert'
import { keepOptionOf, withoutKeepOptions } from '../../../src/core/object/copied.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { kubescapePolicy, templateMap } from '../../support/template.ts'

const ARGO = 'argocd.argoproj.io/sync-options'
const FLUX = 'kustomize.toolkit.fluxcd.io'

/** What a template says, what its copies say, and what keeps the template itself in the cluster. */
const ROWS: readonly [name: string, annotations: Record<string, string>, copied: object, stays: string | undefined][] =
  [
    ['nothing', { note: 'x' }, { note: 'x' }, undefined],
    ['Argo CD is not to prune', { [ARGO]: 'Prune=false' }, {}, `${ARGO}: Prune=false`],
    [
      'Argo CD is not to prune, among other options',
      { [ARGO]: 'ServerSideApply=true, Prune=false,Replace=true' },
      { [ARGO]: 'ServerSideApply=true,Replace=true' },
      `${ARGO}: Prune=false`,
    ],
    ['Argo CD is to ask before it prunes', { [ARGO]: 'Prune=confirm' }, { [ARGO]: 'Prune=confirm' }, undefined],
    ['Argo CD minds the case', { [ARGO]: 'Prune=False' }, { [ARGO]: 'Prune=False' }, undefined],
    ['Argo CD is to prune last', { [ARGO]: 'PruneLast=true' }, { [ARGO]: 'PruneLast=true' }, undefined],
    ['Argo CD is not to compare', { 'argocd.argoproj.io/compare-options': 'IgnoreExtraneous' }, {}, undefined],
    ['Flux is not to prune', { [`${FLUX}/prune`]: 'disabled' }, {}, `${FLUX}/prune: disabled`],
    ['Flux is not to prune, in other letters', { [`${FLUX}/prune`]: 'Disabled' }, {}, `${FLUX}/prune: disabled`],
    ['Flux is to prune', { [`${FLUX}/prune`]: 'enabled' }, { [`${FLUX}/prune`]: 'enabled' }, undefined],
    ['Flux is not to reconcile', { [`${FLUX}/reconcile`]: 'disabled' }, {}, `${FLUX}/reconcile: disabled`],
    ['Flux is to ignore it', { [`${FLUX}/ssa`]: 'Ignore' }, {}, `${FLUX}/ssa: Ignore`],
    ['Flux is to create it once', { [`${FLUX}/ssa`]: 'IfNotPresent' }, {}, undefined],
    ['Flux is to merge', { [`${FLUX}/ssa`]: 'Merge' }, { [`${FLUX}/ssa`]: 'Merge' }, undefined],
    [
      'kpt is to detach it',
      { 'client.lifecycle.config.k8s.io/deletion': 'detach' },
      {},
      'client.lifecycle.config.k8s.io/deletion: detach',
    ],
    ['kpt is to keep it', { 'cli-utils.sigs.k8s.io/on-remove': 'keep' }, {}, 'cli-utils.sigs.k8s.io/on-remove: keep'],
  ]

suite('annotations that keep an object', (test) => {
  for (const [name, annotations, copied, stays] of ROWS) {
    test(`${name}: what is copied, and whether it stays`, () => {
      assert.equal(withoutKeepOptions(annotations), copied)
      assert.is(keepOptionOf({ annotations }), stays)
      assert.is(keepOptionOf({ labels: annotations }), stays?.startsWith(FLUX) ? stays : undefined)
    })
  }
  const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
  test('labels of Flux are not copied where they own or keep, and are where they say something else', () => {
    const labels = {
      [`${FLUX}/name`]: 'x',
      [`${FLUX}/namespace`]: 'x',
      'helm.toolkit.fluxcd.io/name': 'x',
      [`${FLUX}/prune`]: 'disabled',
      [`${FLUX}/substitute`]: 'disabled',
    }
    const { items, findings } = plan(listOf([NODES, policy(), daemonSet({}, { labels })]))
    const group = items.find(({ object }) => object.metadata.name === 'agent-m5-large')
    const copied = Object.keys(group?.object.metadata.labels ?? {}).filter((key) => key.includes('fluxcd'))
    assert.equal(copied, [`${FLUX}/substitute`])
    assert.ok(findings.some(({ code }) => code === 'StaticTemplateStays'))
  })
  for (const hook of [
    'argocd.argoproj.io/hook',
    'argocd.argoproj.io/hook-delete-policy',
    'helm.sh/hook',
    'helm.sh/hook-weight',
  ])
    test(`${hook} is not copied: a hook is not pruned`, () => {
      const { items } = plan(listOf([NODES, policy(), daemonSet({}, { annotations: { [hook]: 'Skip', note: 'x' } })]))
      const group = items.find(({ object }) => object.metadata.name === 'agent-m5-large')
      assert.is(group?.object.metadata.annotations?.[hook], undefined)
      assert.is(group?.object.metadata.annotations?.note, 'x')
    })
  const kept = daemonSet({}, { annotations: { [`${FLUX}/prune`]: 'disabled' } })
  test('the groups of a template that stays are pruned like any other', () => {
    const { items } = plan(listOf([NODES, policy(), kept]))
    const groups = items.filter(({ object }) => object.metadata.name.startsWith('agent-'))
    assert.ok(groups.length > 0)
    for (const { object } of groups) assert.is(object.metadata.annotations?.[`${FLUX}/prune`], undefined)
    const template = items.find(({ object }) => object.kind === 'DaemonSet' && object.metadata.name === 'agent')
    assert.is(template?.object.metadata.annotations?.[`${FLUX}/prune`], 'disabled')
  })
  test('it is said once, when the template is retired', () => {
    const codes = (objects: Parameters<typeof listOf>[0]) =>
      plan(listOf(objects)).findings.filter(({ code }) => code === 'StaticTemplateStays').length
    const first = plan(listOf([NODES, policy(), kept]))
    assert.is(codes([NODES, policy(), kept]), 1)
    assert.is(codes(first.items.map(({ object }) => object)), 0)
  })
  test('a ConfigMap that stays harms nobody', () => {
    const linux = inventory([shape({ [TYPE]: 'm5.large', 'kubernetes.io/os': 'linux' }, ['a'])])
    const template = templateMap()
    template.metadata.annotations = { ...template.metadata.annotations, [ARGO]: 'Prune=false' }
    const { findings } = plan(listOf([linux, kubescapePolicy(), template]))
    assert.ok(findings.some(({ code }) => code === 'StaticTemplateRetired'))
    assert.not(findings.some(({ code }) => code === 'StaticTemplateStays'))
  })
})
