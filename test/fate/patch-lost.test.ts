/** A patch of the template by name is dropped with the template: the run says so, where the input shows it. */
import * as assert from 'uvu/assert'
import { withKustomizationDefaults } from '../../src/krm/kustomization.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const PATH = 'internal.config.kubernetes.io/path'
const TEMPLATE = daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: SMALL }] })
const FUNCTION = { annotations: { 'config.kubernetes.io/function': 'exec: {path: nodefit-fn}' } }

function at(path: string, object: KubernetesObject): Item {
  const { metadata } = object
  return { object: { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [PATH]: path } } } }
}

const kustomization = (folder: string, fields: Record<string, unknown>) =>
  at(`${folder}/kustomization.yaml`, withKustomizationDefaults(fields))

const BASE = [
  at('base/inventory.yaml', inventory([shape({ [TYPE]: 'a' }, ['n1'])])),
  at('base/policy.yaml', policy()),
  at('base/daemonset.yaml', TEMPLATE),
]
const LISTED = ['daemonset.yaml', 'agent-groups.yaml']
const base = (fields: object = {}) => kustomization('base', { resources: LISTED, ...fields })
const eu = (fields: object) => kustomization('eu', { resources: ['../base'], ...fields })

const merge = (name: string, more = 'spec: {}') =>
  `apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: ${name}\n${more}\n`
const json = (name: string, more: object = {}) => ({ patch: '- op: add', target: { kind: 'DaemonSet', name, ...more } })

function lostIn(...items: readonly Item[]): string[] {
  const { findings, failed } = plan({ apiVersion: 'config.kubernetes.io/v1', items: [...BASE, ...items], results: [] })
  const lost = findings.filter(({ code }) => code === 'PatchLost')
  assert.is(failed, lost.length > 0, findings.map(({ message }) => message).join('\n'))
  return lost.map(({ sentence }) => sentence.split(', but')[0] ?? '')
}

const says = (file: string, ...fields: string[]) => [
  `${file}/kustomization.yaml changes DaemonSet agent in ${fields.join(', ')}`,
]

const CASES: ReadonlyArray<readonly [name: string, items: readonly Item[], lost: readonly string[]]> = [
  ['none', [base(), eu({})], []],
  ['a strategic merge patch', [base(), eu({ patches: [{ patch: merge('agent') }] })], says('eu', 'patches[0]')],
  [
    'one in the kustomization of the package itself',
    [base({ patches: [{ patch: merge('agent') }] })],
    says('base', 'patches[0]'),
  ],
  ['a JSON patch by name', [base(), eu({ patches: [{ patch: merge('x') }, json('agent')] })], says('eu', 'patches[1]')],
  [
    'the older fields',
    [base(), eu({ patchesStrategicMerge: [merge('agent')], patchesJson6902: [json('agent')] })],
    says('eu', 'patchesStrategicMerge[0]', 'patchesJson6902[0]'),
  ],
  [
    'a replacement',
    [base(), eu({ replacements: [{ source: {}, targets: [{ select: { kind: 'DaemonSet', name: 'agent' } }] }] })],
    says('eu', 'replacements[0]'),
  ],
  [
    'a file, which is no object of the package',
    [base(), eu({ patches: [{ path: 'patch.yaml' }] }), at('eu/patch.yaml', { ...TEMPLATE, spec: {} })],
    says('eu', 'patches[0]'),
  ],
  [
    'a file of another agent',
    [
      base(),
      eu({ patches: [{ path: 'patch.yaml' }] }),
      at('eu/patch.yaml', { ...TEMPLATE, metadata: { name: 'other' }, spec: {} }),
    ],
    [],
  ],
  [
    'a target that the groups match as well',
    [base(), eu({ patches: [json('agent.*'), json('agent(-.*)?'), { ...json(''), target: { kind: 'DaemonSet' } }] })],
    [],
  ],
  ['a target that only some groups match', [base(), eu({ patches: [json('agent(-a)?')] })], says('eu', 'patches[0]')],
  ['the way that works', [base(), eu({ patches: [json('agent-.*')] })], []],
  [
    'a label that only the template has',
    [base(), eu({ patches: [{ patch: '', target: { labelSelector: 'a=b' } }] })],
    [],
  ],
  [
    'another namespace, group or kind',
    [
      base(),
      eu({
        patches: [
          json('agent', { namespace: 'x' }),
          json('agent', { group: 'x' }),
          json('agent', { kind: 'Deployment' }),
        ],
      }),
    ],
    [],
  ],
  ['a deletion', [base(), eu({ patches: [{ patch: `$patch: delete\n${merge('agent')}` }] })], []],
  [
    'behind a prefix, by either name',
    [
      base({ namePrefix: 'p-', nameSuffix: '-s' }),
      eu({ patches: [json('agent'), json('p-agent-s'), json('s-agent')] }),
    ],
    says('eu', 'patches[0]', 'patches[1]'),
  ],
  [
    'a component',
    [base(), kustomization('part', { kind: 'Component', patches: [json('agent')] }), eu({ components: ['../part'] })],
    says('part', 'patches[0]'),
  ],
  ['a kustomization that does not gather the template', [base(), kustomization('x', { patches: [json('agent')] })], []],
  [
    'patches that kustomize refuses',
    [base(), eu({ patches: [{ patch: '{' }, json('('), 1, null], replacements: [{}] })],
    [],
  ],
]

suite('patches of the template', (test) => {
  for (const [name, items, lost] of CASES) test(name, () => assert.equal(lostIn(...items), lost))

  test('with nodefit as a transformer of a layer, what that layer and those below it change is not lost', () => {
    const asFunction = at('nodefit/policy.yaml', {
      ...policy({}, 'second'),
      ...{ metadata: { name: 'second', ...FUNCTION } },
      spec: { targetRef: { name: 'agent' }, enabled: false },
    } as KubernetesObject)
    const layers = (fields: object) => [
      asFunction,
      base({ patches: [json('agent')] }),
      kustomization('nodefit', { kind: 'Component', transformers: ['policy.yaml'] }),
      eu(fields),
    ]
    assert.equal(lostIn(...layers({ components: ['../nodefit'] })), [])
    assert.equal(lostIn(...layers({ components: ['../nodefit'], patches: [json('agent')] })), says('eu', 'patches[0]'))
    assert.equal(lostIn(...layers({ transformers: ['../nodefit/policy.yaml'], patches: [json('agent')] })), [])
  })
  test('a patch file is not applied by a command that keeps no files', () => {
    const items = [
      ...BASE,
      base(),
      eu({ patches: [{ path: 'patch.yaml', target: { name: 'agent-.*' } }] }),
      at('eu/patch.yaml', { ...TEMPLATE, spec: {} }),
    ]
    const { items: after } = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] }, { keepsFiles: false })
    assert.equal(
      after.filter(({ object }) => object.metadata.annotations?.[PATH] === 'eu/patch.yaml'),
      [],
    )
  })
})
