/** `nodefit scan` of an API server that is scripted: Ctrl-C while it reads, and the way to the first package. */
import { spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { DAEMONSET } from '../support/agent-package.ts'
import { eventually } from '../support/eventually.ts'
import { COMMAND, inFolder } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'
import { has } from '../support/program.ts'
import { type Asked, json, ScriptedApi } from '../support/scripted-api.ts'

const ofPods = ({ path }: Asked) => path === '/api/v1/pods'
const [DAEMONSETS, IN_OPS] = ['/apis/apps/v1/daemonsets', '/apis/apps/v1/namespaces/ops/daemonsets']
const NODES = [
  ...['a', 'b', 'c'].map((name) => nodeOf(name, 'm5.large')),
  nodeOf('huge', 'm5.8xlarge'),
] as unknown as Parameters<ScriptedApi['put']>[1][]

const [container] = DAEMONSET.spec.template.spec.containers
/** The agent with a core and a GiB. */
const heavy = {
  ...DAEMONSET,
  spec: {
    ...DAEMONSET.spec,
    template: {
      ...DAEMONSET.spec.template,
      spec: {
        tolerations: [{ operator: 'Exists' }],
        containers: [{ ...container, resources: { requests: { cpu: '1', memory: '1Gi' } } }],
      },
    },
  },
}

/** A program, what it has written so far, and its end. */
function started(command: string, args: readonly string[], cwd: string) {
  const env = { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm' }
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (part: Buffer) => {
    stdout += part
  })
  child.stderr.on('data', (part: Buffer) => {
    stderr += part
  })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => {
      process.off('exit', kill)
      resolve({ code, signal })
    }),
  )
  return { child, ended, stdout: () => stdout, stderr: () => stderr }
}

/** A cluster with an agent that is sized alike on nodes that are not, and a folder with a kubeconfig of it. */
async function inCluster(body: (api: ScriptedApi, folder: string) => Promise<void>): Promise<void> {
  const api = await ScriptedApi.start()
  for (const node of NODES) api.put('/api/v1/nodes', node)
  for (const path of [DAEMONSETS, IN_OPS]) api.put(path, DAEMONSET)
  try {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, 'config'), api.kubeconfig)
      await body(api, folder)
    })
  } finally {
    await api.close()
  }
}

const scan = (folder: string) => started(process.execPath, [COMMAND, 'scan', '--kubeconfig', 'config'], folder)

suite('nodefit scan of a scripted API server', (test) => {
  test('Ctrl-C while it reads leaves nothing: no output, no file, no connection, and nothing was written', () =>
    inCluster(async (api, folder) => {
      let isClosed = false
      api.next(ofPods, (_, response) => response.once('close', () => (isClosed = true)), 9)
      const { child, ended, stdout, stderr } = scan(folder)
      await eventually(() => api.count(ofPods) === 1)
      child.kill('SIGINT')
      assert.equal(await ended, { code: null, signal: 'SIGINT' })
      assert.equal([stdout(), stderr()], ['', ''])
      assert.equal(readdirSync(folder), ['config'])
      await eventually(() => isClosed)
      assert.equal(new Set(api.asked.map(({ method }) => method)), new Set(['GET']))
    }))
  if (has('script'))
    test('on a terminal it takes the progress line away, and the shell sees 130', () =>
      inCluster(async (api, folder) => {
        api.next(ofPods, () => {}, 9)
        const line = `'${process.execPath}' '${COMMAND}' scan --kubeconfig config`
        const { child, ended, stdout } = started('script', ['-qec', line, '/dev/null'], folder)
        await eventually(() => stdout().includes('nodefit: reading pods'))
        child.stdin.write('\x03')
        assert.equal(await ended, { code: 130, signal: null })
        const [shown = '', rest = 'x'] = stdout().split('\r\x1b[K').slice(-2)
        assert.match(shown, /^nodefit: reading pods/)
        assert.match(rest, /^(?:\^C)?\s*$/)
        assert.equal(readdirSync(folder), ['config'])
      }))
  test('says the command that writes the first package, which nodefit build renders', () =>
    inCluster(async (_, folder) => {
      const { ended, stderr } = scan(folder)
      assert.equal(await ended, { code: 0, signal: null }, stderr())
      const next = 'nodefit init agent --kubeconfig config --context test --daemonset ops/agent'
      assert.ok(stderr().includes(`nodefit: next: ${next}, which writes`), stderr())
      const nodefit = (...words: string[]) => started(process.execPath, [COMMAND, ...words], folder)
      const init = nodefit(...next.split(' ').slice(1))
      assert.equal(await init.ended, { code: 0, signal: null }, init.stderr())
      const build = nodefit('build', 'agent')
      assert.equal(await build.ended, { code: 0, signal: null }, build.stderr())
      assert.match(build.stdout(), 'name: agent-m5-8xlarge')
    }))
  test('a node that is gone between two reads moves no label of another', () =>
    inFolder(async (folder) => {
      const api = await ScriptedApi.start()
      try {
        writeFileSync(join(folder, 'config'), api.kubeconfig)
        const node = (name: string, cpu: string, memory: string) => ({
          metadata: { name, labels: { 'kubernetes.io/os': 'linux' } },
          status: { allocatable: { cpu, memory, pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
        })
        const small = Array.from({ length: 10 }, (_, index) => node(`s${index}`, '3920m', '15000Mi'))
        const large = Array.from({ length: 3 }, (_, index) => node(`l${index}`, '95000m', '380000Mi'))
        const all = [...large, ...small]
        for (const one of all) api.put('/api/v1/nodes', one as Parameters<ScriptedApi['put']>[1])
        // the first list has one more, before all others
        const items = [node('a0', '3920m', '15000Mi'), ...all]
        const answer = { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }
        api.next(
          ({ path }) => path === '/api/v1/nodes',
          (_, response) => json(response, 200, answer),
        )
        api.put(DAEMONSETS, heavy)
        for (const { metadata } of all) {
          const [name, isLarge] = [`agent-${metadata.name}`, metadata.name.startsWith('l')]
          const owner = { kind: 'DaemonSet', name: 'agent', controller: true }
          const own = { name, namespace: 'ops', ownerReferences: [owner] }
          const { spec } = heavy.spec.template
          const pod = { metadata: own, spec: { ...spec, nodeName: metadata.name }, status: { phase: 'Running' } }
          const usage = isLarge ? { cpu: '800m', memory: '900Mi' } : { cpu: '40m', memory: '90Mi' }
          const timestamp = '2026-11-24T10:00:00Z'
          const metrics = { metadata: { name, namespace: 'ops' }, timestamp, containers: [{ name: 'agent', usage }] }
          api.put('/api/v1/pods', pod as Parameters<ScriptedApi['put']>[1])
          api.put('/apis/metrics.k8s.io/v1beta1/pods', metrics as Parameters<ScriptedApi['put']>[1])
        }
        const init = started(process.execPath, [COMMAND, 'init', 'all', '--all', '--kubeconfig', 'config'], folder)
        assert.equal(await init.ended, { code: 0, signal: null }, init.stderr())
        assert.match(init.stderr(), /kubectl label nodes l0 l1 l2 nodefit\.dev\/size=large/)
        assert.match(init.stderr(), /from one look on Tuesday, 2026-11-24 10:00 UTC/)
      } finally {
        await api.close()
      }
    }))
})
