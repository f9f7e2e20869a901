import * as assert from 'uvu/assert'
import { packageFiles } from '../../src/cli/first-package.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { daemonSet, inventory, policy } from '../support/objects.ts'
import { suite } from '../support/suite.ts'
import { templateMap } from '../support/template.ts'

const HELM = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'ns' }
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const written = (target: KubernetesObject, file: string) =>
  packageFiles('a', [{ target, policy: policy() }], { ...inventory([]) }).files[file] ?? ''
const withAnnotations = (object: KubernetesObject, annotations: Record<string, string>) => ({
  ...object,
  metadata: { ...object.metadata, annotations },
})

suite('a template in a first package', (test) => {
  test('loses the marks of its owner, who is named instead', () => {
    const labels = { app: 'agent', [MANAGED_BY]: 'Helm', 'objectset.rio.cattle.io/hash': 'h' }
    const text = written(withAnnotations(daemonSet({}, { labels }), HELM), 'daemonset.yaml')
    assert.match(text, 'nodefit.dev/owned-by: Helm release r in ns; Rancher object set\n')
    assert.not.match(text, /meta\.helm|managed-by|objectset/)
    assert.match(text, 'labels:\n    app: agent\n')
  })
  test('keeps who manages it where nobody owns it', () => {
    const text = written(daemonSet({}, { labels: { [MANAGED_BY]: 'Helm' } }), 'daemonset.yaml')
    assert.match(text, `${MANAGED_BY}: Helm`)
    assert.not.match(text, 'owned-by')
  })
  test('names no owner of a ConfigMap, which stays the chart’s', () => {
    const text = written(withAnnotations(templateMap(), HELM), 'template.yaml')
    assert.not.match(text, /meta\.helm|owned-by/)
    assert.match(text, 'kind: ConfigMap')
    assert.match(text, 'config.kubernetes.io/local-config: "true"')
    assert.not.match(written(daemonSet(), 'daemonset.yaml'), 'local-config')
  })
})
