/** Beside KubeNodeSmith on a real API server: its definitions take what is rendered, and deploy/kubenodesmith takes the rights it says. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { claimsIn, decide, type Scene } from '../../test/support/pools.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { filesOf, inFolder, ROOT } from '../support/hosts.ts'
import { KUBENODESMITH_CRDS } from '../support/kubenodesmith-crd.ts'
import { asList, does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { appliedOf } from '../support/samples.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const GROUP = 'kubenodesmith.parawell.cloud'
const GOLDEN = join(ROOT, 'testdata/pools/small')
const DEPLOY = join(ROOT, 'deploy/kubenodesmith')
const NAMESPACE = 'kubenodesmith'
const MANAGER = 'system:serviceaccount:kubenodesmith-system:kubenodesmith-controller-manager'
const ROLE = objectsOf(readFileSync(join(DEPLOY, 'rights/role.yaml'), 'utf8'))[0]
const CLAIM_VERBS = ['get', 'list', 'patch', 'update', 'watch']

const claim = (spec: object): Any => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'NodeSmithClaim',
  metadata: { name: 'tried', namespace: NAMESPACE },
  spec,
})
const requirements = { cpuCores: 4, memoryMiB: 8192 }
/** What the definitions take, and what they refuse, with the words. */
const TRIED: ReadonlyArray<readonly [name: string, spec: object, refusal?: RegExp]> = [
  ['a pool alone', { poolRef: 'small' }],
  ['requirements', { poolRef: 'small', requirements }],
  ['a duration that no Go program reads', { poolRef: 'small', terminationGracePeriod: '1d' }],
  ['no pool', { requirements }, /poolRef/],
  ['an empty pool', { poolRef: '' }, /spec.poolRef/],
  ['no cores', { poolRef: 'small', requirements: { ...requirements, cpuCores: 0 } }, /spec.requirements.cpuCores/],
  ['cores as text', { poolRef: 'small', requirements: { ...requirements, cpuCores: '4' } }, /integer/],
  ['a number of seconds', { poolRef: 'small', terminationGracePeriod: 600 }, /string/],
  ['an unknown field', { poolRef: 'small', machine: 'large' }, /machine/],
]

