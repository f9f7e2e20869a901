/** nodefit takeover against a real API server: what the operator made and Git lacks goes with the next apply, and only with it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { COMMAND, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

const agent = (containers: object[], metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default', ...metadata },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers } },
  },
})
const SIDECAR = { name: 'sbom-scanner', image: 'scanner:1' }
const READ_BACK = { name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1' } } }
const SPEC = [SIDECAR, { name: 'node-agent', image: 'agent:1', env: [READ_BACK, { name: 'OLD', value: '1' }] }]
const OURS = agent([{ name: 'node-agent', image: 'agent:1', env: [{ name: 'GOMEMLIMIT', value: '400MiB' }] }])

suite('nodefit takeover on an API server', (test) => {
  if (cluster === undefined) return
  const { kubectl, folder } = cluster
  const apply = () => kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(OURS))
  const liveOf = () => {
    const { stdout } = kubectl(['get', 'daemonset', 'agent', '-o', 'json', '--show-managed-fields'])
    return {
      text: stdout,
      object: JSON.parse(stdout) as ReturnType<typeof agent> & { metadata: { ownerReferences?: unknown } },
    }
  }

  test('after it an apply drops what Git lacks; without it the API server refuses, or keeps it', () => {
    // an owner that exists, or the garbage collector deletes what it owns
    const owner = kubectl(['create', 'configmap', 'operator', '-o', 'jsonpath={.metadata.uid}'])
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'operator', uid: owner.stdout }]
    const made = agent(SPEC, { ownerReferences })
    const created = kubectl(['create', '--field-manager=operator', '-f', '-'], JSON.stringify(made))
    assert.is(created.status, 0, created.stderr)
    const refused = apply()
    assert.match(refused.stderr, /may not be specified when `value` is not empty/, refused.stderr)
    const file = join(folder, 'live.json')
    writeFileSync(file, liveOf().text)
    const script = run(process.execPath, [COMMAND, 'takeover', file])
    assert.is(script.status, 0, script.stderr)
    const ran = run('sh', ['-c', `export KUBECONFIG=${join(folder, 'kubeconfig')}\n${script.stdout}`])
    assert.is(ran.status, 0, ran.stderr)
    const applied = apply()
    assert.is(applied.status, 0, applied.stderr)
    const { metadata, spec } = liveOf().object
    const [container, ...others] = spec.template.spec.containers as Array<{ name: string; env: object[] }>
    assert.equal([container?.name, others.length, metadata.ownerReferences], ['node-agent', 0, undefined])
    assert.equal(container?.env, [{ name: 'GOMEMLIMIT', value: '400MiB' }])
    assert.match(
      run(process.execPath, [COMMAND, 'takeover', '-'], { input: liveOf().text }).stdout,
      "all its fields are kubectl's",
    )
  })
  test('of a variable that the operator wrote twice an apply leaves one, and the pods restart wherever it stands', () => {
    const [own, after] = [
      { name: 'GOMEMLIMIT', value: '500MiB' },
      { name: 'AFTER', value: '1' },
    ]
    const written = [{ name: 'GOMEMLIMIT', value: '400MiB' }, after, own]
    const named = (name: string, env: object[]) => agent([{ name: 'node-agent', image: 'agent:1', env }], { name })
    for (const [name, env] of Object.entries({ last: [after, own], first: [own, after] })) {
      const made = kubectl(['create', '--field-manager=operator', '-f', '-'], JSON.stringify(named(name, written)))
      assert.is(made.status, 0, made.stderr)
      const live = () => kubectl(['get', 'daemonset', name, '-o', 'json', '--show-managed-fields']).stdout
      const script = run(process.execPath, [COMMAND, 'takeover', '-'], { input: live() })
      const ran = run('sh', ['-c', `export KUBECONFIG=${join(folder, 'kubeconfig')}\n${script.stdout}`])
      assert.is(ran.status, 0, ran.stderr)
      const applied = kubectl(
        ['apply', '--server-side', '--force-conflicts', '-f', '-'],
        JSON.stringify(named(name, env)),
      )
      assert.is(applied.status, 0, applied.stderr)
      const { metadata, spec } = JSON.parse(live())
      assert.is(metadata.generation, 2, name)
      assert.equal(
        spec.template.spec.containers[0].env.filter((each: { name: string }) => each.name === 'GOMEMLIMIT'),
        [own],
      )
    }
  })
  test('the cluster ends', () => cluster.stop())
})
