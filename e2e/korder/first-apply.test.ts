/** The first apply of a rendered package by each tool that the page names, beside korder's controllers: no reservation is doubled. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { NOON, nodes, nodesAt, order } from '../../test/support/orders.ts'
import { suite } from '../../test/support/suite.ts'
import { Applications, hasEnded } from '../support/applications.ts'
import { ARGOCD, startArgocd } from '../support/argocd.ts'
import { established } from '../support/established.ts'
import { FLUX, fluxDefinitions, kustomizationDefinition, startFlux } from '../support/flux.ts'
import { COMMAND, functionsIn, ROOT, run } from '../support/hosts.ts'
import { hasKorder, startKorder } from '../support/korder.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { Repository } from '../support/repository.ts'
import { Servers } from '../support/servers.ts'

const korder = hasKorder() ? await startKorder('a', 'b') : undefined
const KPTFILE = readFileSync(join(ROOT, 'testdata/reservation/system-overhead/package/Kptfile'), 'utf8')

suite('the first apply beside korder’s controllers', (test) => {
  if (korder === undefined) return
  const { cluster, kubectl, tickets, settled } = korder
  const work = join(cluster.folder, 'first-apply')
  const at = (path: string) => join(work, path)
  /** A package as a user has it, before anything was rendered. */
  const write = (folder: string) => {
    mkdirSync(at(folder), { recursive: true })
    writeFileSync(join(at(folder), 'Kptfile'), KPTFILE)
    writeFileSync(join(at(folder), 'order.yaml'), stringify(order({}, {}, { namespace: 'infra' })))
    writeFileSync(join(at(folder), 'inventory.yaml'), stringify(nodesAt(NOON, nodes('a', 'b'))))
  }
  const build = (folder: string, out: string) =>
    does(run(process.execPath, [COMMAND, 'build', at(folder), '--output-dir', at(out)], { cwd: work }))
  const ONE_EACH = [/^infra-a-[0-9a-f]{10}$/, /^infra-b-[0-9a-f]{10}$/]
  const clear = () => kubectl('delete', 'tickets', '--all', '-n', 'infra')
  /** After korder has worked off all of it there is one Ticket on each node, and no Order. */
  const reservedOnce = async () => {
    await settled()
    const names = tickets().map(({ metadata }) => metadata.name)
    assert.is(names.length, 2, names.join())
    for (const [index, name] of names.sort().entries()) assert.match(name, ONE_EACH[index] ?? '')
    assert.is(kubectl('get', 'orders', '-n', 'infra', '-o', 'name'), '')
  }

  test('nodefit build --output-dir, applied by kubectl', async () => {
    write('package')
    build('package', 'out')
    does(cluster.kubectl(['apply', '-k', at('out')]))
    await reservedOnce()
    clear()
  })
  if (['kpt'].every(has))
    test('kpt live apply', async () => {
      write('live')
      const bin = functionsIn(work)
      const kpt = (...args: string[]) => does(run('kpt', args, { bin, cwd: work }))
      const live = (...args: string[]) => kpt('live', ...args, '--kubeconfig', join(cluster.folder, 'kubeconfig'))
      kpt('fn', 'render', '--allow-exec', '--truncate-output=false', at('live'))
      live('install-resource-group')
      live('init', at('live'), '--namespace', 'infra')
      live('apply', at('live'), '--reconcile-timeout=1m')
      await reservedOnce()
      clear()
    })
  if (FLUX.every(has))
    test('Flux', async () => {
      const definitions = [kustomizationDefinition(), ...fluxDefinitions().map((one) => stringify(one))].join('\n---\n')
      does(cluster.kubectl(['apply', '--server-side', '-f', '-'], definitions))
      await established(cluster.kubectl)
      kubectl('create', 'namespace', 'flux-system')
      does(cluster.kubectl(['apply', '-f', '-'], readFileSync(join(ROOT, 'deploy/flux/agents.yaml'), 'utf8')))
      const flux = await startFlux(cluster)
      try {
        build('package', 'flux/rendered')
        const { ready, message } = await flux.publish(at('flux'))
        assert.is(ready, 'True', message)
      } finally {
        await flux.stop()
      }
      await reservedOnce()
      clear()
    })
  if (ARGOCD.every(has))
    test('Argo CD, by its plugin and by a kustomization', async () => {
      const servers = new Servers(cluster.folder)
      try {
        await startArgocd(cluster, servers)
        const applications = new Applications(cluster)
        const repository = new Repository(cluster.folder)
        write('package')
        build('package', 'argocd')
        cpSync(at('package'), repository.at('plugin'), { recursive: true })
        cpSync(at('argocd'), repository.at('kustomization'), { recursive: true })
        const revision = repository.push('Reserve')
        const destination = { server: 'https://kubernetes.default.svc', namespace: 'infra' }
        for (const path of ['plugin', 'kustomization']) {
          applications.create(path, repository, path, ({ source: { plugin, ...source }, ...spec }) => ({
            ...spec,
            destination: { ...spec.destination, ...destination },
            source: path === 'plugin' ? { ...source, plugin } : source,
          }))
          // guardian pods do not run here, so that it does not become healthy
          await applications.refreshedUntil(
            path,
            'sync',
            ({ status }) => status?.sync?.revision === revision && hasEnded(status.operationState),
          )
          await reservedOnce()
          kubectl('delete', 'application', path, '-n', 'argocd')
          clear()
        }
        applications.api.close()
      } finally {
        await servers.stop()
      }
    })
  test('what was started is stopped', korder.stop)
})
