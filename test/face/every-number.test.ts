/** Every number of the golden packages' output is found in what explain prints, at the path where a reader looks for it. */
import * as assert from 'uvu/assert'
import { type AccountAnswer, accountAnswers } from '../../src/face/answers.ts'
import { fleetJson } from '../../src/face/index.ts'
import type { PlannedChanges } from '../../src/fate/index.ts'
import { isMap, listOf, memberOf } from '../../src/krm/map.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { readQuantity } from '../../src/kube/index.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { goldenLists } from '../support/lists.ts'
import { valueAt } from '../support/page-figures.ts'
import { suite } from '../support/suite.ts'

type Explained = NonNullable<AccountAnswer['group']>['amounts']

/** The amounts of a container: their places in an object and in the fleet of explain --json, and what explain calls them. */
const AMOUNTS = [
  ['requests', 'cpu', 'cpu/request', 'requestCPU'],
  ['requests', 'memory', 'memory/request', 'requestMemory'],
  ['limits', 'cpu', 'cpu/limit', 'limitCPU'],
  ['limits', 'memory', 'memory/limit', 'limitMemory'],
] as const

function isSame(left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) => readQuantity(String(value)))
  return one !== undefined && other !== undefined && one.compare(other) === 0
}

function containersOf({ spec }: KubernetesObject): Record<string, unknown>[] {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const all = ['containers', 'initContainers'].flatMap((list) => listOf(memberOf(pod, list))).filter(isMap)
  // an Order's template has amounts of its own
  return all.length > 0 || !isMap(pod) ? all : [{ ...pod, name: '' }]
}

/** The last line that explain has of an amount of a container: several containers share what the pod gets. */
function explained(amounts: Explained, name: string, container: string, share: number): string | undefined {
  const own = amounts.findLast((one) => one.name === name && one.container === container)
  const pod = amounts.findLast((one) => one.name === name && one.container === undefined)
  return own?.written ?? pod?.written?.split(' + ')[share]
}

const COUNTS = { amounts: 0, explained: 0, variables: 0, objects: 0, tickets: 0 }

/** The numbers of one subject's output that are not found, in words. */
function notFound(one: PlannedChanges, fleet: object, path: string): string[] {
  const sized = one.account.flatMap((line) => (line.kind === 'containers' ? line.sized : []))
  const groups = accountAnswers('policy', '', one.account).flatMap(({ group }) => group ?? [])
  const shown = valueAt(fleet, `${path}/groups`) as Array<{ name: string; containers: Array<{ name: string }> }>
  COUNTS.objects += one.objects.length
  return one.objects.flatMap(({ object }) => {
    const { name } = object.metadata
    const at = shown.findIndex((group) => group.name === name)
    const amounts = groups.find((group) => group.name === name)?.amounts
    return containersOf(object).flatMap((container) => {
      const own = String(container.name)
      const share = sized.indexOf(own)
      const column = shown[at]?.containers.findIndex((each) => each.name === own) ?? -1
      const wrong = AMOUNTS.flatMap(([list, resource, place, word]) => {
        const written = memberOf(memberOf(container.resources, list), resource)
        if (written === undefined || (column === -1 && share === -1)) return []
        COUNTS.amounts++
        const pointer = `${path}/groups/${at}/containers/${column}/${place}/after`
        const [found, said] = [valueAt(fleet, pointer), amounts && explained(amounts, word, own, share)]
        const what = `${name} ${own} ${list}.${resource} ${written}`
        if (share !== -1) COUNTS.explained++
        return [
          ...(isSame(found, written) ? [] : [`${what}: ${found} at ${pointer}`]),
          ...(share === -1 || isSame(said, written) ? [] : [`${what}: explain says ${said}`]),
        ]
      })
      const variables = (amounts ?? []).filter(
        (each) => each.container === own && !AMOUNTS.some(([, , , word]) => word === each.name),
      )
      COUNTS.variables += variables.length
      const env = listOf(container.env).filter(isMap)
      return [
        ...wrong,
        ...variables
          .filter((each) => !env.some((variable) => variable.name === each.name && variable.value === each.written))
          .map((each) => `${name} ${own}: ${each.name} is not ${each.written}`),
        ...env
          .filter(
            (variable) => variable.name === 'GOMEMLIMIT' && /^\d+MiB$/.test(String(variable.value)) && share !== -1,
          )
          .filter((variable) => !variables.some((each) => each.name === variable.name))
          .map((variable) => `${name} ${own}: ${variable.name} ${variable.value} is not explained`),
      ]
    })
  })
}

/** What is not found of a whole run: the numbers of each subject, and how many objects and Tickets there are. */
function notFoundIn({ packages, ...result }: Plan): string[] {
  const fleet = fleetJson({ packages, ...result })
  return packages.flatMap(({ planned }, at) => {
    const tickets = planned.flatMap(({ objects }) => objects.filter(({ object }) => object.kind === 'Ticket')).length
    COUNTS.tickets += tickets
    const counted = fleet.packages[at]?.tickets.reduce((sum, one) => sum + one.tickets * one.nodes, 0)
    return [
      ...(counted === tickets ? [] : [`${tickets} Tickets, but ${counted}`]),
      ...planned.flatMap((one, index) => {
        const { added, changed, unchanged } = fleet.packages[at]?.agents[index]?.changes ?? {}
        const objects = (added ?? 0) + (changed ?? 0) + (unchanged ?? 0)
        return [
          ...(objects === one.objects.length ? [] : [`${one.objects.length} objects, but ${objects}`]),
          ...notFound(one, fleet, `/packages/${at}/agents/${index}`),
        ]
      }),
    ]
  })
}

suite('every number of a golden package is found in explain', (test) => {
  for (const { name, items } of goldenLists())
    test(name, () => {
      const result = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
      assert.equal(result.failed ? [] : notFoundIn(result), [])
    })
  test('and there were many', () => {
    const least = { amounts: 1000, explained: 1000, variables: 50, objects: 300, tickets: 80 }
    for (const [what, count] of Object.entries(least))
      assert.ok(COUNTS[what as keyof typeof COUNTS] > count, JSON.stringify(COUNTS))
  })
})
