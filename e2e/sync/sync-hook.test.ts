/** The webhook of `nodefit sync`, against a real API server and a Git repository: a push is rendered at once. */
import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { filesOf } from '../support/hosts.ts'
import { freePorts } from '../support/ports.ts'
import { has } from '../support/program.ts'
import { type Line, type SyncProcess, startSync } from '../support/sync-process.ts'
import { OUTPUT, syncWorld } from '../support/sync-world.ts'

const isHere = [...CONTROL_PLANE, 'git'].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined
const [port, first, second] = await freePorts(3)
const isPush = ({ message }: Line) => message.startsWith('pushed')
const isQuiet = ({ message }: Line) => message.startsWith('no change')

suite('the webhook of nodefit sync', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { repository, configure, add, pushAgents, args, at, get } = syncWorld(cluster, port)
  const secrets = at('hook')
  const write = (secret: string) => writeFileSync(join(secrets, 'token'), secret)
  const hook = (to: number | undefined) => ({ address: `127.0.0.1:${to}`, secret: secrets })
  const SECRET = 'a-secret-that-the-forge-has'
  const body = (after: string, ref = 'refs/heads/main') => JSON.stringify({ ref, before: '0', after, commits: [] })
  const hex = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex')
  const send = async (text: string, headers: Record<string, string>, to = first) =>
    (await fetch(`http://127.0.0.1:${to}/hook`, { method: 'POST', body: text, headers })).status
  const github = (text: string, secret = SECRET, to = first) =>
    send(text, { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${hex(text, secret)}` }, to)
  const counted = async (outcome: string) =>
    Number(
      new RegExp(`^nodefit_hooks_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec((await get('/metrics')).text)?.[1],
    )
  /** Changes the policy; gives the revision. */
  const change = (cpu: string) => {
    repository.pull()
    repository.edit('agents/policy.yaml', (text) => text.replace(/cpu: \d+m/, `cpu: ${cpu}`))
    return repository.push(`the least of ${cpu}`)
  }
  const isRendered = (cpu: string) => {
    repository.pull()
    return (filesOf(repository.at(OUTPUT))['daemonset.apps_logging_fluent-bit-default.yaml'] ?? '').includes(
      `cpu: ${cpu}`,
    )
  }

  let sync: SyncProcess
  test('a controller that would look at Git once an hour', async () => {
    mkdirSync(secrets)
    write(SECRET)
    pushAgents()
    await add('node-1', 'm5.large')
    await add('node-2', 'm5.4xlarge')
    configure({ reconcileInterval: '1h', hook: hook(first) })
    sync = startSync(args)
    await sync.said(isPush)
  })
  const isLook = (line: Line) => isPush(line) || isQuiet(line)
  /** How often it looks at Git while something is done and for a while after; `least` are waited for. */
  const looksAfter = async (act: () => Promise<unknown>, least = 0) => {
    const from = sync.lines().length
    const looks = () => sync.lines().slice(from).filter(isLook).length
    await act()
    await eventually(() => looks() >= least)
    await pause(7_000)
    return looks()
  }
  test('its own commit, another branch and a wrong signature fetch nothing', async () => {
    const [head = ''] = repository.revisions()
    const looks = await looksAfter(async () => {
      change('51m')
      assert.is(await github(body(head)), 200)
      assert.is(await github(body('f'.repeat(40), 'refs/heads/dev')), 200)
      assert.is(await github(body('f'.repeat(40)), 'not-the-secret-of-the-forge'), 401)
      assert.is(await send(body('f'.repeat(40)), {}), 401)
    })
    assert.is(looks, 0)
    assert.equal([await counted('known'), await counted('other-branch'), await counted('unauthorized')], [1, 1, 2])
    assert.not(isRendered('51m'))
  })
  for (const [forge, cpu, headers] of [
    ['GitHub', '52m', (text: string) => ({ 'x-hub-signature-256': `sha256=${hex(text, SECRET)}` })],
    ['GitLab', '53m', () => ({ 'x-gitlab-token': SECRET })],
    ['Gitea', '54m', (text: string) => ({ 'x-gitea-signature': hex(text, SECRET), 'x-gogs-signature': 'x' })],
  ] as const)
    test(`a policy that is pushed to ${forge} is rendered at once`, async () => {
      // minPushInterval
      await pause(10_000)
      const from = sync.lines().length
      const text = body(change(cpu))
      assert.is(await send(text, headers(text)), 202)
      await sync.said(isPush, from)
      assert.ok(isRendered(cpu))
    })
  test('a flood of valid webhooks is few fetches, and one of wrong ones none', async () => {
    /** The statuses, without connections that are closed since there are too many. */
    const flood = async (count: number, secret: string) => {
      const sent = Array.from({ length: count }, (_, index) => github(body(`${index}`), secret).catch(() => 0))
      return (await Promise.all(sent)).filter((status) => status > 0)
    }
    const before = await counted('limited')
    // minPushInterval
    await pause(10_000)
    const began = Date.now()
    const seconds = () => (Date.now() - began) / 1000
    const looks = await looksAfter(async () => {
      const codes = await flood(150, SECRET)
      const accepted = codes.filter((code) => code === 202).length
      // a burst, and some in each second: a busy machine takes longer to send them
      assert.ok(accepted <= 31 + 2 * seconds(), `${accepted} accepted in ${seconds()} s`)
      assert.ok(codes.every((code) => code === 202 || code === 429))
    }, 1)
    // one at once, and one every five seconds
    assert.ok(looks <= 2 + seconds() / 5, `${looks} looks in ${seconds()} s`)
    assert.ok((await counted('limited')) > before)
    assert.is(await looksAfter(() => flood(100, 'wrong'.repeat(5))), 0)
    assert.is((await get('/healthz')).status, 200)
  })
  test('a renewed Secret counts without a restart', async () => {
    // until the flood is forgotten
    await pause(20_000)
    write('the-next-secret-of-the-forge')
    assert.is(await github(body('e'.repeat(40))), 401)
    assert.is(await github(body('e'.repeat(40)), 'the-next-secret-of-the-forge'), 202)
    write(SECRET)
  })
  test('a push that is announced to the standby is fetched by the leader', async () => {
    // in a file of its own: the leader would take the port
    const file = 'standby.yaml'
    configure({ reconcileInterval: '1h', hook: hook(second), health: { address: '127.0.0.1:0' } }, file)
    const standby = startSync(args.map((arg) => (arg === at('sync.yaml') ? at(file) : arg)))
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${second}/hook`).catch(() => undefined))?.status === 405,
    )
    await pause(10_000)
    const from = sync.lines().length
    assert.is(await github(body(change('55m')), SECRET, second), 202)
    await sync.said(isPush, from)
    assert.ok(isRendered('55m'))
    assert.not(standby.lines().some(isLook))
    assert.is(await standby.stop(), 0)
  })
  test('it is off unless it is on', async () => {
    configure({ reconcileInterval: '1h' })
    await sync.said(({ message }) => message.startsWith('the configuration changed'))
    await eventually(async () => (await send('', {}).catch(() => 'closed')) === 'closed')
    assert.is(await sync.stop(), 0)
  })
  test('no secret is in the log', () => {
    assert.not.match(JSON.stringify(sync.lines()), /a-secret-that|the-next-secret|wrongwrong/)
  })
  test('the servers are stopped', () => cluster.stop())
})
