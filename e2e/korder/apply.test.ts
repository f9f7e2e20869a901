/**
 * What korder's controllers make of a rendered package that is applied as it lies there, and of Orders that were live before. Facts that
 * docs/adr/0008-reservations.md decides by are cases here.
 */
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, listOf } from '../../test/support/objects.ts'
import { NOON, nodes, nodesAt, order } from '../../test/support/orders.ts'
import { suite } from '../../test/support/suite.ts'
import { hasKorder, startKorder } from '../support/korder.ts'

const korder = hasKorder() ? await startKorder('a', 'b') : undefined
const fleet = nodesAt(NOON, nodes('a', 'b'))
const ofUser = order({}, {}, { namespace: 'infra' })
const LABELLED = config({ korder: { orderLabel: true } })
/** What kubectl finds in the folder: all but what only a kpt package has. */
const isKorders = ({ apiVersion }: KubernetesObject) => apiVersion.startsWith('core.korder.dev/')
const rendered = (...more: KubernetesObject[]) =>
  plan(listOf([fleet, ofUser, ...more]))
    .items.map(({ object }) => object)
    .filter(isKorders)
const ofKind = (kind: string, objects: readonly KubernetesObject[]) => objects.filter((one) => one.kind === kind)

suite('a rendered package beside korder’s controllers', (test) => {
  if (korder === undefined) return
  const { apply, tickets, kubectl, settled, cluster } = korder
  const names = () => tickets().map(({ metadata }) => metadata.name)
  const on = (name: string, body: () => Promise<void>) =>
    test(name, async () => {
      await body()
      kubectl('delete', 'orders,tickets', '--all', '-n', 'infra')
      await settled()
    })
  const namesIn = (objects: readonly KubernetesObject[]) =>
    ofKind('Ticket', objects)
      .map(({ metadata }) => metadata.name)
      .sort()

  on('fact: an Order in DaemonSet mode that is applied with its Tickets reserves a second time', async () => {
    apply([ofUser])
    await settled()
    apply(ofKind('Ticket', rendered()))
    await settled()
    assert.equal(names(), ['infra-0', 'infra-1', ...namesIn(rendered())])
  })
  on(
    'fact: paused and without daemonSet it reserves nothing, and takes all labelled Tickets along when it goes',
    async () => {
      const spec = { ...(ofUser.spec as object), daemonSet: false, paused: true }
      const labelled = ofKind('Ticket', rendered(LABELLED))
      apply([{ ...ofUser, spec }, ...labelled])
      await settled()
      assert.equal(names(), namesIn(labelled))
      kubectl('delete', 'order', 'infra', '-n', 'infra')
      await settled()
      assert.equal(names(), [])
    },
  )
  on('kubectl apply of the whole folder reserves once: the API server refuses the Order', async () => {
    const objects = rendered()
    const { status, stderr } = cluster.kubectl(['apply', '-f', '-'], objects.map((one) => stringify(one)).join('---\n'))
    await settled()
    assert.is(status, 1)
    assert.match(stderr, 'nodefit.dev/not-applied/rendered-objects-replace-it')
    assert.equal(names(), namesIn(objects))
    assert.is(kubectl('get', 'orders', '-n', 'infra', '-o', 'name'), '')
  })
  on('an Order that was live takes its own Tickets along when it is pruned, and no rendered one', async () => {
    apply([ofUser])
    await settled()
    const own = names()
    const first = ofKind('Ticket', rendered())
    apply(first)
    await settled()
    assert.equal(names(), [...own, ...namesIn(first)])
    kubectl('delete', 'order', 'infra', '-n', 'infra')
    await settled()
    assert.equal(names(), namesIn(first))
    // once it is gone the label is put back, in place
    apply(ofKind('Ticket', rendered(LABELLED)))
    assert.equal(names(), namesIn(first))
    assert.is(
      kubectl('get', 'tickets', '-n', 'infra', '-l', 'korder.dev/order=infra', '-o', 'name').split('\n').length,
      3,
    )
  })
  on(
    'fact: korder changes no Ticket of a plain Order, and deletes none for fewer replicas: one that is deleted and applied again has the new ones',
    async () => {
      const plain = (replicas: number, cpu: string) =>
        order({ daemonSet: false, replicas }, { resources: { requests: { cpu } } }, { namespace: 'infra' })
      const sizes = () =>
        tickets().map(({ spec }) => (spec as { resources: { requests: { cpu: string } } }).resources.requests.cpu)
      apply([plain(3, '96m')])
      await settled()
      apply([plain(2, '154m')])
      await settled()
      assert.equal(sizes(), ['96m', '96m', '96m'])
      // deleting the Tickets alone may stop korder for good: it names by count, and counts those that are still being deleted
      kubectl('delete', 'order', 'infra', '-n', 'infra')
      apply([plain(2, '154m')])
      await settled()
      assert.equal(sizes(), ['154m', '154m'])
    },
  )
  on(
    'what TicketDuplicated prints deletes the Tickets by hand, of the package and of the cluster, and no rendered one',
    async () => {
      const byHand = (name: string) => ({
        apiVersion: 'core.korder.dev/v1alpha1',
        kind: 'Ticket',
        metadata: { name, namespace: 'infra' },
        spec: { ...(ofKind('Ticket', rendered())[0]?.spec as object), duration: '1h' },
      })
      const inPackage = byHand('in-package')
      apply([...ofKind('Ticket', rendered()), inPackage, byHand('in-cluster')])
      await settled()
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
      const { findings } = plan(listOf([...korder.exported(now), ofUser, inPackage]))
      const { message = '' } = findings.find(({ code }) => code === 'TicketDuplicated') ?? {}
      const [, command = ''] = / run kubectl (.*?)\. Delete/.exec(message) ?? []
      assert.is(command, '-n infra delete ticket in-cluster in-package')
      kubectl(...command.split(' '))
      await settled()
      assert.equal(names(), namesIn(rendered()))
    },
  )
  test('what was started is stopped', korder.stop)
})
