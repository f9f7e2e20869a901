/** What a functionConfig asks for, and when kustomize shows a function nothing but that. */
import * as assert from 'uvu/assert'
import { readRequest } from '../../src/core/request.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { codes, daemonSet, policy } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const FUNCTION = { 'config.kubernetes.io/function': 'exec: {path: nodefit-fn}' }
const of = (annotations: Record<string, string>, name = 'agent') => policy({}, name, { annotations })
const own = of(FUNCTION)
const amongResources = of({ ...FUNCTION, 'kustomize.config.k8s.io/id': '1' })

const SEES: Array<[name: string, config: KubernetesObject, items: KubernetesObject[], seesNothing: boolean]> = [
  ['a copy of itself alone, as a generator', own, [own], true],
  ['nothing at all', own, [], false],
  ['itself and another object', own, [own, daemonSet()], false],
  ['one object that is another', own, [of({}, 'other')], false],
  ['itself among resources', own, [amongResources], false],
  ['a copy of itself, of a host that is not kustomize', of({}), [of({})], false],
]

suite('a function that sees', (test) => {
  for (const [name, config, items, seesNothing] of SEES)
    test(`${name}: ${seesNothing ? 'is told to be a transformer' : 'runs'}`, () => {
      const request = readRequest(
        newItem(config),
        items.map((object) => newItem(object)),
        () => true,
      )
      assert.equal(codes(request.findings), seesNothing ? ['UseTransformers'] : [])
      assert.is(request.subject === undefined, seesNothing)
    })
})
