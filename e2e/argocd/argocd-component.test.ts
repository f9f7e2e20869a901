/** What deploy/argocd adds to an Argo CD, as kustomize builds it: the sidecar, the plugin and the Application fit each other. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { argocdParameters } from '../../src/cli/argocd.ts'
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
    const given = announced.map(({ name, string, array, map }) => ({ name, string, array, map }))
    assert.equal(argocdParameters(JSON.stringify(given)), argocdParameters(undefined))
    assert.equal(announced.map(({ name }) => name).sort(), ['earlier', 'paths', 'set'])
  })
  test('it discovers a folder with resources of nodefit, and none that is kustomize’s or Helm’s', () =>
    inFolder((folder) => {
      const app = join(folder, 'app')
      cpSync(join(ROOT, 'testdata/quickstart'), app, { recursive: true })
      const [program = '', ...args] = plugin.spec.discover.find.command as string[]
      const isFound = () => spawnSync(program, args, { cwd: app, encoding: 'utf8' }).stdout !== ''
      assert.ok(isFound())
      for (const file of ['kustomization.yaml', 'kustomization.yml', 'Kustomization', 'Chart.yaml']) {
        writeFileSync(join(app, file), '')
        assert.not(isFound(), file)
        rmSync(join(app, file))
      }
      for (const file of ['inventory.yaml', 'policy.yaml']) rmSync(join(app, file))
      assert.not(isFound(), 'a DaemonSet alone')
      mkdirSync(join(app, 'nodes'))
      writeFileSync(
        join(app, 'nodes/inventory.json'),
        '{ "apiVersion": "nodefit.dev/v1alpha1", "kind": "NodeInventory" }',
      )
      assert.ok(isFound(), 'JSON in a folder below')
    }))
})

suite('the sidecar of the repo server', (test) => {
  test('there is a patch to read', () => assert.is(shipped('repo-server.yaml').kind, 'Deployment'))
  if (!has('kustomize')) return
  const objects = inFolder(withComponent)
  const { containers, volumes } = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec as Any
  const sidecar: Any = containers.find(({ name }: Any) => name === 'nodefit')
  const mounts: Any[] = sidecar.volumeMounts
  test('runs the plugin server of Argo CD beside the repo server, which stays', () => {
    assert.equal(containers.map(({ name }: Any) => name).sort(), ['argocd-repo-server', 'nodefit'])
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
