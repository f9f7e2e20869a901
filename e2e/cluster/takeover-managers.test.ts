/** nodefit takeover for each tool that applies, on a real API server: from Helm and from an operator, and the way back. */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { FORMER, inGit, TakenOver } from '../support/taken-over.ts'

const cluster = [...CONTROL_PLANE, 'helm'].map(has).every((is) => is) ? await startCluster() : undefined
const MANAGERS = ['kubectl', 'argocd-controller', 'kustomize-controller'] as const
const AS_MADE = ['sbom-scanner', 'node-agent']

suite('nodefit takeover for each tool', (test) => {
  if (cluster === undefined) return
  const agents = new TakenOver(cluster)
  const make = { operator: (name: string) => agents.byOperator(name), helm: (name: string) => agents.byHelm(name) }
  const isAsMade = (name: string) => {
    const { containers, env } = agents.read(name)
    assert.equal(containers, AS_MADE)
    assert.equal(
      env.map(({ name: variable, value, valueFrom }: Record<string, unknown>) => [
        variable,
        value,
        valueFrom !== undefined,
      ]),
      [
        ['GOMEMLIMIT', undefined, true],
        ['OLD', '1', false],
      ],
    )
  }
  for (const manager of MANAGERS)
    for (const former of FORMER) {
      const name = `${former}-${manager}`
      test(`${manager} drops what ${former} applied and Git lacks, and not before takeover`, () => {
        make[former](name)
        const refused = agents.apply(manager, inGit(name))
        assert.match(refused.stderr, /may not be specified when `value` is not empty/, refused.stderr)
        const script = agents.handOver(manager, [inGit(name)])
        assert.equal(agents.read(name).containers, AS_MADE, 'takeover itself changes no pod')
        assert.match(
          script,
          former === 'helm' ? /# helm-\S+: the fields of helm become/ : /removes its owner references/,
        )
        does(agents.apply(manager, inGit(name)))
        agents.isAsInGit(name, manager)
        const again = agents.handOver(manager, [inGit(name)])
        assert.match(again, `# ${name}: all its fields are ${manager}'s`)
        assert.not.match(again, `patch daemonset ${name}`)
      })
    }
  for (const manager of MANAGERS) {
    test(`the way back from ${manager} to the operator needs nothing: it writes the whole object`, () => {
      const name = `operator-${manager}`
      agents.againByOperator(name)
      isAsMade(name)
    })
    test(`the way back from ${manager} to Helm: what Git added goes with takeover and the release's manifest, not with an upgrade`, () => {
      const name = `helm-${manager}`
      assert.match(agents.upgrade(name).stderr, /may not be specified when `value` is not empty/)
      const script = agents.backToHelm(name)
      assert.match(
        script,
        manager === 'kubectl' ? `# ${name}: all its fields are kubectl's` : `patch daemonset ${name} `,
      )
      agents.byHelm(name)
      isAsMade(name)
    })
  }
  for (const manager of MANAGERS)
    test(`${manager} keeps what is not refused, in silence, without takeover`, () => {
      const name = `kept-${manager}`
      agents.byOperator(name, false)
      does(agents.apply(manager, inGit(name)))
      assert.equal(agents.read(name).containers, AS_MADE)
      agents.handOver(manager, [inGit(name)])
      does(agents.apply(manager, inGit(name)))
      agents.isAsInGit(name, manager)
    })
  test('the cluster ends', () => cluster.stop())
})
