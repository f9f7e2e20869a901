/** What is shipped for Kubescape's operator, through the real hosts: the kustomize component and the kpt setter. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

interface Item {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  data?: Record<string, string>
}

const OFF = join(ROOT, 'deploy/kubescape/operator-off')
const SETTER = join(ROOT, 'deploy/kubescape/operator-setter')
const LIVE = join(ROOT, 'testdata/kubescape/operator-live/package')
const configOf = (items: Item[]) =>
  JSON.parse(
    items.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'operator')?.data?.['config.json'] ??
      '',
  ) as {
    namespace: string
    nodeAgentAutoscaler: Record<string, unknown>
  }

suite('the operator’s autoscaler, switched off', (test) => {
  test('until the setter has run, the shipped package is refused', () => {
    const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'build', SETTER])
    assert.equal([status, stdout], [1, ''])
    assert.match(stderr, 'OperatorAutoscalerLive')
  })
  if (has('kustomize')) {
    test('by the kustomize component: the groups are rendered, the template and all other settings stay', () =>
      inFolder((folder) => {
        for (const file of ['inventory.yaml', 'operator.yaml', 'template.yaml'])
          cpSync(join(LIVE, file), join(folder, file))
        const asFunction = '    config.kubernetes.io/function: |\n      exec:\n        path: nodefit-fn\nspec:'
        writeFileSync(
          join(folder, 'policy.yaml'),
          readFileSync(join(LIVE, 'policy.yaml'), 'utf8').replace('spec:', asFunction),
        )
        const build = (components: string) => {
          const lists = 'resources: [inventory.yaml, operator.yaml, template.yaml]\ntransformers: [policy.yaml]\n'
          writeFileSync(join(folder, 'kustomization.yaml'), `${lists}${components}`)
          const args = [
            'build',
            '--enable-alpha-plugins',
            '--enable-exec',
            '--load-restrictor=LoadRestrictionsNone',
            folder,
          ]
          return run('kustomize', args, { bin: functionsIn(folder) })
        }
        const live = build('')
        assert.is(live.status, 1)
        assert.match(live.stderr, 'OperatorAutoscalerLive')
        cpSync(OFF, join(folder, 'operator-off'), { recursive: true })
        const { status, stdout, stderr } = build('components: [operator-off]\n')
        assert.is(status, 0, stderr)
        const items = parseAllDocuments(stdout).map((document) => document.toJS() as Item)
        assert.equal(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(), [
          'ConfigMap node-agent-daemonset-template',
          'ConfigMap operator',
          'DaemonSet node-agent-default',
          'DaemonSet node-agent-m5-4xlarge',
          'DaemonSet node-agent-m5-large',
          'DaemonSet node-agent-remainder',
          'Deployment operator',
        ])
        const before = configOf(
          parseAllDocuments(readFileSync(join(LIVE, 'operator.yaml'), 'utf8')).map((one) => one.toJS() as Item),
        )
        const after = configOf(items)
        assert.is(after.nodeAgentAutoscaler.enabled, false)
        assert.equal({ ...after, nodeAgentAutoscaler: { ...after.nodeAgentAutoscaler, enabled: true } }, before)
      }))
  }
  if (has('kpt') && has('apply-setters')) {
    test('by the kpt setter: render, switch on, refused', () =>
      inFolder((folder) => {
        const work = join(folder, 'package')
        cpSync(SETTER, work, { recursive: true })
        const kptfile = join(work, 'Kptfile')
        writeFileSync(kptfile, readFileSync(kptfile, 'utf8').replace(/image: .*/, 'exec: apply-setters'))
        const bin = functionsIn(folder)
        const render = () =>
          run('kpt', ['fn', 'render', work, '--allow-exec', '--truncate-output=false'], { bin, cwd: work })
        assert.is(render().status, 0)
        const once = filesOf(work)
        const [operator] = parseAllDocuments(once['operator.yaml'] ?? '').map((one) => one.toJS() as Item)
        assert.is(configOf([operator as Item]).nodeAgentAutoscaler.enabled, false)
        assert.match(once['node-agent-groups.yaml'] ?? '', 'name: node-agent-m5-large')
        assert.is(render().status, 0)
        assert.equal(filesOf(work), once, 'the second run changes nothing')
        writeFileSync(
          kptfile,
          readFileSync(kptfile, 'utf8').replace('operator-autoscaler: "false"', 'operator-autoscaler: "true"'),
        )
        const live = render()
        assert.is(live.status, 1)
        assert.match(live.stderr, 'OperatorAutoscalerLive')
      }))
  }
})
