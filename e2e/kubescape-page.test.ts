/** docs/kubescape.md: every command of the page, in its order, with kubectl and helm answering as a cluster would. */
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { suite } from '../test/support/suite.ts'
import { COMMAND, functionsIn, inFolder, ROOT, run } from './support/hosts.ts'
import { has } from './support/program.ts'

const PAGE = readFileSync(join(ROOT, 'docs/kubescape.md'), 'utf8')
const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const chart = (name: string, file: string) => readFileSync(join(ROOT, 'testdata/kubescape', name, file), 'utf8')

/** kubectl prints what it is asked for and writes down what it is told to do; helm prints the chart in the mode asked for. */
const KUBECTL = `#!/bin/sh
here=$(dirname "$0")
case "$*" in
  'get nodes -o json') cat "$here/nodes.json" ;;
  *'get configmap node-agent-daemonset-template -o json') cat "$here/template.json" ;;
  'get daemonsets '*) echo node-agent-m5-large ;;
  *) echo "$*" >> "$here/told" ;;
esac
`
const HELM = `#!/bin/sh
here=$(dirname "$0")
case "$*" in
  *nodeAgent.autoscaler.enabled=true) cat "$here/autoscaler.yaml" ;;
  *) cat "$here/static.yaml" ;;
esac
`

/** A folder for PATH in which a cluster with the chart answers. */
function clusterIn(folder: string): string {
  const bin = functionsIn(folder)
  const put = (name: string, text: string) => writeFileSync(join(bin, name), text)
  put('nodes.json', JSON.stringify(parse(readFileSync(join(ROOT, 'testdata/nodes/eks.yaml'), 'utf8'))))
  put('template.json', JSON.stringify(parse(chart('quickstart', 'package/template.yaml'))))
  const [live, template] = [
    chart('operator-live', 'package/operator.yaml'),
    chart('operator-live', 'package/template.yaml'),
  ]
  put('autoscaler.yaml', `${live}---\n${template}`)
  put('static.yaml', `${chart('from-static', 'back/operator.yaml')}---\n${chart('from-static', 'back/daemonset.yaml')}`)
  put('kubectl', KUBECTL)
  put('helm', HELM)
  for (const name of ['kubectl', 'helm']) chmodSync(join(bin, name), 0o755)
  symlinkSync(COMMAND, join(bin, 'nodefit'))
  return bin
}

suite('the page about Kubescape', (test) => {
  test('it has commands', () => assert.ok(blocks.length >= 7))
  if (!has('kpt') || !has('kustomize')) return
  test('its commands run, and lead from the chart to groups and back', () =>
    inFolder((folder) => {
      const bin = clusterIn(folder)
      const work = join(folder, 'work')
      mkdirSync(work)
      cpSync(join(ROOT, 'deploy'), join(work, 'deploy'), { recursive: true })
      const groups = () => join(work, 'node-agent/node-agent-groups.yaml')
      const names: string[][] = []
      for (const block of blocks) {
        const { status, stderr } = run('sh', ['-eu', '-c', block], { bin, cwd: work })
        assert.is(status, 0, `${block}\n${stderr}`)
        names.push(namesIn(groups()))
      }
      const rendered = names.find((each) => each.length > 0) ?? []
      assert.ok(rendered.includes('node-agent-m5-large'), rendered.join(' '))
      assert.ok(rendered.includes('node-agent-default'))
      assert.equal(names.at(-1), [], 'the way back removes the groups')
      const back = readFileSync(join(work, 'node-agent/kubescape.yaml'), 'utf8')
      assert.match(back, 'name: node-agent\n')
      assert.not.match(back, 'local-config')
      const told = readFileSync(join(bin, 'told'), 'utf8')
      assert.match(told, 'delete daemonset node-agent-m4-large')
      assert.match(told, 'apply --server-side --force-conflicts -f node-agent/node-agent-groups.yaml')
    }))
  test('the marks it takes off are those the operator sets', () => {
    const made = parseAllDocuments(chart('from-autoscaler', 'package/live.yaml'))[0]?.toJS() as {
      metadata: { annotations: Record<string, string>; ownerReferences: unknown[] }
    }
    assert.is(made.metadata.ownerReferences.length, 1)
    for (const key of Object.keys(made.metadata.annotations).filter((each) => each.startsWith('argocd')))
      assert.match(PAGE, `${key}-`)
    assert.match(stringify(made), 'Prune=false')
  })
})

function namesIn(file: string): string[] {
  try {
    const documents = parseAllDocuments(readFileSync(file, 'utf8'))
    return documents.map((document) => (document.toJS() as { metadata: { name: string } }).metadata.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
