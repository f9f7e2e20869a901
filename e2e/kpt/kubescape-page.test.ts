/**
 * docs/kubescape/node-agent.md: every command of the page, in its order, with kubectl answering as a cluster would, and with what the chart prints at each
 * of its versions. A copy of the charts, KUBESCAPE_CHARTS/<version>/kubescape-operator with its dependencies built, is printed by helm itself, and must
 * print what is recorded in testdata/kubescape-charts; UPDATE_GOLDEN=1 records it. Without the copy what was recorded stands for it.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { takeoverScript } from '../../src/cli/takeover.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has, programOf } from '../support/program.ts'

const PAGE = readFileSync(join(ROOT, 'docs/kubescape/node-agent.md'), 'utf8')
const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const chart = (name: string, file: string) => readFileSync(join(ROOT, 'testdata/kubescape', name, file), 'utf8')

/** kubectl prints what it is asked for and writes down what it is told to do; helm prints the chart's files in the mode asked for. */
const KUBECTL = `#!/bin/sh
here=$(dirname "$0")
case "$*" in
  'get nodes -o json') cat "$here/nodes.json" ;;
  *'get configmap node-agent-daemonset-template operator -o json') cat "$here/live.json" ;;
  *'get configmaps,daemonsets -o json') cat "$here/off.yaml"; echo ---; cat node-agent/node-agent-groups.yaml ;;
  *'get daemonsets '*'-o json --show-managed-fields') cat "$here/agents.json" ;;
  *) echo "$*" >> "$here/told" ;;
esac
`
const HELM = `#!/bin/sh
here=$(dirname "$0")
case "$*" in
  'get values '*) echo 'account: mine' ;;
  template*autoscaler.enabled=true*template-configmap.yaml) name=template ;;
  template*autoscaler.enabled=true*operator/configmap.yaml) name=on ;;
  template*autoscaler.enabled=true*) exit 3 ;;
  template*'--values nodefit-values.yaml'*) name=off ;;
  template*) exit 3 ;;
  *) echo "helm $*" >> "$here/told" ;;
esac
[ -z "\${name:-}" ] && exit
if [ -n "\${CHART:-}" ]; then
  shift 5
  "$REAL_HELM" template kubescape "$CHART" "$@" > "$here/$name.yaml" || exit
  echo "$name" >> "$here/printed"
fi
cat "$here/$name.yaml"
`

/** The versions of the chart; main is its newest commit, 526acc1e. */
const VERSIONS = ['1.30.7', '1.40.2', '1.40.3', 'main']
const PRINTED = ['template', 'on', 'off']
const recorded = (version: string, name: string) => join(ROOT, 'testdata/kubescape-charts', version, `${name}.yaml`)

/** The chart's copy of a version; undefined where there is none. */
function chartOf(version: string): string | undefined {
  const chart = join(process.env.KUBESCAPE_CHARTS ?? '/nowhere', version, 'kubescape-operator')
  return existsSync(chart) && has('helm') ? chart : undefined
}

/** The settings of the chart under which it prints no DaemonSet and no loop. */
const OWN = { autoscaler: { enabled: false }, multipleDaemonSets: { enabled: true, configurations: null } }

