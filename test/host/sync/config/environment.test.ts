/** Which variables are read, which are named, and which stop the start. */
import * as assert from 'uvu/assert'
import {
  environmentErrors,
  environmentNotes,
  processName,
  readSyncConfig,
  SYNC_CODES,
} from '../../../../src/host/sync/config/read-config.ts'
import { suite } from '../../../support/suite.ts'
import { syncConfigText } from '../../../support/sync-config.ts'

type Variables = Record<string, string>

function read(spec: Record<string, unknown>, environment: Variables, options: object = {}) {
  return readSyncConfig(syncConfigText(spec), 'sync.yaml', { environment, ...options })
}

/** What each variable of the agent is replaced by. */
const REPLACED: ReadonlyArray<readonly [variable: string, replacement: string]> = [
  ['CLUSTER_ID', 'spec.cluster'],
  ['CLUSTER_NAME', 'spec.cluster'],
  ['DRYRUN', 'spec.dryRun'],
  ['NODEFIT_CLUSTER', 'set the field of the SyncConfig'],
  ['AGENT_ID', 'spec.leaderElection.identity'],
  ['COLLECTION_INTERVAL', 'spec.reconcileInterval'],
  ['BATCH_SIZE', 'spec.pageSize'],
  ['DRY_RUN', 'spec.dryRun'],
  ['BACKEND_URL', 'spec.git.url'],
  ['API_ENDPOINT', 'spec.git.url'],
  ['API_URL', 'spec.git.url'],
  ['BACKEND_WS_URL', 'remove it'],
  ['API_KEY', 'spec.git.credentials'],
  ['API_TOKEN', 'spec.git.credentials'],
  ['SECRET_KEY', 'spec.git.signing'],
  ['ACTION_POLL_INTERVAL', 'Argo CD or Flux'],
  ['HEARTBEAT_INTERVAL', 'nodefit_last_evaluation_timestamp_seconds'],
]

suite('variables of the agent', (test) => {
  for (const [variable, replacement] of REPLACED)
    test(`${variable} is named with its replacement, and its value is not shown`, () => {
      const [note, ...others] = environmentNotes({ [variable]: '12345', PATH: '/bin' })
      assert.equal(others, [])
      assert.is(note?.variable, variable)
      assert.match(note?.message ?? '', `the variable ${variable} is set and not read: `)
      assert.match(note?.message ?? '', replacement)
      assert.not.match(note?.message ?? '', '12345')
    })
  test('are not named where they are not set, or empty', () =>
    assert.equal(environmentNotes({ API_KEY: '', CLUSTER_ID: ' ', PATH: '/bin' }), []))
  test('change nothing of the configuration', () => {
    const agent = { CLUSTER_ID: 'old', AGENT_ID: 'agent-7', COLLECTION_INTERVAL: '60', BATCH_SIZE: '100' }
    assert.equal(read({}, agent).value, read({}, {}).value)
    assert.ok(read({}, agent).value)
  })
})

suite('variables that stop the start', (test) => {
  for (const [name, spec, environment, options, codes] of [
    ['CLUSTER_ID without a cluster', { cluster: undefined }, { CLUSTER_ID: 'old' }, {}, ['ClusterInEnvironment']],
    ['CLUSTER_ID beside a cluster', {}, { CLUSTER_ID: 'old' }, {}, []],
    ['no cluster at all', { cluster: undefined }, {}, {}, ['InvalidField']],
    ['an empty CLUSTER_ID without a cluster', { cluster: undefined }, { CLUSTER_ID: ' ' }, {}, ['InvalidField']],
    ['DRY_RUN=true', {}, { DRY_RUN: 'true' }, {}, ['DryRunInEnvironment']],
    ['DRY_RUN=1', {}, { DRY_RUN: ' 1 ' }, {}, ['DryRunInEnvironment']],
    ['DRY_RUN=yes', {}, { DRY_RUN: 'yes' }, {}, ['DryRunInEnvironment']],
    ['DRY_RUN=false', {}, { DRY_RUN: 'False' }, {}, []],
    ['DRY_RUN=0', {}, { DRY_RUN: '0' }, {}, []],
    ['an empty DRY_RUN', {}, { DRY_RUN: '' }, {}, []],
    ['DRY_RUN with dryRun', { dryRun: true }, { DRY_RUN: 'true' }, {}, []],
    ['DRY_RUN with --dry-run', {}, { DRY_RUN: 'true' }, { dryRun: true }, []],
    [
      'both',
      { cluster: undefined },
      { DRY_RUN: 'true', CLUSTER_ID: 'old' },
      {},
      ['ClusterInEnvironment', 'DryRunInEnvironment'],
    ],
  ] as const)
    test(name, () => {
      const { value, findings } = read(spec, environment, options)
      assert.equal(
        findings.map(({ code }) => code),
        [...codes],
      )
      assert.is(value === undefined, codes.length > 0)
    })
  test('each message names the variable, the field and the next step', () => {
    const environment = { CLUSTER_ID: 's3cret', DRY_RUN: 'true' }
    const findings = environmentErrors(environment, { hasCluster: false, dryRun: false })
    assert.equal(
      findings.map(({ code }) => code),
      Object.keys(SYNC_CODES),
    )
    const [cluster, dryRun] = findings.map(({ message }) => message)
    assert.is(
      cluster,
      'the variable CLUSTER_ID is set, and spec.cluster is missing. Write its value as spec.cluster, and remove the variable from the pod.',
    )
    assert.is(
      dryRun,
      'the variable DRY_RUN is set, and spec.dryRun is false. Set spec.dryRun or --dry-run to push nothing, or remove the variable from the pod to push.',
    )
  })
})

suite('the Lease', (test) => {
  const lease = (spec: object, environment: Variables, name?: string) =>
    read({ leaderElection: spec }, environment, name === undefined ? {} : { processName: name }).value?.leaderElection
  test('is in the namespace of the pod, unless the file names one', () => {
    assert.is(lease({}, { POD_NAMESPACE: 'fleet' })?.namespace, 'fleet')
    assert.is(lease({ namespace: 'x' }, { POD_NAMESPACE: 'fleet' })?.namespace, 'x')
    assert.is(lease({}, { POD_NAMESPACE: ' ' })?.namespace, undefined)
  })
  test('never has one identity for two replicas', () => {
    const names = ['pod-a', 'pod-b'].map((pod) => processName({ HOSTNAME: pod }, 1))
    assert.equal(names, ['pod-a-1', 'pod-b-1'])
    assert.equal(
      names.map((name) => lease({ identity: 'sync' }, {}, name)?.identity),
      ['sync_pod-a-1', 'sync_pod-b-1'],
    )
    assert.equal(
      [processName({}, 2), processName({ HOSTNAME: 'h', POD_NAME: 'p', AGENT_ID: 'a' }, 2)],
      ['local-2', 'h-2'],
    )
    assert.is(lease({ identity: 'a' }, {}, 'a')?.identity, 'a')
  })
})
