/** What of the agent's environment counts, and what is said of the rest. */
import * as assert from 'uvu/assert'
import { processName, readEnvironment } from '../../../src/sync/config/environment.ts'
import { readSyncConfig } from '../../../src/sync/config/read-config.ts'
import { suite } from '../../support/suite.ts'
import { syncConfigText } from '../../support/sync-config.ts'

const AGENT = { CLUSTER_ID: 'old', AGENT_ID: 'agent-7', COLLECTION_INTERVAL: '60', BATCH_SIZE: '100' }

function read(spec: Record<string, unknown>, environment: Record<string, string>, self?: string) {
  const { value, findings } = readSyncConfig(syncConfigText(spec), 'sync.yaml', environment, self)
  assert.equal(findings, [])
  assert.ok(value)
  return value
}

const NOT_COUNTED: Array<[variable: string, value: string]> = [
  ['COLLECTION_INTERVAL', '60s'],
  ['COLLECTION_INTERVAL', '9'],
  ['COLLECTION_INTERVAL', '86401'],
  ['COLLECTION_INTERVAL', '1e3'],
  ['BATCH_SIZE', '-100'],
  ['BATCH_SIZE', '5001'],
  ['BATCH_SIZE', 'all'],
]

suite('the agent’s environment', (test) => {
  test('counts where the file says nothing', () => {
    const config = read({ cluster: undefined }, AGENT, 'pod-a')
    assert.equal(
      [config.cluster, config.reconcileInterval, config.pageSize, config.leaderElection.identity],
      ['old', 60_000, 100, 'agent-7_pod-a'],
    )
  })
  test('does not count where the file says something', () => {
    const spec = { cluster: 'new', reconcileInterval: '2m', pageSize: 50, leaderElection: { identity: 'b' } }
    const config = read(spec, AGENT, 'pod-a')
    assert.equal(
      [config.cluster, config.reconcileInterval, config.pageSize, config.leaderElection.identity],
      ['new', 120_000, 50, 'b_pod-a'],
    )
  })
  test('gives the Lease the namespace of the pod', () => {
    assert.is(read({}, { POD_NAMESPACE: 'fleet' }).leaderElection.namespace, 'fleet')
    assert.is(read({ leaderElection: { namespace: 'x' } }, { POD_NAMESPACE: 'fleet' }).leaderElection.namespace, 'x')
    assert.is(read({}, {}).leaderElection.namespace, undefined)
  })
  test('never gives two replicas one name', () => {
    const holders = ['a', 'b'].map((pod) => read({}, AGENT, processName({ POD_NAME: pod }, 1)).leaderElection.identity)
    assert.equal(holders, ['agent-7_a', 'agent-7_b'])
    assert.equal([processName({ HOSTNAME: 'h' }, 1), processName({}, 2)], ['h-1', 'local-2'])
    assert.is(read({}, { AGENT_ID: 'a' }, 'a').leaderElection.identity, 'a')
  })
  for (const [variable, value] of NOT_COUNTED)
    test(`${variable}=${value} is said and does not count`, () => {
      const { values, notes } = readEnvironment({ [variable]: value })
      assert.equal([values.reconcileInterval, values.pageSize], [undefined, undefined])
      assert.equal(
        notes.map(({ level, message }) => [level, message.includes('does not count')]),
        [['warn', true]],
      )
      assert.is(read({}, { [variable]: value }).reconcileInterval, 300_000)
    })
  test('has a line for each variable of the agent, and none shows a value', () => {
    const variables = [
      ...['BACKEND_URL', 'BACKEND_WS_URL', 'API_KEY', 'SECRET_KEY', 'CLUSTER_ID', 'AGENT_ID', 'COLLECTION_INTERVAL'],
      ...[
        'ACTION_POLL_INTERVAL',
        'BATCH_SIZE',
        'HEARTBEAT_INTERVAL',
        'API_ENDPOINT',
        'API_URL',
        'API_TOKEN',
        'DRY_RUN',
      ],
    ]
    const { notes } = readEnvironment(Object.fromEntries(variables.map((variable) => [variable, '12345'])))
    assert.equal(notes.map(({ variable }) => variable).sort(), [...variables].sort())
    for (const { message, variable } of notes) {
      assert.not.match(message, '12345')
      assert.ok(message.startsWith(`${variable} `))
    }
  })
  test('says nothing of what is not set, or empty', () =>
    assert.equal(readEnvironment({ API_KEY: '', CLUSTER_ID: ' ', PATH: '/bin' }).notes, []))
})
