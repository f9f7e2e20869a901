/** The reducer, and what it left of the published agents. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { ROOT, run } from '../support/hosts.ts'
import { AGENTS, type AgentName, agentDaemonSet } from './agents.ts'

const factsOf = (agent: AgentName) => readFileSync(join(ROOT, `testdata/first-hour/agents/${agent}.yaml`), 'utf8')
const reduce = (input: string, ...args: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'tools/agent-facts.ts', ...args], { input, cwd: ROOT })

const DAEMON_SET = `
kind: DaemonSet
metadata: {name: agent, labels: {app: agent, note: what a person wrote}, annotations: {checksum: abc}}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      hostNetwork: true
      serviceAccountName: agent
      initContainers:
      - {name: first, image: "registry.example.com:5000/team/first:1@sha256:0a", resources: {limits: {cpu: 1}}}
      - {name: beside, image: beside:1, restartPolicy: Always, resources: {requests: {memory: 1Gi}}}
      containers:
      - name: agent
        image: team/agent:2
        args: [--secret, value]
        command: [sh, -c, echo]
        resources: {requests: {cpu: 100m, ephemeral-storage: 1Gi}}
        env: [{name: TOKEN, value: t}, {name: GOMEMLIMIT, value: 90MiB}]
        volumeMounts: [{name: logs, mountPath: /logs, readOnly: true}, {name: config, mountPath: /config}]
      volumes: [{name: logs, hostPath: {path: /var/log}}, {name: config, configMap: {name: agent}}]
`
const REDUCED = {
  agent: 'name',
  version: '1.2',
  name: 'agent',
  labels: { app: 'agent' },
  selector: { matchLabels: { app: 'agent' } },
  podLabels: { app: 'agent' },
  hostNetwork: true,
  initContainers: [
    { name: 'first', image: 'team/first:1', resources: { limits: { cpu: 1 } } },
    { name: 'beside', image: 'beside:1', restartPolicy: 'Always', resources: { requests: { memory: '1Gi' } } },
  ],
  containers: [
    {
      name: 'agent',
      image: 'team/agent:2',
      resources: { requests: { cpu: '100m', 'ephemeral-storage': '1Gi' } },
      heap: { GOMEMLIMIT: '90MiB' },
      hostPaths: [{ path: '/var/log', mountPath: '/logs', readOnly: true }],
    },
  ],
}

suite('the agents of a first hour', (test) => {
  test('the reducer keeps what decides place and size, and nothing else', () => {
    const { status, stdout, stderr } = reduce(`kind: ConfigMap\n---${DAEMON_SET}`, 'name', '1.2', 'a chart')
    assert.is(status, 0, stderr)
    assert.match(stdout, /^# name 1\.2, .* from: a chart\n/)
    assert.equal(parse(stdout), REDUCED)
  })
  test('the reducer wants one DaemonSet, or the name of one', () => {
    const two = `${DAEMON_SET}---${DAEMON_SET.replace('name: agent,', 'name: other,')}`
    assert.match(reduce(two, 'name', '1.2', 'a chart').stderr, '2 DaemonSets: name one as name=DAEMONSET')
    const { name } = parse(reduce(two, 'name=other', '1.2', 'a chart').stdout) as { name: string }
    assert.is(name, 'other')
  })
  for (const agent of AGENTS)
    test(`${agent}: name and version, every resources block, and no prose`, () => {
      const text = factsOf(agent)
      const { version } = parse(text) as { version: string }
      assert.match(text, `# ${agent} ${version}, reduced by tools/agent-facts.ts from: `)
      const { containers, initContainers = [] } = agentDaemonSet(agent).spec.template.spec
      const sized = [...containers, ...initContainers].filter(({ resources }) => resources !== undefined)
      assert.is(text.split(/^ +resources:$/m).length - 1, sized.length)
      const spoken = [...text.matchAll(/^(?!#).*: [^"\n]+ .*$/gm)].map(([line]) => line)
      assert.equal(spoken, [])
    })
})
