/** From a new node to its agent: Flux applies what `nodefit sync` pushes. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { Controller } from '../support/controller.ts'
import { established } from '../support/established.ts'
import { eventually } from '../support/eventually.ts'
import { FLUX, fluxDefinitions, kustomizationDefinition, startFlux } from '../support/flux.ts'
import { FluxFollower } from '../support/flux-follower.ts'
import { Followed } from '../support/followed.ts'
import { FIRST, MIN_PUSH_INTERVAL, OUTPUT, SERVED } from '../support/following.ts'
import { ROOT } from '../support/hosts.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { has } from '../support/program.ts'
import { Repository } from '../support/repository.ts'

await onLoopbackOnly()

/** How long a type of node is to be gone before its group goes. */
const RETAINED_SECONDS = 10

const hasFlux = [...CONTROL_PLANE, ...FLUX, 'git'].map(has).every((is) => is)
const fluxCluster = hasFlux ? await startCluster() : undefined

suite('Flux follows nodefit sync', (test) => {
  test('what it needs is built, or said', () => assert.ok(hasFlux || fluxCluster === undefined))
  if (fluxCluster === undefined) return
  const { folder, kubectl } = fluxCluster
  const repository = new Repository(folder)
  const followed = new Followed(fluxCluster, repository, 'fluent-bit')
  const { api } = followed
  const controller = new Controller(fluxCluster, repository, 'sync')
  let flux: Awaited<ReturnType<typeof startFlux>>
  let follower: FluxFollower
  const does = (args: readonly string[], input?: string) => {
    const { status, stderr } = kubectl(args, input)
    assert.is(status, 0, stderr)
  }
  const applied = async () => {
    const { ready, message } = await follower.newest()
    assert.is(ready, 'True', message)
  }
  /** Has Flux look at another commit that changes nothing of ours, so that it applies and prunes whatever there is. */
  const appliedAnew = async (what: string) => {
    repository.pull()
    repository.write('README.md', what)
    repository.push(what)
    await applied()
  }

  test('the first commit brings an agent to each node', async () => {
    const kinds = [kustomizationDefinition(), ...fluxDefinitions().map((one) => stringify(one))].join('\n---\n')
    does(['apply', '--server-side', '-f', '-'], kinds)
    await established(kubectl)
    for (const name of ['flux-system', 'logging']) does(['create', 'namespace', name])
    const shipped = readFileSync(join(ROOT, 'deploy/flux/agents.yaml'), 'utf8')
    does(['apply', '-f', '-'], shipped.replace('path: ./rendered', `path: ./${OUTPUT}`))
    flux = await startFlux(fluxCluster)
    followed.copyPackage('agents')
    const retained = `  retainGroups: ${RETAINED_SECONDS}s\n`
    repository.edit('agents/policy.yaml', (text) => `${text.trimEnd()}\n${retained}`)
    repository.push('the agents')
    for (const [name, type] of FIRST) await followed.add(name, type)
    controller.configure({
      mode: 'rendered',
      packages: ['agents'],
      output: OUTPUT,
      retainShapes: `${RETAINED_SECONDS}s`,
      git: { folder: 'clusters/prod/nodes' },
    })
    await controller.pushes(OUTPUT, () => controller.start())
    follower = new FluxFollower(repository, flux, join(folder, 'commits'))
    await applied()
    assert.equal(await followed.names(), followed.groups('m5.large', 'm5.4xlarge'))
    await followed.served(SERVED)
  })
  test('a new type of node gets a DaemonSet of its own, and a pod of it; what others have stays', async () => {
    const before = await followed.versions()
    await pause(MIN_PUSH_INTERVAL)
    const created = Date.now()
    const { time } = await controller.pushes('r5-xlarge', () => followed.add('node-6', 'r5.xlarge'))
    await eventually(async () => (await followed.names()).includes('fluent-bit-r5-xlarge'), 240)
    const there = Date.now()
    await followed.served({ 'node-6': 'r5-xlarge', 'node-1': 'm5-large', 'node-4': 'm5-4xlarge' })
    followed.say('Flux', {
      committed: Date.parse(String(time)) - created,
      applied: there - created,
      pod: Date.now() - created,
    })
    await applied()
    const after = await followed.versions()
    for (const group of followed.groups('m5.large', 'm5.4xlarge').filter((name) => !name.endsWith('remainder')))
      assert.is(after[group], before[group], group)
  })
  test('a render that fails prunes nothing, and the mended one is followed', async () => {
    const before = await followed.versions()
    await controller.says('the render fails', async () => {
      repository.pull()
      repository.edit('agents/policy.yaml', (text) => text.replace('requestCPU: 2', 'requestCPU: 200'))
      repository.push('a slip')
      await followed.add('node-7', 'c6g.xlarge')
    })
    await appliedAnew('while the render fails')
    assert.equal(await followed.versions(), before)
    await controller.pushes('c6g-xlarge', () => {
      repository.pull()
      repository.edit('agents/policy.yaml', (text) => text.replace('requestCPU: 200', 'requestCPU: 2'))
      repository.push('mended')
    })
    await applied()
    await followed.served({ 'node-7': 'c6g-xlarge' })
  })
  test('a type that is gone for longer than retainShapes and retainGroups is pruned, and no other', async () => {
    const before = await followed.names()
    const gone = Date.now()
    const { time } = await controller.says(
      'pushed',
      () => api.delete('/api/v1/nodes/node-7'),
      ({ removed }) => `${removed}`.includes('c6g-xlarge'),
    )
    assert.ok(Date.parse(String(time)) - gone >= RETAINED_SECONDS * 1000)
    await applied()
    assert.equal(
      await followed.names(),
      before.filter((name) => name !== 'fluent-bit-c6g-xlarge'),
    )
  })
  test('a guard that trips prunes nothing, and when the nodes are back there is nothing to do', async () => {
    await controller.says('the configuration changed', () => controller.configure({ retainShapes: '0s' }))
    const [before, commits] = [await followed.versions(), repository.revisions().length]
    const nodes = ['node-2', 'node-3', 'node-4', 'node-5', 'node-6']
    await controller.says('nothing is committed until', async () => {
      // at once, or what is gone after the first would be committed
      await Promise.all(nodes.map((name) => api.delete(`/api/v1/nodes/${name}`)))
    })
    await appliedAnew('while the guard holds')
    assert.equal(await followed.versions(), before)
    await controller.says('no change of what is rendered', async () => {
      const back = [...FIRST.slice(1), ['node-6', 'r5.xlarge'] as const]
      await Promise.all(back.map(([name, type]) => followed.add(name, type)))
    })
    await appliedAnew('when the nodes are back')
    assert.equal(await followed.versions(), before)
    assert.is(repository.revisions().length, commits + 2)
    await followed.served({ ...SERVED, 'node-6': 'r5-xlarge' })
  })
  test('what was started is stopped', async () => {
    const code = await controller.stop()
    await follower?.stop()
    await flux?.stop()
    api.close()
    await fluxCluster.stop()
    assert.is(code, 0)
    assert.not(existsSync(folder))
  })
})
