/** The way of docs/daemonset/recipes.md held against a real API server and its DaemonSet controller. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { asList, asNew, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const NODES = join(ROOT, 'testdata/nodes/eks.yaml')
const RECIPES = join(ROOT, 'testdata/recipes')
const SETTLED_SECONDS = 60
const textOf = (path: string) => readFileSync(path, 'utf8')
const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('recipes on a real cluster', (test) => {
  test('every recipe has a DaemonSet', () => {
    for (const name of readdirSync(RECIPES))
      assert.is(parse(textOf(join(RECIPES, name, 'daemonset.yaml'))).kind, 'DaemonSet')
  })
  if (cluster === undefined) return
  const { kubectl, folder, stop } = cluster
  const does = (args: readonly string[], input?: string) => {
    const { status, stdout, stderr } = kubectl(args, input)
    assert.is(status, 0, stderr)
    return stdout
  }
  /** What becomes of a recipe, by its policy or, without one, by what init writes: its groups, and what is said. */
  const builtOf = (name: string): { groups: string; said: string } => {
    const recipe = join(RECIPES, name)
    const made = mkdtempSync(join(folder, `${name}-`))
    const args = ['--nodes', NODES, '--daemonset', join(recipe, 'daemonset.yaml'), '--cluster', 'prod-eu']
    const nodefit = (...all: string[]) => run(process.execPath, [COMMAND, ...all])
    // some recipes are of agents that init would leave alone
    assert.is(nodefit('init', made, ...args, '--anyway').status, 0)
    if (existsSync(join(recipe, 'policy.yaml')))
      writeFileSync(join(made, 'policy.yaml'), textOf(join(recipe, 'policy.yaml')))
    const { status, stdout, stderr } = nodefit('build', made)
    assert.is(status, 0, stderr)
    return { groups: stdout, said: stderr }
  }
  const groupsOf = (name: string) => builtOf(name).groups
  const settled = async (): Promise<Map<string, Any[]>> => {
    for (let attempt = 0; attempt < SETTLED_SECONDS * 2; attempt++) {
      const sets: Any[] = JSON.parse(does(['get', 'daemonsets', '-n', 'logging', '-o', 'json'])).items
      const pods: Any[] = JSON.parse(does(['get', 'pods', '-n', 'logging', '-o', 'json'])).items
      const wanted = sets.reduce((sum, { status }) => sum + status.desiredNumberScheduled, 0)
      const isDone = sets.every(
        ({ metadata, status }) => status.observedGeneration === metadata.generation && !status.numberMisscheduled,
      )
      if (isDone && pods.length === wanted) return byNode(pods)
      await pause(500)
    }
    throw new Error('the DaemonSets did not settle')
  }

  test('what every recipe starts from and renders is taken by the API server', () => {
    for (const name of readdirSync(RECIPES)) {
      const [template] = objectsOf(textOf(join(RECIPES, name, 'daemonset.yaml')))
      const all = [
        { ...template, metadata: { ...template.metadata, managedFields: undefined } },
        ...objectsOf(groupsOf(name)),
      ]
      const objects = all.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: 'default' } }))
      does(['create', '--dry-run=server', '--validate=strict', '-f', '-'], asList(objects))
    }
  })
  test('a node selector that no node has takes the chart’s pods away, and leaves those of the groups', async () => {
    const nodes = parse(textOf(NODES)).items.map(asNew)
    does(['create', '-f', '-'], asList(nodes))
    does(['create', 'namespace', 'logging'])
    does(['apply', '-f', join(RECIPES, 'fluent-bit/daemonset.yaml')])
    const before = await settled()
    assert.ok(before.size >= 5)
    const groups = groupsOf('fluent-bit')
    does(['apply', '-f', '-'], groups)
    const both = await settled()
    assert.equal([...both.keys()].sort(), [...before.keys()].sort())
    for (const [node, pods] of both) assert.is(pods.length, 2, node)

    const off = { spec: { template: { spec: { nodeSelector: { 'nodefit.dev/off': 'true' } } } } }
    does(['patch', 'daemonset', 'fluent-bit', '-n', 'logging', '-p', JSON.stringify(off)])
    const after = await settled()
    assert.equal([...after.keys()].sort(), [...before.keys()].sort())
    for (const [node, pods] of after) {
      assert.is(pods.length, 1, node)
      assert.is.not(pods[0].metadata.ownerReferences[0].name, 'fluent-bit')
      assert.ok(
        both.get(node)?.some(({ metadata }) => metadata.uid === pods[0].metadata.uid),
        `the pod stayed on ${node}`,
      )
    }
  })
  test('state that two pods share: both write where the groups come first, none runs in between where the old go first', async () => {
    const none = async () => {
      does(['delete', 'daemonsets', '--all', '-n', 'logging'])
      assert.is((await settled()).size, 0)
    }
    const static_ = ['-f', join(RECIPES, 'filebeat/daemonset.yaml')]
    await none()
    does(['apply', ...static_])
    const before = await settled()
    const { groups, said } = builtOf('filebeat')
    const [, path = ''] =
      /StatePathShared: \S+ \S+ writes to (\S+) of the node: an old and a new pod both would/.exec(said) ?? []
    const [, count] =
      /StaticTemplateRetired: .*: every pod of it is replaced, on all (\d+) nodes at once/.exec(said) ?? []
    const [, waiting = '0'] = /LosesAgent: .*?(\d+) until it is ready/.exec(said) ?? []
    assert.is(before.size, Number(count) - Number(waiting), said)

    does(['apply', '-f', '-'], groups)
    const both = await settled()
    assert.equal([...both.keys()].sort(), [...before.keys()].sort())
    for (const [node, pods] of both) {
      assert.is(pods.length, 2, node)
      for (const { spec } of pods)
        assert.ok(
          spec.volumes.some(({ hostPath }: Any) => hostPath?.path === path),
          node,
        )
    }
    does(['delete', ...static_])
    const after = await settled()
    assert.equal([...after.keys()].sort(), [...before.keys()].sort())
    const old = new Set([...before.values()].flat().map(({ metadata }) => metadata.uid))
    for (const [node, pods] of after)
      assert.equal(
        pods.map(({ metadata }) => old.has(metadata.uid)),
        [false],
        node,
      )

    await none()
    does(['apply', ...static_])
    assert.is((await settled()).size, before.size)
    does(['delete', ...static_])
    assert.is((await settled()).size, 0, 'no node has the agent')
    does(['apply', '-f', '-'], groups)
    const anew = await settled()
    assert.equal([...anew.keys()].sort(), [...before.keys()].sort())
    await none()
  })
  test('what was started is stopped', async () => {
    await stop()
    assert.not(existsSync(folder))
  })
})

/** Without a scheduler a pod names its node in the affinity that the controller gave it. */
function nodeOf({ spec }: Any): string {
  const terms: Any[] =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return spec.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? ''
}

function byNode(pods: readonly Any[]): Map<string, Any[]> {
  const nodes = new Map<string, Any[]>()
  for (const pod of pods) nodes.set(nodeOf(pod), [...(nodes.get(nodeOf(pod)) ?? []), pod])
  return nodes
}
