/** The script that hands live DaemonSets to the tool that will apply them. */
import * as assert from 'uvu/assert'
import { takeoverScript } from '../../../src/host/cli/takeover.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonSet } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const entry = (manager: string, operation: string, fields: object, more: object = {}) => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...more,
})
const STATUS = entry('kube-controller-manager', 'Update', { 'f:status': {} }, { subresource: 'status' })
const live = (managedFields: object[], metadata: object = {}): KubernetesObject =>
  daemonSet({}, { name: 'agent', namespace: 'ns', generation: 3, managedFields, ...metadata })
const patchIn = (lines: readonly string[]) => {
  const [, text = ''] = lines.map((line) => /-p '(.*)'$/.exec(line)).find((match) => match !== null) ?? []
  return JSON.parse(text) as Array<{ op: string; path: string; value?: unknown }>
}

suite('nodefit takeover', (test) => {
  test('entries of others become one of the applier’s, with the fields of all; the status stays', () => {
    const operator = entry('operator', 'Update', { 'f:spec': { 'f:a': {} } })
    const own = entry('kubectl', 'Apply', { 'f:spec': { 'f:b': {} } })
    const [test1, replace] = patchIn(takeoverScript([live([operator, own, STATUS])], 'kubectl'))
    assert.equal(test1, { op: 'test', path: '/metadata/generation', value: 3 })
    assert.equal(replace?.value, [entry('kubectl', 'Apply', { 'f:spec': { 'f:a': {}, 'f:b': {} } }), STATUS])
  })
  test('owner references and marks of Argo CD go', () => {
    const metadata = {
      ownerReferences: [{ name: 'x' }],
      annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false' },
    }
    const ops = patchIn(takeoverScript([live([entry('operator', 'Update', {})], metadata)], 'argocd-controller'))
    assert.equal(
      ops.filter(({ op }) => op === 'remove').map(({ path }) => path),
      ['/metadata/ownerReferences', '/metadata/annotations/argocd.argoproj.io~1sync-options'],
    )
  })
  test('nothing is done where all is the applier’s', () => {
    const lines = takeoverScript([live([entry('kubectl', 'Apply', {}), STATUS])], 'kubectl')
    assert.equal(
      lines.filter((line) => !line.startsWith('#')),
      ['set -eu'],
    )
  })
  test('a restart that somebody asked for stays theirs', () => {
    const restart = entry('kubectl-rollout', 'Update', { 'f:spec': { 'f:template': {} } })
    const [, replace] = patchIn(takeoverScript([live([entry('helm', 'Update', {}), restart])], 'kubectl'))
    assert.equal(replace?.value, [entry('kubectl', 'Apply', {}), restart])
  })
  test('leftovers and selectors that cannot change are named, and left alone', () => {
    const fields = [entry('operator', 'Update', {})]
    const other = { ...live(fields), spec: { ...(live(fields).spec as object), selector: { matchLabels: { a: 'b' } } } }
    const left = live(fields, { name: "it's" })
    const lines = takeoverScript([other, left], 'kubectl', [live([])])
    assert.equal(
      lines.filter((line) => !line.startsWith('#')),
      ['set -eu'],
    )
    assert.match(lines.join(' '), 'agent: its selector differs')
    assert.match(lines.join(' '), `delete daemonset 'it'\\''s'`)
  })
  test('without managedFields it says how to read them', () =>
    assert.throws(() => takeoverScript([live([])], 'kubectl'), /--show-managed-fields/))
})
