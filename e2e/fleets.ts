/**
 * Random fleets against a real API server and its DaemonSet controller: `npm run e2e:fleets -- [COUNT | FIRST-LAST]`
 * (docs/reliability.md).
 */
import { pathToFileURL } from 'node:url'
import { CONTROL_PLANE, startCluster } from './support/cluster.ts'
import { Api } from './support/fleets/api.ts'
import { Controller } from './support/fleets/controller.ts'
import { type Difference, type FleetReport, FleetRun } from './support/fleets/run-fleet.ts'
import { builtGroupings, drawScenario, NEVER, type Refusal, type Scenario } from './support/fleets/scenario.ts'
import { has } from './support/program.ts'

/** Fleets of the whole suite. */
const COUNT = 60
const PATIENCE_MILLISECONDS = 10_000

/** A control plane on which one fleet after the other is tried. */
export interface Fleets {
  /** The fleet of a seed. */
  readonly drawn: (seed: number) => Promise<FleetReport & { refusals: readonly Refusal[] }>
  /** A fleet that is given; a difference is believed after so many milliseconds. */
  readonly given: (scenario: Scenario, patience?: number) => Promise<FleetReport>
  /** How many pods there were in all. */
  readonly pods: () => number
  /** Ends every process that was started. */
  readonly stop: () => Promise<void>
}

export async function startFleets(): Promise<Fleets> {
  const cluster = await startCluster()
  const api = new Api(cluster.folder)
  const controller = new Controller(api)
  const stop = async () => {
    api.close()
    await cluster.stop()
  }
  try {
    await controller.start()
  } catch (error) {
    await stop()
    throw error
  }
  const kinds = builtGroupings()
  const given = (scenario: Scenario, patience = PATIENCE_MILLISECONDS) =>
    new FleetRun(scenario, api, controller, patience).run()
  const drawn = async (seed: number) => {
    const { scenario, refusals } = drawScenario(seed, kinds)
    const report = await given(scenario)
    return { ...report, differences: [...refusals.flatMap(asDifference), ...report.differences], refusals }
  }
  return { drawn, given, pods: () => controller.seen.size, stop }
}

/** A refusal by which nodefit says that it would have rendered something wrong itself. */
function asDifference({ name, code, message }: Refusal): Difference[] {
  return NEVER.includes(code) ? [{ fleet: name, step: 'its groups', what: message }] : []
}

/** Runs the fleets that the arguments ask for, prints each and their sum; false where one shows a difference. */
async function runAll(asked: string): Promise<boolean> {
  const [first = 1, last = first] = asked.includes('-') ? asked.split('-').map(Number) : [1, Number(asked)]
  const sum = { fleets: 0, nodes: 0, renders: 0, daemonSets: 0, held: 0, differences: 0 }
  const refused = new Map<string, number>()
  const start = Date.now()
  const fleets = await startFleets()
  try {
    for (let seed = first; seed <= last; seed++) {
      const began = Date.now()
      const { differences, refusals, ...counts } = await fleets.drawn(seed)
      sum.fleets++
      sum.differences += differences.length
      for (const key of ['nodes', 'renders', 'daemonSets', 'held'] as const) sum[key] += counts[key]
      for (const { code } of refusals) refused.set(code, (refused.get(code) ?? 0) + 1)
      const seconds = ((Date.now() - began) / 1000).toFixed(1)
      print(
        `${differences.length === 0 ? 'ok  ' : 'FAIL'} fleet ${seed}: ${counts.nodes} nodes, ${counts.daemonSets} DaemonSets, ${seconds} s`,
      )
      for (const { fleet, step, what } of differences) print(`     ${fleet}, ${step}: ${what}`)
    }
  } finally {
    await fleets.stop()
  }
  print(
    `drawn again: ${
      [...refused]
        .sort()
        .map(([code, count]) => `${count} ${code}`)
        .join(', ') || 'none'
    }`,
  )
  print(
    `${sum.fleets} fleets, ${sum.nodes} nodes, ${sum.renders} renders, ${sum.daemonSets} DaemonSets, ${fleets.pods()} pods, ` +
      `${sum.held} checks of a node, ${Math.round((Date.now() - start) / 1000)} s, ${sum.differences} differences`,
  )
  return sum.differences === 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && CONTROL_PLANE.every(has))
  process.exitCode = (await runAll(process.argv[2] ?? String(COUNT))) ? 0 : 1
