/** docs/kubescape/node-agent.md: what its commands are. e2e/long/kubescape.test.ts runs them, with helm and kubectl on a cluster. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { takeoverScript } from '../../src/host/cli/takeover.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { suite } from '../../test/support/suite.ts'
import { ROOT } from '../support/hosts.ts'
import { VALUES } from '../support/kubescape/charts.ts'
import { blocksOf, PAGE } from '../support/kubescape/page.ts'

const LIVE = readFileSync(join(ROOT, 'testdata/kubescape/from-autoscaler/package/live.yaml'), 'utf8')

/** DaemonSets as the operator makes them, with the fields that it owns. */
function madeByOperator(): KubernetesObject[] {
  const fields = {
    manager: 'operator',
    operation: 'Update',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {},
  }
  return parseAllDocuments(LIVE).map((document) => {
    const object = document.toJS() as KubernetesObject
    return { ...object, metadata: { ...object.metadata, managedFields: [fields] } }
  })
}

suite('the page about Kubescape', (test) => {
  test('what it prints of the chart is what a package needs: three files, and never the rest', () => {
    const printed = [...PAGE.matchAll(/--show-only (\S+)/g)].map(([, file]) => file)
    assert.equal([...new Set(printed)].sort(), [
      'templates/node-agent/configmap.yaml',
      'templates/node-agent/template-configmap.yaml',
      'templates/operator/configmap.yaml',
    ])
    const calls =
      blocksOf(PAGE)
        .map(({ text }) => text)
        .join('')
        .match(/^chart --.*|helm template .*/gm) ?? []
    assert.ok(calls.length >= 7)
    for (const call of calls)
      assert.ok(
        call.includes('--show-only') || call.endsWith(' --values values.yaml --values nodefit-values.yaml "$@"; }'),
        call,
      )
  })
  test('the shipped releases print no DaemonSet and no loop, and stand beside the package', () => {
    const read = (file: string) =>
      parseAllDocuments(readFileSync(join(ROOT, 'deploy/kubescape/helm', file), 'utf8')).map((one) => one.toJS())
    const [release, kustomization] = read('flux.yaml')
    assert.equal(release.spec.values.nodeAgent, VALUES.off.nodeAgent)
    assert.is(kustomization.spec.path, './node-agent')
    const [chartApplication, groups] = read('argocd.yaml')
    assert.equal(chartApplication.spec.source.helm.valuesObject.nodeAgent, VALUES.off.nodeAgent)
    assert.is(groups.spec.source.path, 'node-agent')
    const versions = [release.spec.chart.spec.version, chartApplication.spec.source.targetRevision]
    const printed = [...PAGE.matchAll(/--version (\S+)/g)].map(([, version]) => version)
    assert.is(new Set([...versions, ...printed]).size, 1)
  })
  test('its blocks are those that a walk runs, and change the release in the order that leaves no node without an agent', () => {
    const back = blocksOf(PAGE).find(({ role }) => role === 'back')?.text ?? ''
    const order = ['--reset-values', 'rollout status daemonset/node-agent', 'delete --ignore-not-found -f']
    const at = order.map((text) => back.indexOf(text))
    assert.ok(!at.includes(-1))
    assert.equal(
      at,
      at.toSorted((a, b) => a - b),
    )
    assert.throws(() => blocksOf(`${PAGE}\n\`\`\`sh\nhelm uninstall kubescape\n\`\`\`\n`), /a block with/)
  })
  test('the settings that it writes are those of the shipped releases', () => {
    const written = /cat > nodefit-values\.yaml <<'EOF'\n([\s\S]*?)EOF\n/.exec(PAGE)?.[1] ?? ''
    assert.equal(parse(written), { nodeAgent: VALUES.off.nodeAgent })
  })
  test('the marks that takeover takes off are those the operator sets', () => {
    const [made] = madeByOperator()
    assert.ok(made)
    const script = takeoverScript([made], 'kubectl').join('\n')
    assert.match(script, '/metadata/ownerReferences')
    const marks = Object.keys(made.metadata.annotations ?? {}).filter((each) => each.startsWith('argocd'))
    assert.is(marks.length, 2)
    for (const key of marks) assert.match(script, `/metadata/annotations/${key.replace('/', '~1')}`)
  })
})
