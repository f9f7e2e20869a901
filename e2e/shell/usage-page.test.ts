/** docs/daemonset/usage.md: its commands as printed, a week of looking and what was measured elsewhere; its queries as Prometheus reads them. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'
import { has, PATH } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind, read back
type Any = any

const textOf = (page: string) => readFileSync(join(ROOT, 'docs/daemonset', page), 'utf8')
const blocksOf = (page: string, language: string): string[] =>
  [...textOf(page).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
const PAGE = textOf('usage.md')
const [looking = '', deciding = '', importing = '', asking = '', ...others] = blocksOf('usage.md', 'sh')
const [QUERY = '', ...queries] = blocksOf('usage.md', 'promql')
const GOLDEN = join(ROOT, 'testdata/golden/usage')
const [NAMESPACE, AGENT] = ['logging', 'fluent-bit']

/** A rendered package, and nodefit on PATH. */
function inWeek<T>(body: (folder: string, sh: (block: string) => ReturnType<typeof run>) => T): T {
  return inFolder((folder) => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(COMMAND, join(bin, 'nodefit'))
    cpSync(join(GOLDEN, 'expected-1'), join(folder, 'package'), { recursive: true })
    return body(folder, (block) => run('sh', ['-eu', '-c', block], { bin, cwd: folder }))
  })
}

const edit = (file: string, change: (text: string) => string) => writeFileSync(file, change(readFileSync(file, 'utf8')))

