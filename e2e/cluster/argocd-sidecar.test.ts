/**
 * deploy/argocd/sidecar.yaml on a real API server, by the commands of docs/deliver/argocd.md: Argo CD's own Deployment
 * loses nothing, however Argo CD is applied, before and after.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { goModule } from '../support/go-module.ts'
import { ROOT } from '../support/hosts.ts'
import { does, objectsOf } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const PAGE = readFileSync(join(ROOT, 'docs/deliver/argocd.md'), 'utf8')
const SIDECAR = join(ROOT, 'deploy/argocd/sidecar.yaml')
const NAMESPACE = 'argocd'
/** How people apply the manifests of Argo CD. */
const WAYS = { 'kubectl apply': [], 'kubectl apply --server-side': ['--server-side', '--force-conflicts'] }
const named = (objects: readonly Any[]) => objects.map(({ name }) => name)

suite('the sidecar as a patch', (test) => {
  const shipped: Any = parse(readFileSync(SIDECAR, 'utf8'))
  test('is the container of the component, without the ConfigMap that the image stands for', () => {
    const [container, ...others] = shipped.spec.template.spec.containers
    assert.equal(others, [])
    const [{ value }]: Any = parse(readFileSync(join(ROOT, 'deploy/argocd/repo-server.yaml'), 'utf8'))
    const volumeMounts = value.volumeMounts.filter(({ name }: Any) => name !== 'nodefit-plugin')
    assert.is(volumeMounts.length, value.volumeMounts.length - 1)
    assert.equal({ ...container, image: value.image }, { ...value, volumeMounts })
  })
  test('has no kind, so that kubectl apply refuses it', () => assert.equal(Object.keys(shipped), ['spec']))
  if (![...CONTROL_PLANE, 'go'].map(has).every((is) => is)) return
  const manifests = objectsOf(
    readFileSync(join(goModule('argocd', 'github.com/argoproj/argo-cd/v3'), 'manifests/install.yaml'), 'utf8'),
  ).filter(({ kind, metadata }) => kind === 'ConfigMap' || metadata.name === 'argocd-repo-server')
  const [put, remove] = [...PAGE.matchAll(/^kubectl -n argocd patch deployment argocd-repo-server (.*)$/gm)].map(
    ([, rest = '']) => rest,
  ) as [string, string]
  /** The arguments of a command line of the page; of a JSON in quotes without them. */
  const args = (rest: string) => {
    const [, flag = '', value = ''] = /^(\S+) '?(.*?)'?$/.exec(rest) ?? []
    return [flag, flag === '--patch-file' ? join(ROOT, value) : value]
  }
  for (const [way, options] of Object.entries(WAYS))
    test(`on an Argo CD of ${way} it adds to the repo server, and to nothing else`, async () => {
      const cluster = await startCluster()
      try {
        const kubectl = (...words: string[]) => does(cluster.kubectl(['-n', NAMESPACE, ...words]))
        const read = (): Any => JSON.parse(kubectl('get', 'deployment', 'argocd-repo-server', '-o', 'json'))
        const others = () =>
          JSON.parse(kubectl('get', 'configmap,service,serviceaccount,networkpolicy', '-o', 'json')).items
        const install = () => {
          const text = manifests.map((object) => stringify(object)).join('---\n')
          does(cluster.kubectl(['-n', NAMESPACE, 'apply', ...options, '-f', '-'], text))
        }
        const patch = (rest: string) => kubectl('patch', 'deployment', 'argocd-repo-server', ...args(rest))
        does(cluster.kubectl(['create', 'namespace', NAMESPACE]))
        install()
        // what a user has set since, by hand
        kubectl('set', 'env', 'deployment/argocd-repo-server', 'MINE=1')
        kubectl('patch', 'configmap', 'argocd-cm', '--patch', '{"data":{"url":"https://cd.example.com"}}')
        const mine = { spec: { template: { spec: { containers: [{ name: 'mine', image: 'mine:1' }] } } } }
        kubectl('patch', 'deployment', 'argocd-repo-server', '--patch', JSON.stringify(mine))
        const [before, around] = [read(), others()]
        assert.ok(manifests.length >= 8 && around.length >= 8)

        patch(put)
        const after = read()
        const { containers, volumes, ...pod } = after.spec.template.spec
        assert.is(named(containers).indexOf('argocd-repo-server') < named(containers).indexOf('nodefit'), true)
        assert.equal(named(containers).sort(), ['argocd-repo-server', 'mine', 'nodefit'])
        const theirs = (all: readonly Any[]) => all.filter(({ name }) => !/^nodefit/.test(name))
        assert.equal(
          {
            ...after.spec,
            template: {
              ...after.spec.template,
              spec: { ...pod, volumes: theirs(volumes), containers: theirs(containers) },
            },
          },
          before.spec,
        )
        assert.equal(others(), around)

        assert.match(patch(put), 'no change')
        install()
        assert.equal(read().spec, after.spec, 'an apply of Argo CD leaves it')
        assert.equal(others(), around)
        patch(remove)
        assert.equal(read().spec, before.spec)
      } finally {
        await cluster.stop()
      }
    })
})
