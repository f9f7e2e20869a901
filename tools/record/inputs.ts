/** What a recording renders: golden packages, a case of each code, drawn fleets, pools and signed actions. */
import * as fc from 'fast-check'
import { renderPackage } from '../../e2e/support/fleets/package.ts'
import { GROUPINGS } from '../../e2e/support/fleets/policy.ts'
import { drawScenario, firstPackage, secondPackage } from '../../e2e/support/fleets/scenario.ts'
import { render } from '../../src/face/render.ts'
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import type { Item, ResourceList } from '../../src/krm/types.ts'
import type { PlanOptions } from '../../src/rules/plan.ts'
import { codeCases } from '../../test/support/code-cases.ts'
import { goldenLists, ownLists } from '../../test/support/lists.ts'
import { listOf } from '../../test/support/objects.ts'
import { scenes } from '../../test/support/pool-properties.ts'
import { sceneObjects } from '../../test/support/pools.ts'
import { goldenPackages } from '../release/golden-packages.ts'
import { resourceListText } from '../release/rendered.ts'

const LIST = { apiVersion: 'config.kubernetes.io/v1', results: [] }
const FLEETS = 300
const POOLS = 200
const SEED = 47
const POLICIES = ['SizingPolicy', 'DaemonOrder', 'ActionPolicy', 'PoolPolicy']

/** Calls `take` with the name of each input and what the render gives for it, always in the same order. */
export function recordRenders(take: (name: string, output: string) => void): void {
  for (const { name, files } of goldenPackages()) {
    const input = resourceListText(files)
    take(`kpt ${name}`, rendered(readResourceList(input)))
    const list = readResourceList(input)
    const bare = { ...list, items: list.items.map((item) => withoutPlace(item)) }
    take(`without files ${name}`, rendered(bare, { keepsFiles: false }))
    // kustomize gives one policy as the functionConfig, and the rest as resources
    for (const functionConfig of bare.items.filter(({ object: { kind } }) => POLICIES.includes(kind))) {
      const { kind, metadata } = functionConfig.object
      take(`kustomize ${name} ${kind}/${metadata.name}`, rendered({ ...bare, functionConfig }, { keepsFiles: false }))
    }
  }
  for (const { name, items } of [...goldenLists(), ...ownLists()]) take(`list ${name}`, rendered({ ...LIST, items }))
  for (const { code, list, options } of codeCases()) take(`code ${code}`, rendered(list, options))
  for (let seed = 1; seed <= FLEETS; seed++) {
    const { scenario, refusals } = drawScenario(seed, GROUPINGS)
    const first = renderPackage(firstPackage(scenario))
    const second = renderPackage(secondPackage(scenario, first))
    take(`fleet ${seed}`, JSON.stringify({ refusals, first, second }, undefined, 1))
  }
  for (const [index, scene] of fc.sample(scenes, { numRuns: POOLS, seed: SEED }).entries())
    take(`pools ${index}`, rendered(listOf(sceneObjects(scene))))
}

function withoutPlace({ object }: Item): Item {
  return newItem(withoutWireAnnotations(object))
}

/** Returns what a host gets, and what it gets when that is rendered once more. */
function rendered(list: ResourceList, options: PlanOptions = {}): string {
  const once = writeResourceList(render(list, options))
  const again = writeResourceList(render({ ...readResourceList(once), results: [] }, options))
  return again === once ? once : `${once}\n# rendered once more\n${again}`
}
