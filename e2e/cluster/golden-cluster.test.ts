/** Every golden package, applied to a real API server: taken without a warning, read back as it was written, and no change when applied again. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { filesOf, ROOT } from '../support/hosts.ts'
import { korderCrd } from '../support/korder-crd.ts'
import { asList, does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { appliedOf } from '../support/samples.ts'
import { notAsWritten } from '../support/stored.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const AREAS = ['golden', 'kubescape', 'reservation']
const SETTLED_MILLISECONDS = 60_000
const OWNER = 'nodefit.dev/owner'
const packages = AREAS.flatMap((area) =>
  readdirSync(join(ROOT, 'testdata', area)).flatMap((name) => renderedIn(`${area}/${name}`)),
)
const isOfKorder = ({ apiVersion }: Any) => apiVersion.startsWith('core.korder.dev/')
const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('every golden package on a real API server', (test) => {
  test('there are packages, with Orders and Tickets in both dialects', () => {
    assert.ok(packages.length > 70, String(packages.length))
    assert.ok(ours(packages).length > 300, String(ours(packages).length))
    for (const dialect of ['duration', 'window'] as const) assert.ok(ofDialect(dialect).length >= 1, dialect)
  })
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  const apply = (objects: readonly Any[]): Any[] => {
    const args = ['apply', '--server-side', '--validate=strict', '-o', 'json', '-f', '-']
    const applied = kubectl(args, asList(objects))
    const printed = does(applied)
    assert.is(applied.stderr, '', 'no warning')
    return JSON.parse(printed).items
  }
  const agrees = async (objects: readonly Any[]) => {
    const stored = apply(objects)
    assert.is(stored.length, objects.length)
    // what somebody else wrote is for them to spell
    for (const [index, object] of objects.entries())
      if (isOurs(object))
        assert.equal(notAsWritten(object, stored[index]), [], `${object.metadata.namespace}/${object.metadata.name}`)
    const before = await versions()
    apply(objects)
    assert.equal(await versions(), before)
  }
  /** The version of every object that is not the server's own, once the DaemonSet controller has looked at all. */
  const versions = async (): Promise<Record<string, string>> => {
    const kinds = kubectl(['get', 'crd', '-o', 'name']).stdout.includes('tickets') ? ',orders,tickets' : ''
    for (const until = Date.now() + SETTLED_MILLISECONDS; ; await pause(500)) {
      const all = does(kubectl(['get', `daemonsets,configmaps,limitranges${kinds}`, '-A', '-o', 'json']))
      const items: Any[] = JSON.parse(all).items
      const isSeen = ({ kind, metadata, status }: Any) =>
        kind !== 'DaemonSet' || status.observedGeneration === metadata.generation
      if (items.every(isSeen))
        return Object.fromEntries(
          items.map(({ kind, metadata }) => [
            `${kind} ${metadata.namespace}/${metadata.name}`,
            metadata.resourceVersion,
          ]),
        )
      if (Date.now() > until) throw new Error('the DaemonSets were not all seen')
    }
  }

  test('DaemonSets, and what stands beside them', async () => {
    does(kubectl(['create', '-f', '-'], asList(packages.map(({ namespace }) => namespaceOf(namespace)))))
    await agrees(packages.flatMap(({ objects }) => objects.filter((object) => !isOfKorder(object))))
  })
  for (const dialect of ['duration', 'window'] as const) {
    test(`Orders and Tickets in the dialect of ${dialect}`, async () => {
      does(kubectl(['apply', '-f', '-'], asList([korderCrd('Order', dialect), korderCrd('Ticket', dialect)])))
      const names = ['crd/orders.core.korder.dev', 'crd/tickets.core.korder.dev']
      await established(kubectl)
      await agrees(ofDialect(dialect).flatMap(({ objects }) => objects.filter(isOfKorder)))
      does(kubectl(['delete', ...names]))
    })
  }
  test('what was started is stopped', async () => {
    await stop()
    assert.not(existsSync(cluster.folder))
  })
})

interface Package {
  readonly namespace: string
  readonly objects: readonly Any[]
}

/** What each step of a golden package leaves to be applied, each folder in a namespace of its own; steps that fail leave nothing new. */
function renderedIn(name: string): Package[] {
  const golden = join(ROOT, 'testdata', name)
  return readdirSync(golden).flatMap((folder) => {
    const [, step = ''] = /^expected-(\d+)$/.exec(folder) ?? []
    if (step === '' || /^error /m.test(readFileSync(join(golden, `results-${step}.txt`), 'utf8'))) return []
    const files = Object.entries(filesOf(join(golden, folder)))
    return [...new Set(files.map(([path]) => dirname(path)))].map((inside) => {
      const namespace = `${name}-${step}-${inside}`.replaceAll(/[^a-z0-9-]+/g, '-').replace(/-+$/, '')
      const own = Object.fromEntries(files.filter(([path]) => dirname(path) === inside))
      const objects = appliedOf(own)
        // of korder's Quota and Karpenter's NodePool there is no definition here
        .filter(({ kind }) => kind !== 'Quota' && kind !== 'NodePool')
        .map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }))
      return { namespace, objects }
    })
  })
}

function ofDialect(dialect: 'duration' | 'window'): Package[] {
  const isIn = ({ kind, spec }: Any) => (kind === 'Order' ? spec.template.spec : spec)[dialect] !== undefined
  return packages.filter(({ objects }) => objects.some((object) => isOfKorder(object) && isIn(object)))
}

function ours(all: readonly Package[]): Any[] {
  return all.flatMap(({ objects }) => objects).filter(isOurs)
}

function isOurs({ metadata }: Any): boolean {
  return OWNER in (metadata.annotations ?? {})
}

function namespaceOf(name: string): Any {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}