const SCENES: Readonly<Record<string, Scene>> = {
  'a machine as its pool has it': { pods: [{ name: 'a' }] },
  'one that is enlarged to a pod': { pools: [{ policy: { sizing: 'Elastic' } }], pods: [{ name: 'a', cpu: '6500m' }] },
  'several sizes, without a time to drain': {
    pools: [{ policy: { machines: [requirements, { cpuCores: 16, memoryMiB: 32_768 }] } }],
    pods: [{ name: 'a' }, { name: 'b', cpu: '12' }],
  },
  'a time to drain in two units': {
    pools: [{ policy: { scaleDown: { drainTimeout: '1h30m' } }, limits: { minNodes: 2 } }],
  },
}

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('beside KubeNodeSmith on a real API server', (test) => {
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  const apply = (objects: readonly Any[], ...more: string[]) =>
    kubectl(['apply', '--server-side', '--validate=strict', '-o', 'json', ...more, '-f', '-'], asList(objects))
  test('its definitions are there', async () => {
    does(kubectl(['create', '-f', '-'], asList(KUBENODESMITH_CRDS)))
    await established(kubectl)
    for (const name of [NAMESPACE, 'kubenodesmith-system']) does(kubectl(['create', 'namespace', name]))
  })
  for (const [name, spec, refusal] of TRIED)
    test(`a claim with ${name} is ${refusal === undefined ? 'taken' : 'refused'}`, () => {
      const { status, stderr } = kubectl(
        ['create', '--validate=strict', '--dry-run=server', '-f', '-'],
        asList([claim(spec)]),
      )
      assert.is(status === 0, refusal === undefined, stderr)
      if (refusal !== undefined) assert.match(stderr, refusal)
    })
  for (const [name, scene] of Object.entries(SCENES))
    test(`a rendered claim is taken: ${name}`, () => {
      const claims = claimsIn(decide(scene))
      assert.ok(claims.length > 0)
      const { stderr, stdout, status } = apply(claims, '--dry-run=server')
      assert.is(status, 0, stderr)
      assert.is(stderr, '', 'no warning')
      const specs = JSON.parse(stdout).items ?? [JSON.parse(stdout)]
      assert.equal(
        specs.map(({ spec }: Any) => spec),
        claims.map(({ spec }) => spec),
      )
    })
  test('what nodefit convert prints is taken as it is', () => {
    const converted = objectsOf(readFileSync(join(ROOT, 'testdata/kubenodesmith/converted.yaml'), 'utf8'))
    const applied = converted.filter(({ kind }) => kind !== 'PoolPolicy')
    assert.is(applied.length, 2)
    const made = apply(applied, '--dry-run=server')
    assert.is(made.stderr, '')
    const specs = JSON.parse(does(made)).items.map(({ spec }: Any) => spec)
    const [provider, pool] = applied
    assert.equal(specs[0], provider?.spec)
    assert.equal(specs[1], { poolLabelKey: 'topology.kubenodesmith.io/pool', ...pool?.spec })
  })
  test('each step of the golden package is taken without a warning, and changes nothing when applied again', () => {
    const steps = readdirSync(GOLDEN).filter((name) => name.startsWith('expected-'))
    assert.ok(steps.length > 3)
    for (const step of steps.sort()) {
      // partial Nodes are of machines that are not here
      const objects = appliedOf(filesOf(join(GOLDEN, step))).filter(({ kind }) => kind !== 'Node')
      assert.ok(objects.some(({ kind }) => kind === 'NodeSmithClaim'))
      const [first, again] = [apply(objects), apply(objects)]
      assert.is(first.stderr, '', step)
      const versions = (one: typeof first) =>
        JSON.parse(does(one)).items.map(({ metadata }: Any) => metadata.generation)
      assert.equal(versions(again), versions(first))
    }
  })

  const canI = (...args: string[]) => kubectl(['auth', 'can-i', ...args, `--as=${MANAGER}`])
  const CLAIMS = `nodesmithclaims.${GROUP}`
  test('the manager of KubeNodeSmith keeps claims, and opens and removes none', () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE.metadata.name }
    const [, , namespace, name] = MANAGER.split(':')
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'kubenodesmith-manager-rolebinding' },
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    }
    does(apply([original(), binding]))
    assert.match(canI('create', CLAIMS).stdout, /^yes/)
    assert.match(canI('delete', CLAIMS).stdout, /^yes/)
    does(apply([ROLE], '--force-conflicts'))
    for (const verb of ['create', 'delete', 'deletecollection']) assert.match(canI(verb, CLAIMS).stdout, /^no/)
    for (const verb of CLAIM_VERBS) assert.match(canI(verb, CLAIMS).stdout, /^yes/)
    for (const verb of ['get', 'patch', 'update'])
      assert.match(canI(verb, CLAIMS, '--subresource=status').stdout, /^yes/)
    assert.match(canI('update', CLAIMS, '--subresource=finalizers').stdout, /^yes/)
  })
  test('it may do what the role says, and no more', () => {
    const base = rights(does(kubectl(['auth', 'can-i', '--list', '--as=system:serviceaccount:default:nobody'])))
    const listed = rights(does(canI('--list')))
    const want = ROLE.rules.flatMap(({ apiGroups, resources, verbs }: Any) =>
      apiGroups.flatMap((group: string) =>
        resources.map((resource: string) => `${qualified(resource, group)} ${[...verbs].sort().join()}`),
      ),
    )
    assert.equal(listed.filter((one) => !base.includes(one)).sort(), want.sort())
  })
  test('kustomize brings both recipes about', () =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'kubenodesmith'))
      for (const [file, written] of Object.entries(filesOf(DEPLOY))) {
        mkdirSync(join(folder, 'kubenodesmith', file, '..'), { recursive: true })
        writeFileSync(join(folder, 'kubenodesmith', file), written)
      }
      const pool = readFileSync(join(ROOT, 'testdata/pages/pool.yaml'), 'utf8')
      writeFileSync(join(folder, 'pool.yaml'), pool)
      writeFileSync(join(folder, 'role.yaml'), JSON.stringify(original()))
      const components = ['kubenodesmith/rights', 'kubenodesmith/frozen']
      writeFileSync(
        join(folder, 'kustomization.yaml'),
        stringify({ kind: 'Kustomization', resources: ['pool.yaml', 'role.yaml'], components }),
      )
      const built = objectsOf(does(kubectl(['kustomize', folder])))
      const of = (kind: string) => built.find((one) => one.kind === kind)
      assert.equal(of('ClusterRole').rules, ROLE.rules)
      const frozen = of('NodeSmithPool')
      assert.equal(frozen.spec.limits, { minNodes: 1000, maxNodes: 1000, cpuCores: 1, memoryMiB: 1 })
      does(apply([frozen], '--force-conflicts', '--dry-run=server'))
    }))
  test('what was started is stopped', stop)
})

/** The role as KubeNodeSmith ships it. */
function original(): Any {
  const isOfClaims = ({ resources }: Any) => resources.includes('nodesmithclaims')
  const verbs = [...CLAIM_VERBS, 'create', 'delete']
  return { ...ROLE, rules: ROLE.rules.map((rule: Any) => (isOfClaims(rule) ? { ...rule, verbs } : rule)) }
}

const qualified = (resource: string, group: string) => {
  const [name, sub] = resource.split('/')
  return `${name}${group === '' ? '' : `.${group}`}${sub === undefined ? '' : `/${sub}`}`
}

/** The rows of `kubectl auth can-i --list` about resources: each with its verbs. */
function rights(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, resource, verbs = ''] = /^(\S+)\s.*\[([^\]]*)\]\s*$/.exec(line) ?? []
    return resource === undefined ? [] : [`${resource} ${verbs.split(' ').sort().join()}`]
  })
}
