/** The health checks that are shipped for Argo CD, by the Lua that Argo CD has, and as Argo CD reads them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { argocdConfig } from '../support/argocd-config.ts'
import { inFolder, ROOT, run } from '../support/hosts.ts'
import { healthOf } from '../support/lua.ts'
import { has } from '../support/program.ts'

type Case = [name: string, object: object, status: string, message: string]

const ticket = (status?: object) => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: { name: 'a', namespace: 'b' },
  spec: {},
  status,
})
const order = (spec: object, status?: object, generation = 1) => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'a', namespace: 'b', generation },
  spec: { template: { spec: {} }, ...spec },
  status,
})
const claim = (...conditions: object[]) => ({
  apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1',
  kind: 'NodeSmithClaim',
  metadata: { name: 'a', namespace: 'b' },
  spec: { poolRef: 'p' },
  status: { nodeName: 'node-1', conditions },
})
const is = (type: string, status = 'True', message?: string) => ({ type, status, message })
const counts = (replicas: number, available: number, pending: number, expired: number, conditions: object[] = []) => ({
  observedGeneration: 1,
  replicas,
  availableReplicas: available,
  unavailableReplicas: pending,
  terminalReplicas: expired,
  conditions,
})
const READY = is('Ready')
const FAILURE = is('Failure', 'True', 'Failed to reconcile tickets: no')

const CASES: Record<string, Case[]> = {
  ticket: [
    ['that korder has not seen', ticket(), 'Progressing', 'waits for its guardian pod'],
    ['without a phase', ticket({}), 'Progressing', 'waits for its guardian pod'],
    ['with an empty phase', ticket({ phase: '' }), 'Progressing', 'waits for its guardian pod'],
    ['Pending', ticket({ phase: 'Pending' }), 'Progressing', 'waits for its guardian pod'],
    ['Pending, with a reason', ticket({ phase: 'Pending', message: 'forbidden' }), 'Progressing', 'forbidden'],
    ['Reserved, of the first versions', ticket({ phase: 'Reserved', nodeName: 'n' }), 'Healthy', 'reserved on n'],
    ['Ready, of later versions', ticket({ phase: 'Ready', nodeName: 'n' }), 'Healthy', 'reserved on n'],
    [
      'Ready before its pod has a node',
      ticket({ phase: 'Ready', nodeName: '' }),
      'Healthy',
      'reserved, on no node yet',
    ],
    ['Ready without a node', ticket({ phase: 'Ready' }), 'Healthy', 'reserved, on no node yet'],
    ['Claimed', ticket({ phase: 'Claimed', claimedPod: 'b/pod' }), 'Healthy', 'claimed by b/pod'],
    ['Claimed, of the first version', ticket({ phase: 'Claimed' }), 'Healthy', 'claimed by a pod'],
    ['Expired', ticket({ phase: 'Expired' }), 'Degraded', 'expired: nothing is reserved any more'],
    ['of a phase to come', ticket({ phase: 'Lost' }), 'Unknown', 'korder says Lost'],
  ],
  order: [
    ['that korder has not seen', order({}), 'Progressing', 'waits for korder'],
    ['that has changed since', order({ replicas: 2 }, counts(2, 2, 0, 0), 2), 'Progressing', 'waits for korder'],
    ['with all its Tickets', order({ replicas: 2 }, counts(2, 2, 0, 0, [READY])), 'Healthy', '2 of 2 Tickets'],
    ['of one Ticket, the default', order({}, counts(1, 1, 0, 0, [READY])), 'Healthy', '1 of 1 Ticket'],
    ['of none', order({ replicas: 0 }, counts(0, 0, 0, 0)), 'Healthy', '0 of 0 Tickets'],
    ['that lacks one', order({ replicas: 2 }, counts(1, 1, 0, 0, [READY])), 'Progressing', '1 of 2 Tickets'],
    ['with one that is pending', order({ replicas: 2 }, counts(2, 2, 1, 0, [READY])), 'Progressing', '1 of 2 Tickets'],
    [
      'that failed',
      order({ replicas: 2 }, counts(1, 1, 0, 0, [FAILURE])),
      'Degraded',
      'Failed to reconcile tickets: no',
    ],
    [
      'that failed once and has all',
      order({ replicas: 2 }, counts(2, 2, 0, 0, [READY, FAILURE])),
      'Healthy',
      '2 of 2 Tickets',
    ],
    [
      'with expired ones',
      order({ replicas: 2 }, counts(2, 1, 0, 1, [READY])),
      'Degraded',
      '1 Ticket has expired, 1 of 2 is left',
    ],
    ['that is paused', order({ paused: true, replicas: 2 }, counts(0, 0, 0, 0)), 'Suspended', 'paused'],
    ['in DaemonSet mode', order({ daemonSet: true }, counts(5, 5, 0, 0, [READY])), 'Healthy', '5 of 5 Tickets'],
    [
      'in DaemonSet mode, with expired ones',
      order({ daemonSet: true }, counts(5, 3, 0, 2, [READY])),
      'Degraded',
      '2 Tickets have expired, 3 of 5 are left',
    ],
  ],
  nodesmithclaim: [
    ['that nobody has seen', { ...claim(), status: undefined }, 'Progressing', 'waits for its machine'],
    ['without conditions', claim(), 'Progressing', 'waits for its machine'],
    ['launched', claim(is('Launched')), 'Progressing', 'Launched, not ready yet'],
    ['registered', claim(is('Launched'), is('Registered')), 'Progressing', 'Registered, not ready yet'],
    [
      'initialized, not ready',
      claim(is('Launched'), is('Registered'), is('Initialized'), is('Ready', 'False')),
      'Progressing',
      'Initialized, not ready yet',
    ],
    ['ready', claim(is('Launched'), is('Ready'), is('Failed', 'False')), 'Healthy', 'node node-1 is ready'],
    ['failed', claim(is('Launched'), is('Failed', 'True', 'no quota')), 'Degraded', 'no quota'],
    ['ready once, and failed', claim(is('Ready'), is('Failed', 'True', 'gone')), 'Degraded', 'gone'],
  ],
}

suite('health checks for Argo CD', (test) => {
  test('there is one for each kind', () => assert.equal(Object.keys(CASES).length, 3))
  if (!has('glua')) return
  for (const [kind, cases] of Object.entries(CASES)) {
    const said = healthOf(
      join(ROOT, `deploy/argocd/health/${kind}.lua`),
      cases.map(([, object]) => object),
    )
    for (const [index, [name, , status, message]] of cases.entries())
      test(`${kind} ${name}: ${status}`, () => assert.equal(said[index], { status, message }))
  }
})

suite('the configuration of Argo CD with them', (test) => {
  test('there is a component to read', () => assert.ok(ROOT !== ''))
  if (!['argocd', 'kustomize'].every(has)) return
  for (const [kind, cases] of Object.entries(CASES)) {
    test(`Argo CD itself finds the check of ${kind}`, () =>
      inFolder((folder) => {
        const [, object, status, message] = cases[cases.length - 2] as Case
        writeFileSync(join(folder, 'object.yaml'), stringify(object))
        writeFileSync(join(folder, 'argocd-cm.yaml'), stringify(argocdConfig(folder)))
        const files = [join(folder, 'object.yaml'), '--argocd-cm-path', join(folder, 'argocd-cm.yaml')]
        const said = run('argocd', ['admin', 'settings', 'resource-overrides', 'health', ...files], { cwd: folder })
        assert.match(said.stdout, new RegExp(`STATUS: ${status}\\s+MESSAGE: ${message}`), said.stderr)
      }))
  }
})
