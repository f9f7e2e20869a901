/** docs/sync.md: its commands on a real API server, way by way of installing it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { ROOT } from '../support/hosts.ts'
import { has, PATH } from '../support/program.ts'

const PAGE = readFileSync(join(ROOT, 'docs/sync.md'), 'utf8')

/** The commands of each block, by the heading it stands under. */
const BLOCKS = PAGE.split(/^(?=##+ )/m).flatMap((section) => {
  const heading = section.split('\n')[0]?.replace(/^#+ /, '') ?? ''
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => ({
    heading,
    commands: text.trim().split('\n'),
  }))
})
const block = (heading: string, words: string) => {
  const found = BLOCKS.filter((one) => one.heading === heading && one.commands.join('\n').includes(words))
  assert.is(found.length, 1, `${heading}: ${words}`)
  return found[0]?.commands ?? []
}

/** What needs the controller itself and a repository (e2e/sync/sync-rights.test.ts), or a kubelet. */
const ELSEWHERE = [
  'git commit --allow-empty -m "$(nodefit sync ack --cluster prod-eu --for 1h)"',
  'nodefit sync --config sync.yaml --kubeconfig ~/.kube/config --once --dry-run',
  'kubectl get lease nodefit-sync -n nodefit',
  'kubectl logs deployment/nodefit-sync -n nodefit',
]

const WAYS: Array<[way: string, needs: string, blocks: Array<[heading: string, words: string]>]> = [
  [
    'kustomize',
    'kubectl',
    [
      ['Install', 'create namespace'],
      ['With kustomize', 'apply -k'],
      ['Webhook', 'secret generic nodefit-sync-hook'],
      ['Verify', 'auth can-i'],
      ['Upgrade', 'rollout undo'],
      ['Uninstall', 'delete -k'],
      ['Uninstall', 'delete namespace'],
    ],
  ],
  [
    'Helm',
    'helm',
    [
      ['Install', 'create namespace'],
      ['With Helm', 'helm install'],
      ['Verify', 'auth can-i'],
      ['Upgrade', 'helm upgrade'],
      ['Uninstall', 'helm uninstall'],
      ['Uninstall', 'delete namespace'],
    ],
  ],
  [
    'kpt',
    'kpt',
    [
      ['Install', 'create namespace'],
      ['With kpt', 'kpt live apply'],
      ['Verify', 'auth can-i'],
      ['Uninstall', 'kpt live destroy'],
      ['Uninstall', 'delete namespace'],
    ],
  ],
]

const cluster = [...CONTROL_PLANE, 'ssh-keygen'].every(has)
  ? await startCluster({ controllers: ['deployment-controller', 'replicaset-controller'] })
  : undefined

suite('the page about nodefit sync', (test) => {
  test('has no command that is tried nowhere', () => {
    const tried = WAYS.flatMap(([, , blocks]) => blocks.flatMap(([heading, words]) => block(heading, words)))
    const all = BLOCKS.flatMap(({ commands }) => commands)
    assert.ok(all.length > 15)
    assert.equal(
      all.filter((command) => !tried.includes(command) && !ELSEWHERE.includes(command)),
      [],
    )
    assert.equal(
      ELSEWHERE.filter((command) => !all.includes(command)),
      [],
    )
  })
  if (cluster === undefined) return
  const { folder, stop } = cluster
  for (const [way, needs, blocks] of WAYS)
    test(`installs, upgrades and uninstalls it with ${way}`, async () => {
      if (!has(needs)) return
      const cwd = mkdtempSync(join(tmpdir(), 'nodefit-page-'))
      try {
        cpSync(join(ROOT, 'deploy'), join(cwd, 'deploy'), { recursive: true })
        cpSync(join(ROOT, 'testdata/sync/values.yaml'), join(cwd, 'values.yaml'))
        writeFileSync(join(cwd, 'known_hosts'), 'git.example.com ssh-ed25519 AAAA\n')
        const env = { PATH, HOME: cwd, KUBECONFIG: join(folder, 'kubeconfig') }
        for (const [heading, words] of blocks)
          for (const command of block(heading, words)) if (!ELSEWHERE.includes(command)) await runs(command, cwd, env)
      } finally {
        rmSync(cwd, { recursive: true })
      }
    })
  test('the cluster is stopped', stop)
})

/** Controllers take a moment before there is a rollout to go back from. */
async function runs(command: string, cwd: string, env: Record<string, string>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { status, said } = await ended(spawn('sh', ['-c', command], { cwd, env, timeout: 240_000 }), env)
    if (status === 0) return
    assert.ok(command.includes('rollout undo') && attempt < 200, `${command}\n${said}`)
    await pause(250)
  }
}

/** Waits for a command, and says of each pod meanwhile what a kubelet would: kpt waits until they are ready. */
async function ended(
  child: ChildProcess,
  env: Record<string, string>,
): Promise<{ status: number | null; said: string }> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text))
  let status: number | null | undefined
  const end = new Promise<void>((resolve) =>
    child.once('close', (code) => {
      status = code
      resolve()
    }),
  )
  const ready = JSON.stringify({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })
  const patch = `kubectl get pods -n nodefit -o name | xargs -r -n 1 kubectl patch -n nodefit --subresource=status -p '${ready}'`
  for (;;) {
    await Promise.race([end, pause(1000)])
    if (status !== undefined) return { status, said }
    spawnSync('sh', ['-c', patch], { env })
  }
}
