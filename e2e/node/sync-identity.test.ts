/** Two clusters of one name and one configuration, as processes: who writes, who is refused, and how one takes over. */
import { writeFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import type { BareRemote } from '../support/bare-remote.ts'
import { eventually } from '../support/eventually.ts'
import { firstAgents } from '../support/first-agents.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'
import { nodeOf } from '../support/node-objects.ts'
import { freePorts } from '../support/ports.ts'
import { ScriptedApi } from '../support/scripted-api.ts'
import { scriptedRoom } from '../support/scripted-room.ts'
import { startSync } from '../support/sync-process.ts'

const [BLUE, GREEN] = [1, 2].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [string, string]
const SPEC = { mode: 'rendered', packages: ['agents'], output: 'clusters/prod/rendered' }
const NODES = '/api/v1/nodes'

const fileOf = (remote: BareRemote, path: string) => remote.files()[path] ?? ''

function fill(api: ScriptedApi, prefix: string, uid: string | undefined): void {
  for (let index = 0; index < 6; index++) {
    const node = nodeOf(`${prefix}-${index}`, index === 5 ? 'm5.4xlarge' : 'm5.large')
    api.put(NODES, { ...node, metadata: { ...node.metadata, uid: `uid-${prefix}-${index}` } })
  }
  if (uid !== undefined) api.put('/api/v1/namespaces', { metadata: { name: 'kube-system', uid } })
}

suite('nodefit sync of two clusters of one name', (test) => {
  test('refuses the second, says so everywhere, and accepts it by the command that it names', () =>
    inFolder(async (folder) => {
      const { remote, api, at, args, configure } = await scriptedRoom(folder, firstAgents(), SPEC)
      const green = await ScriptedApi.start()
      try {
        fill(api, 'blue', BLUE)
        fill(green, 'green', GREEN)
        writeFileSync(at('kubeconfig-green'), green.kubeconfig)
        const greenArgs = ['--config', at('sync.yaml'), '--kubeconfig', at('kubeconfig-green')]
        const once = async (given: readonly string[], ...more: string[]) => {
          const sync = startSync([...given, '--once', ...more])
          return { code: await sync.ended, lines: sync.lines(), stderr: sync.stderr() }
        }
        const blue = await once(args)
        assert.is(blue.code, 0, blue.stderr)
        const written = remote.head()
        const refused = await once(greenArgs)
        assert.is(refused.code, 1)
        const { message = '' } = refused.lines.find((line) => /ClusterReplaced/.test(line.message)) ?? {}
        assert.match(message, BLUE)
        const look = await once(greenArgs, '--dry-run')
        const shown = look.lines.find((line) => line.message.startsWith('would commit, once it is accepted'))
        assert.match(String(shown?.notes), '0 of 6 nodes in Git are nodes of this cluster')
        assert.match(String(shown?.commitMessage), `Nodefit-Cluster-Uid: ${GREEN}`)

        const [port] = await freePorts(1)
        configure({ ...SPEC, health: { address: `127.0.0.1:${port}` } })
        const running = startSync(greenArgs)
        const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
        await running.said((line) => /ClusterReplaced/.test(line.message))
        await eventually(async () => /ClusterReplaced/.test(await get('/readyz')))
        assert.match(await get('/metrics'), 'nodefit_held{code="ClusterReplaced"} 1')
        assert.is(await running.stop(), 0)
        assert.is(remote.head(), written, 'nothing was pushed')

        const [, command = ''] = /\$\(nodefit (sync ack .*?)\)/.exec(message) ?? []
        const ack = run(process.execPath, [COMMAND, ...command.split(' ')])
        assert.is(ack.status, 0, ack.stderr)
        remote.commit({}, 'main', ack.stdout)
        const accepted = await once(greenArgs)
        assert.is(accepted.code, 0, JSON.stringify(accepted.lines.slice(-2)))
        assert.match(fileOf(remote, 'clusters/prod/nodes/inventory.yaml'), `clusterUid: ${GREEN}`)
        const late = await once(args)
        assert.is(late.code, 1)
        assert.ok(late.lines.some((line) => line.message.includes(`with the uid ${GREEN}, and this one has ${BLUE}`)))
        assert.is((await once(greenArgs)).code, 0)
      } finally {
        await green.close()
        await api.close()
      }
    }))
  test('goes on without the right to read the uid, and writes an inventory that was cut as it was', () =>
    inFolder(async (folder) => {
      const { remote, api, args } = await scriptedRoom(folder, firstAgents(), SPEC)
      try {
        fill(api, 'blue', undefined)
        const once = async () => {
          const sync = startSync([...args, '--once'])
          return { code: await sync.ended, lines: sync.lines() }
        }
        const first = await once()
        assert.is(first.code, 0)
        assert.is(first.lines.filter((line) => line.message.startsWith('cannot read the uid')).length, 1)
        const file = 'clusters/prod/nodes/inventory.yaml'
        const text = fileOf(remote, file)
        const cut = text.replace('nodeCount: 6', 'nodeCount: 2').replace(/ +- blue-[1-4]\n/g, '')
        assert.is.not(cut, text)
        remote.commit({ [file]: cut })
        remote.commit({ 'notes.txt': 'another commit\n' })
        const mended = await once()
        assert.is(mended.code, 0, JSON.stringify(mended.lines.slice(-2)))
        assert.is(fileOf(remote, file).replace(/observedAt: .*/, ''), text.replace(/observedAt: .*/, ''))
        assert.match(remote.messages()[0] ?? '', 'undoes an edit of inventory.yaml')
      } finally {
        await api.close()
      }
    }))
})