suite('the page about usage', (test) => {
  test('has these commands', () => assert.equal([others, queries], [[], []]))
  test('a week of looking: what would change, each amount, and how it came about', () =>
    inWeek((folder, sh) => {
      const [line = ''] = /^info UsageSays: .+$/m.exec(PAGE) ?? []
      const looked = sh(looking)
      assert.is(looked.status, 0, looked.stderr)
      assert.ok(looked.stderr.includes(line.replace('info ', 'nodefit: info: ')), looked.stderr)
      edit(join(folder, 'package/policy.yaml'), (text) => text.replace('updateMode: "Off"', 'updateMode: Auto'))
      const decided = sh(deciding)
      assert.is(decided.status, 0, decided.stderr)
      assert.match(decided.stdout, /fluent-bit-m5-large +3 +100m -> 222m/)
      assert.match(decided.stdout, /requestCPU of fluent-bit +\+15% +193m +like value:m5\.8xlarge/)
    }))

  const limitOf = (folder: string, change: (spec: Any) => void): { limit: string; request: string; said: string } => {
    for (const step of ['auto', 'killed']) cpSync(join(GOLDEN, step), join(folder, 'package'), { recursive: true })
    edit(join(folder, 'package/policy.yaml'), (text) => {
      const policy = parse(text)
      change(policy.spec)
      return stringify(policy)
    })
    const built = run(process.execPath, [COMMAND, 'build', 'package'], { cwd: folder })
    assert.is(built.status, 0, built.stderr)
    const objects = parseAllDocuments(built.stdout).map((document) => document.toJS() as Any)
    const { resources } = objects.find(({ metadata }) => metadata.name === `${AGENT}-m5-large`).spec.template.spec
      .containers[0]
    return { limit: resources.limits.memory, request: resources.requests.cpu, said: built.stderr }
  }
  test('how to lower a limit: by the line that it gives, which says if that is too low', () =>
    inWeek((folder) => {
      const [, lower = ''] = /\*\*Lower a limit\*\*[^`]*`([^`]+)`/.exec(PAGE) ?? []
      const { limit, said } = limitOf(folder, (spec) => Object.assign(spec, parse(lower)))
      assert.is(limit, '256Mi')
      assert.match(said, /UsageAboveMaximum: .*limitMemory 256Mi, killed at 256Mi/)
    }))
  test('or anew, by removing it from the row', () =>
    inWeek((folder) => {
      cpSync(join(GOLDEN, 'killed/snapshot.yaml'), join(folder, 'before.yaml'))
      assert.is(limitOf(folder, () => {}).limit, '512Mi')
      edit(join(folder, 'package/snapshot.yaml'), (text) =>
        text.replace('limitMemory: 512Mi, ', '').replace(/, raisedAt: \[[^\]]*\]/, ''),
      )
      const built = run(process.execPath, [COMMAND, 'explain', 'package', '--group', 'm5.large'], { cwd: folder })
      assert.match(built.stdout, /limitMemory of fluent-bit +256Mi of the template +256Mi/)
    }))
  test('how to keep a group out, and how to stop', () => {
    const off = { updateMode: 'Off' }
    const out = inWeek((folder) =>
      limitOf(folder, (spec) => Object.assign(spec, { overrides: [{ groups: ['m5.large'], usage: off }] })),
    )
    assert.equal([out.limit, out.request], ['256Mi', '100m'])
    const stopped = inWeek((folder) => limitOf(folder, (spec) => Object.assign(spec.usage, off)))
    assert.equal([stopped.limit, stopped.request], ['256Mi', '100m'])
    assert.match(stopped.said, 'UsageSays')
  })
})

const HOUR = 3600

/** An answer of Prometheus to the query, of fifteen days that end now, an hour a sample. */
function answerOf(start: number, end: number, step: number): object {
  const labels = { namespace: NAMESPACE, created_by_name: `${AGENT}-m5-large`, container: AGENT }
  const mebi = 2 ** 20
  const parts = { cpu: 0.05, memory: 100 * mebi, median: 80 * mebi, peak: 200 * mebi, pods: 3 }
  const count = Math.floor((end - start) / step) + 1
  const values = (value: number) => Array.from({ length: count }, (_, index) => [start + index * step, String(value)])
  const result = Object.entries(parts).map(([usage, value]) => ({
    metric: { ...labels, usage },
    values: values(value),
  }))
  return { status: 'success', data: { resultType: 'matrix', result } }
}

suite('usage that others have measured', (test) => {
  const VPA = {
    apiVersion: 'autoscaling.k8s.io/v1',
    kind: 'VerticalPodAutoscaler',
    metadata: { name: 'x', namespace: NAMESPACE },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: `${AGENT}-r5-large` } },
    status: {
      recommendation: {
        containerRecommendations: [{ containerName: AGENT, target: { cpu: '115m', memory: '230Mi' } }],
      },
    },
  }
  const prepare = (folder: string) => {
    const now = new Date().toISOString()
    const items = ['m5.large', 'm5.large', 'r5.large'].map((type, index) => {
      const node = nodeOf(`node-${index}`, type)
      node.status.conditions[0].lastHeartbeatTime = now
      return node
    })
    writeFileSync(join(folder, 'nodes.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    writeFileSync(join(folder, 'vpa.yaml'), stringify({ apiVersion: 'v1', kind: 'List', items: [VPA] }))
  }
  if (has('curl'))
    test('the commands that ask Prometheus and write the rows, of which packages are rendered', () =>
      inWeek(async (folder, sh) => {
        prepare(folder)
        writeFileSync(join(folder, 'usage.promql'), QUERY)
        const asked: URLSearchParams[] = []
        const server = createServer((request, response) => {
          const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
          assert.is(pathname, '/api/v1/query_range')
          asked.push(searchParams)
          const [start = 0, end = 0, step = 0] = ['start', 'end', 'step'].map((name) => Number(searchParams.get(name)))
          response.end(JSON.stringify(answerOf(start, end, step)))
        })
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const PROMETHEUS = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const env = { ...process.env, PATH, PROMETHEUS }
        const status = await new Promise((resolve) =>
          spawn('sh', ['-eu', '-c', asking], { cwd: folder, env }).once('close', resolve),
        )
        server.close()
        assert.is(status, 0)
        const [query, ...more] = asked
        assert.equal([query?.get('query'), query?.get('step'), more], [QUERY, String(HOUR), []])
        const written = sh(importing)
        assert.is(written.status, 0, written.stderr)
        const [inventory, snapshot] = parseAllDocuments(readFileSync(join(folder, 'both.yaml'), 'utf8')).map(
          (document) => document.toJS() as Any,
        )
        assert.equal([inventory.spec.nodeCount, inventory.spec.cluster], [3, 'prod-eu'])
        assert.equal(
          snapshot.spec.usage.map(({ policy, group, days, settled }: Any) => [
            policy,
            group,
            days,
            settled.cpu,
            settled.why,
          ]),
          [
            ['logging/fluent-bit', 'value:m5.large', 14, '50m', 'Imported'],
            ['logging/fluent-bit', 'value:r5.large', 0, '100m', 'Imported'],
          ],
        )
        const source = join(GOLDEN, 'package')
        for (const file of ['daemonset.yaml', 'policy.yaml']) cpSync(join(source, file), join(folder, file))
        edit(join(folder, 'policy.yaml'), (text) => text.replace('"Off"', 'Auto'))
        const built = run(process.execPath, [COMMAND, 'build', 'both.yaml', 'daemonset.yaml', 'policy.yaml'], {
          cwd: folder,
        })
        assert.is(built.status, 0, built.stderr)
        assert.match(built.stderr, /fluent-bit-m5-large +2 +100m -> 58m /)
      }))
  test('what is not usage of any policy is said, and nothing is written of it', () =>
    inWeek((folder, sh) => {
      prepare(folder)
      const inventory = 'nodefit inventory nodes.json --cluster prod-eu'
      const none = sh(`${inventory} --usage vpa.yaml`)
      assert.equal([none.status, none.stdout], [1, ''])
      assert.match(none.stderr, 'no FILE has a policy or a rendered DaemonSet for logging/fluent-bit-r5-large')
      const empty = sh(`${inventory} --usage package`)
      assert.equal([empty.status, empty.stdout], [1, ''])
      assert.match(empty.stderr, 'no FILE says what the container of a DaemonSet uses')
      writeFileSync(join(folder, 'usage.json'), JSON.stringify({ status: 'error', error: 'timed out', data: null }))
      const failed = sh(`${inventory} --usage usage.json --usage package`)
      assert.equal([failed.status, failed.stdout], [1, ''])
      assert.match(failed.stderr, 'usage.json: Prometheus answered error: timed out')
    }))
})

suite('queries of the pages', (test) => {
  const hasPromtool = has('promtool')
  const all = ['usage.md', 'percentages.md', 'init.md'].flatMap((page) =>
    blocksOf(page, 'promql').map((query) => [page, query] as const),
  )
  test('there are some', () => assert.is(all.length, 5))
  if (!hasPromtool) return
  for (const [index, [page, query]] of all.entries())
    test(`${page}: query ${index + 1} is one`, () =>
      inFolder((folder) => {
        const rules = { groups: [{ name: 'page', rules: [{ record: 'page:query', expr: query }] }] }
        writeFileSync(join(folder, 'rules.yaml'), stringify(rules))
        const { status, stdout, stderr } = run('promtool', ['check', 'rules', join(folder, 'rules.yaml')])
        assert.is(status, 0, stdout + stderr)
      }))
  test('that of usage gives each part of a DaemonSet’s container, and nothing of others', () =>
    inFolder((folder) => {
      const pod = (name: string, bytes: number, perMinute: number, kind = 'DaemonSet', owner = 'agent-small') => {
        const of = `namespace="logging", pod="${name}"`
        return [
          [`kube_pod_info{${of}, created_by_kind="${kind}", created_by_name="${owner}"}`, '1x120'],
          [`container_memory_working_set_bytes{${of}, container="agent", id="/${name}"}`, `${bytes}x120`],
          [`container_memory_working_set_bytes{${of}, container=""}`, `${9 * bytes}x120`],
          [`container_cpu_usage_seconds_total{${of}, container="agent"}`, `0+${perMinute}x120`],
        ]
      }
      const input = [
        ...pod('a', 100, 6),
        ...pod('b', 200, 30),
        ...pod('c', 300, 30),
        ...pod('other', 9000, 54, 'ReplicaSet', 'web'),
      ].map(([series, values]) => ({ series, values }))
      const sample = (usage: string, value: number) => ({
        labels: `{namespace="logging", created_by_name="agent-small", container="agent", usage="${usage}"}`,
        value,
      })
      const exp_samples = [
        // of three pods 0.9 is between the second and the third
        ...[sample('cpu', 0.5), sample('memory', 280), sample('median', 200), sample('peak', 300), sample('pods', 3)],
      ]
      const promql_expr_test = [{ expr: QUERY, eval_time: '2h', exp_samples }]
      const tests = [{ interval: '1m', input_series: input, promql_expr_test }]
      writeFileSync(join(folder, 'test.yaml'), stringify({ rule_files: [], evaluation_interval: '1m', tests }))
      const { status, stdout, stderr } = run('promtool', ['test', 'rules', join(folder, 'test.yaml')])
      assert.is(status, 0, stdout + stderr)
    }))
  test('that of init gives each part of a container on each node over fourteen days, and nothing of others', () =>
    inFolder((folder) => {
      const pod = (name: string, node: string, bytes: number, perStep: number, kind = 'DaemonSet') => {
        const of = `namespace="logging", pod="${name}"`
        return [
          [`kube_pod_info{${of}, created_by_kind="${kind}", created_by_name="agent", node="${node}"}`, '1x4320'],
          [`container_memory_working_set_bytes{${of}, container="agent"}`, `${bytes}x4320`],
          [`container_memory_working_set_bytes{${of}, container=""}`, `${9 * bytes}x4320`],
          [`container_cpu_usage_seconds_total{${of}, container="agent"}`, `0+${perStep}x4320`],
        ]
      }
      const input = [
        ...pod('a', 'n1', 100, 75),
        ...pod('b', 'n2', 200, 150),
        ...pod('other', 'n1', 9000, 300, 'ReplicaSet'),
        // one that waits for a node uses nothing, and has none
        ...pod('waits', '', 500, 300),
      ].map(([series, values]) => ({ series, values }))
      const sample = (node: string, usage: string, value: number) => ({
        labels: `{namespace="logging", created_by_name="agent", container="agent", node="${node}", usage="${usage}"}`,
        value,
      })
      const of = (node: string, cpu: number, bytes: number) => [
        sample(node, 'cpu', cpu),
        ...['memory', 'median', 'peak'].map((usage) => sample(node, usage, bytes)),
        sample(node, 'hours', 337),
      ]
      const exp_samples = [...of('n1', 0.25, 100), ...of('n2', 0.5, 200)]
      const [expr = ''] = blocksOf('init.md', 'promql')
      const tests = [
        { interval: '5m', input_series: input, promql_expr_test: [{ expr, eval_time: '15d', exp_samples }] },
      ]
      writeFileSync(join(folder, 'test.yaml'), stringify({ rule_files: [], evaluation_interval: '5m', tests }))
      const { status, stdout, stderr } = run('promtool', ['test', 'rules', join(folder, 'test.yaml')])
      assert.is(status, 0, stdout + stderr)
    }))
})
