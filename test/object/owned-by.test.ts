import * as assert from 'uvu/assert'
import { copiedAnnotations, OWNED_BY, ownedBy } from '../../src/object/index.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const HELM = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'ns' }
const ARGO_CD = { 'argocd.argoproj.io/tracking-id': 'app:apps/DaemonSet:ns/agent' }
const CASES: Array<[name: string, annotations: Record<string, string> | undefined, want: string | undefined]> = [
  ['Helm', HELM, 'Helm release r in ns'],
  ['Helm without a namespace', { 'meta.helm.sh/release-name': 'r' }, 'Helm release r'],
  ['Argo CD', ARGO_CD, 'Argo CD application app'],
  ['both', { ...HELM, ...ARGO_CD }, 'Helm release r in ns, Argo CD application app'],
  ['nobody', { note: 'x' }, undefined],
  ['no annotations', undefined, undefined],
]

suite('who else owns an object', (test) => {
  for (const [name, annotations, want] of CASES)
    test(name, () => assert.is(ownedBy(daemonSet({}, { annotations })), want))
  test('is never copied', () => assert.equal(copiedAnnotations({ [OWNED_BY]: 'x', note: 'y' }), { note: 'y' }))
})
