/** What deploy/argocd adds to an Argo CD, as kustomize builds it: the sidecar, the plugin and the Application fit each other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { argocdParameters } from '../../src/host/cli/argocd.ts'
import { suite } from '../../test/support/suite.ts'
import { withComponent } from '../support/argocd-config.ts'
import { inFolder, ROOT } from '../support/hosts.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const shipped = (file: string): Any => parse(readFileSync(join(ROOT, 'deploy/argocd', file), 'utf8'))
const plugin = shipped('plugin.yaml')

suite('the plugin of Argo CD', (test) => {
  test('the Application names it, and nothing lets Argo CD delete everything', () => {
    const { source, syncPolicy } = shipped('application.yaml').spec
    const { name } = plugin.metadata
    assert.is(source.plugin.name, plugin.spec.version === undefined ? name : `${name}-${plugin.spec.version}`)
    assert.is(syncPolicy.automated.allowEmpty, false)
    assert.equal(syncPolicy.syncOptions, ['PruneLast=true'])
  })
  test('each parameter that is announced is known, and its default is what counts without it', () => {
    const announced: Any[] = plugin.spec.parameters.static
    const given = announced
      .map(({ name, string, array, map }) => ({ name, string, array, map }))
      .filter(({ string, array, map }) => (string ?? array ?? map) !== undefined)
    assert.equal(argocdParameters(JSON.stringify(given)), argocdParameters(undefined))
    assert.equal(announced.map(({ name }) => name).sort(), ['cluster', 'earlier', 'paths', 'policies', 'set'])
  })
  test('the Application gives parameters that it knows, and the paths of what it reads', () => {
    const { metadata, spec } = shipped('application.yaml')
    const { cluster, policies } = argocdParameters(JSON.stringify(spec.source.plugin.parameters))
    assert.is(cluster, 'prod-eu')
    assert.equal(policies, ['fluent-bit'])
    assert.is(metadata.annotations['argocd.argoproj.io/manifest-generate-paths'], '.;/inventories/prod-eu')
  })
  test('it discovers nothing: Argo CD asks it about no Application that does not name it', () =>
    assert.is(plugin.spec.discover, undefined))
})

suite('the values of Argo’s own chart', (test) => {
  const { configs, repoServer } = shipped('values.yaml')
  const [map, deployment] = parseAllDocuments(readFileSync(join(ROOT, 'testdata/argocd/chart.yaml'), 'utf8')).map(
    (document) => document.toJS(),
  ) as Any[]
  const pod = deployment.spec.template.spec
  test('give the same plugin, as the ConfigMap that the chart writes', () => {
    assert.is(configs.cmp.create, true)
    assert.equal(configs.cmp.plugins, { [plugin.metadata.name]: plugin.spec })
    assert.equal(parse(map.data['nodefit.yaml']), plugin)
  })
  test('give the same sidecar, last in the pod', () => {
    const [container, ...others] = repoServer.extraContainers
    assert.equal(others, [])
    const value: Any = shipped('repo-server.yaml')[0].value
    const fromChart = value.volumeMounts.map((mount: Any) =>
      mount.subPath === undefined ? mount : { ...mount, subPath: 'nodefit.yaml' },
    )
    assert.equal(container, { ...value, image: 'registry.example.com/nodefit:0.1.0', volumeMounts: fromChart })
    assert.equal(pod.containers, [{ name: 'repo-server' }, container])
  })
  test('mount volumes that the chart has, and two of their own', () => {
    const given = pod.volumes.map(({ name }: Any) => name)
    for (const { name } of pod.containers.at(-1).volumeMounts) assert.ok(given.includes(name), name)
    assert.equal(
      pod.volumes.filter(({ name }: Any) => name.startsWith('nodefit')),
      repoServer.volumes,
    )
    assert.is(repoServer.volumes[0].configMap.name, map.metadata.name)
  })
})

suite('the sidecar of the repo server', (test) => {
  test('there is a patch to read', () => assert.is(shipped('repo-server.yaml')[0].op, 'add'))
  if (!has('kustomize')) return
  const objects = inFolder(withComponent)
  const { containers, volumes } = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec as Any
  const sidecar: Any = containers.find(({ name }: Any) => name === 'nodefit')
  const mounts: Any[] = sidecar.volumeMounts
  test('runs the plugin server of Argo CD beside the repo server, which stays', () => {
    // kubectl logs and exec mean the first
    assert.equal(
      containers.map(({ name }: Any) => name),
      ['argocd-repo-server', 'nodefit'],
    )
    assert.equal(sidecar.command, ['/var/run/argocd/argocd-cmp-server'])
    assert.is(sidecar.image, 'registry.example.com/nodefit:0.1.0')
  })
  test('is not root, cannot become it, and writes nowhere but in two volumes', () => {
    const { securityContext } = sidecar
    assert.is(securityContext.runAsNonRoot, true)
    assert.is(securityContext.runAsUser, 999)
    assert.is(securityContext.readOnlyRootFilesystem, true)
    assert.is(securityContext.allowPrivilegeEscalation, false)
    assert.equal(securityContext.capabilities, { drop: ['ALL'] })
    assert.equal(securityContext.seccompProfile, { type: 'RuntimeDefault' })
    const writable = mounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath)
    assert.equal(writable.sort(), ['/home/argocd/cmp-server/plugins', '/tmp'])
  })
  test('has a /tmp of its own, and none of the repo server’s secrets', () => {
    const names = mounts.map(({ name }) => name)
    assert.not(names.includes('tmp'))
    assert.equal(
      volumes.filter(({ name, secret }: Any) => secret !== undefined && names.includes(name)),
      [],
    )
    assert.is(sidecar.env, undefined)
    assert.is(sidecar.envFrom, undefined)
  })
  test('reads the plugin from a ConfigMap whose name tells its content', () => {
    const { name } = mounts.find(({ mountPath }) => mountPath === '/home/argocd/cmp-server/config/plugin.yaml')
    const config = volumes.find((volume: Any) => volume.name === name).configMap.name
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === config)
    assert.match(config, /^nodefit-plugin-\w+$/)
    assert.equal(parse(map.data['plugin.yaml']), plugin)
  })
  test('argocd-cm keeps what it has, and gains the health checks', () => {
    const { data } = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'argocd-cm')
    assert.equal(Object.keys(data).sort(), [
      'application.resourceTrackingMethod',
      'resource.customizations.health.core.korder.dev_Order',
      'resource.customizations.health.core.korder.dev_Ticket',
      'resource.customizations.health.kubenodesmith.parawell.cloud_NodeSmithClaim',
    ])
  })
})
