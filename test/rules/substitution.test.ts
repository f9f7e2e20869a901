/** Text that Flux' postBuild replaces: where it is said, and how loud. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const DISABLED = { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' }
const agent = (text: string, metadata: object = {}) =>
  daemonSet({ containers: [{ name: 'agent', image: 'agent:1', args: ['x', text] }] }, metadata)
const flux = (spec: object, apiVersion = 'kustomize.toolkit.fluxcd.io/v1'): KubernetesObject => ({
  apiVersion,
  kind: 'Kustomization',
  metadata: { name: 'apps', namespace: 'flux-system' },
  spec,
})
const POST_BUILD = { postBuild: { substitute: { A: 'b' } } }
const VARIABLE = ['$', '{HOME}'].join('')

const CASES: Array<[title: string, objects: KubernetesObject[], severity: string | undefined]> = [
  ['a name in braces', [agent(VARIABLE)], 'info'],
  ['within other text', [agent(`a=${VARIABLE}/b`)], 'info'],
  ['two dollars stay one', [agent(`$${VARIABLE}`)], undefined],
  ['a name without braces, and that of Kubernetes', [agent('$HOME $(HOME)')], undefined],
  ['where Flux is told to leave it, by annotation', [agent(VARIABLE, { annotations: DISABLED })], undefined],
  ['and by label', [agent(VARIABLE, { labels: DISABLED })], undefined],
  ['beside a Kustomization that substitutes', [agent(VARIABLE), flux(POST_BUILD)], 'warning'],
  ['beside one that does not', [agent(VARIABLE), flux({ path: './x' })], 'info'],
  ['beside a Kustomization of kustomize', [agent(VARIABLE), flux(POST_BUILD, 'kustomize.config.k8s.io/v1')], 'info'],
]

suite('text that Flux replaces', (test) => {
  const found = (objects: readonly KubernetesObject[]) =>
    plan(listOf([inventory([shape({ [TYPE]: 'm5.large' }, ['a'])]), policy(), ...objects])).findings.filter(
      ({ code }) => code === 'FluxSubstitutes',
    )
  for (const [title, objects, severity] of CASES)
    test(title, () => {
      const said = found(objects)
      assert.is(said.length, severity === undefined ? 0 : 1)
      assert.is(said[0]?.severity, severity)
      if (severity !== undefined) assert.match(said[0]?.message ?? '', 'spec.template.spec.containers.0.args.1')
    })
  test('can be made an error', () => {
    const severity = [{ code: 'FluxSubstitutes', as: 'error' }]
    assert.is(found([agent(VARIABLE), config({ severity })])[0]?.severity, 'error')
  })
})