/** A folder for PATH in which a cluster with the chart of a version answers. */
function clusterIn(folder: string, version: string): string {
  const bin = functionsIn(folder)
  const put = (name: string, text: string) => writeFileSync(join(bin, name), text)
  put('nodes.json', JSON.stringify(parse(readFileSync(join(ROOT, 'testdata/nodes/eks.yaml'), 'utf8'))))
  const live = ['template', 'on'].map((name) => {
    const object = parse(readFileSync(recorded(version, name), 'utf8'))
    return { ...object, metadata: { ...object.metadata, uid: name } }
  })
  put('live.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: live }))
  put('agents.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: madeByOperator() }))
  for (const name of PRINTED) put(`${name}.yaml`, readFileSync(recorded(version, name), 'utf8'))
  put('kubectl', KUBECTL)
  put('helm', HELM)
  for (const name of ['kubectl', 'helm']) chmodSync(join(bin, name), 0o755)
  symlinkSync(COMMAND, join(bin, 'nodefit'))
  return bin
}

/** DaemonSets as the operator makes them, with the fields that it owns. */
function madeByOperator(): KubernetesObject[] {
  const fields = {
    manager: 'operator',
    operation: 'Update',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {},
  }
  return parseAllDocuments(chart('from-autoscaler', 'package/live.yaml')).map((document) => {
    const object = document.toJS() as KubernetesObject
    return { ...object, metadata: { ...object.metadata, managedFields: [fields] } }
  })
}

/** Holds what helm printed of the real chart against what is recorded, or records it. */
function comparePrinted(bin: string, version: string): void {
  assert.equal([...new Set(readFileSync(join(bin, 'printed'), 'utf8').trim().split('\n'))].sort(), [...PRINTED].sort())
  for (const name of PRINTED) {
    const text = readFileSync(join(bin, `${name}.yaml`), 'utf8')
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(recorded(version, name), text)
    assert.is(text, readFileSync(recorded(version, name), 'utf8'), `${version}: testdata has another ${name}.yaml`)
  }
}

suite('the page about Kubescape', (test) => {
  test('it has commands', () => assert.ok(blocks.length >= 7))
  if (!has('kpt') || !has('kustomize')) return
  for (const version of VERSIONS)
    test(`its commands run, and lead from chart ${version} to groups and back`, () =>
      inFolder((folder) => {
        const bin = clusterIn(folder, version)
        const real = chartOf(version)
        const work = join(folder, 'work')
        mkdirSync(work)
        cpSync(join(ROOT, 'deploy'), join(work, 'deploy'), { recursive: true })
        const groups = () => join(work, 'node-agent/node-agent-groups.yaml')
        const names: string[][] = []
        for (const block of blocks) {
          const realHelm = real === undefined ? '' : `export CHART='${real}' REAL_HELM='${programOf('helm')}'\n`
          const { status, stderr } = run('sh', ['-eu', '-c', `${realHelm}${block}`], { bin, cwd: work })
          assert.is(status, 0, `${block}\n${stderr}`)
          names.push(namesIn(groups()))
        }
        const count = `${blocks.length} blocks`
        process.stdout.write(
          real === undefined
            ? `not run: helm with chart ${version}, which KUBESCAPE_CHARTS does not have; ${count} ran with what it printed before\n`
            : `${count} with helm and chart ${version}\n`,
        )
        if (real !== undefined) comparePrinted(bin, version)
        const rendered = names.find((each) => each.length > 0) ?? []
        assert.ok(rendered.includes('node-agent-m5-large'), rendered.join(' '))
        assert.ok(rendered.includes('node-agent-default'))
        assert.equal(names.at(-1), [], 'the way back removes the groups')
        const told = readFileSync(join(bin, 'told'), 'utf8')
        assert.match(told, 'delete daemonset node-agent-m4-large')
        assert.match(told, /patch daemonset node-agent-\S+ --type=json -p .*"manager":"kubectl","operation":"Apply"/)
        assert.match(told, 'apply --server-side --force-conflicts -f node-agent/node-agent-groups.yaml')
        assert.match(told, /helm upgrade .*--values values\.yaml --values nodefit-values\.yaml\n/)
        const own = parse(readFileSync(join(work, 'nodefit-values.yaml'), 'utf8')) as unknown
        assert.equal(own, { nodeAgent: OWN }, 'a list of the user’s would print node agents beside the groups')
        const [over = '', back = ''] = told.split('helm rollback')
        assert.match(
          over,
          'get daemonsets -l kubescape.io/managed-by=operator-autoscaler,app.kubernetes.io/managed-by!=nodefit',
        )
        assert.match(
          back,
          /--reset-values --values values\.yaml --set nodeAgent\.autoscaler\.enabled=false --set nodeAgent\.multipleDaemonSets\.enabled=false\n/,
        )
        const order = ['--reset-values', 'rollout status daemonset/node-agent', 'delete --ignore-not-found -f'].map(
          (text) => back.indexOf(text),
        )
        assert.equal(
          order,
          [...order].sort((a, b) => a - b),
          'nothing is deleted before the static agent is ready',
        )
        assert.ok(!order.includes(-1))
        const off = parse(readFileSync(join(work, 'operator-off.yaml'), 'utf8')) as { data: Record<string, string> }
        assert.is(JSON.parse(off.data['config.json'] ?? '').nodeAgentAutoscaler.enabled, false)
        const committed = Object.values(filesOf(join(work, 'node-agent'))).join()
        assert.not.match(committed, /kind: Secret|account: mine/)
        const filesOfChart = ['chart.yaml', 'template.yaml'].map((file) =>
          readFileSync(join(work, 'node-agent', file), 'utf8'),
        )
        const kept = filesOfChart.flatMap((text) => parseAllDocuments(text))
        assert.equal(
          kept.map((one) => one.getIn(['metadata', 'annotations', 'config.kubernetes.io/local-config'])),
          ['true', 'true', 'true'],
          'and stays so on the way back: Helm applies them',
        )
      }))
  test('what it prints of the chart is what a package needs: three files, and never the rest', () => {
    const printed = [...PAGE.matchAll(/--show-only (\S+)/g)].map(([, file]) => file)
    assert.equal([...new Set(printed)].sort(), [
      'templates/node-agent/configmap.yaml',
      'templates/node-agent/template-configmap.yaml',
      'templates/operator/configmap.yaml',
    ])
    const calls = blocks.join('').match(/^chart --.*|helm template .*/gm) ?? []
    assert.ok(calls.length >= 8)
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
    assert.equal(release.spec.values.nodeAgent, OWN)
    assert.is(kustomization.spec.path, './node-agent')
    const [chartApplication, groups] = read('argocd.yaml')
    assert.equal(chartApplication.spec.source.helm.valuesObject.nodeAgent, OWN)
    assert.is(groups.spec.source.path, 'node-agent')
    const versions = [release.spec.chart.spec.version, chartApplication.spec.source.targetRevision]
    const printed = [...PAGE.matchAll(/--version (\S+)/g)].map(([, version]) => version)
    assert.is(new Set([...versions, ...printed]).size, 1)
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

function namesIn(file: string): string[] {
  try {
    const documents = parseAllDocuments(readFileSync(file, 'utf8'))
    return documents.map((document) => (document.toJS() as { metadata: { name: string } }).metadata.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
