/** What holds of each pair of fleet and agent: figures that are true, sizes as the policy says, steps that can be followed. */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { inFolder } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { figuresOf, holdFirstRender, holdRegrouped, holdSummary, unknownLabel } from './figures.ts'
import { type Made, type Pair, regroup, runNextSteps, type Tried, tryPair } from './pair.ts'
import { nano, standingOn } from './recompute.ts'
import { expectedSizes } from './sizes.ts'

/** Declares a test for each pair. */
export function firstHour(pairs: readonly Pair[]): void {
  suite('the first hour', (test) => {
    const withKpt = has('kpt')
    for (const pair of pairs)
      test(`${pair.agent} on ${pair.fleet}: where it ran it runs, as large as is printed, and the next step succeeds`, () =>
        inFolder((folder) => {
          const tried = tryPair(pair, folder)
          // there and back: what a node has is that of the other grouping
          for (const before of tried.made)
            for (const after of tried.made) if (before !== after) holdThereFrom(tried, before, after)
          for (const made of tried.made) {
            holdPlaces(tried, made)
            const figures = figuresOf(tried, made)
            holdSummary(made, figures)
            holdFirstRender(made, figures)
            holdSizes(tried, made)
            if (withKpt) assert.equal(names(runNextSteps(made)), names(made.rendered))
          }
        }))
  })
}

/** Where the new inventory lacks the label that groups had before, `build` says so; with the inventory of before it knows. */
function holdThereFrom({ nodes }: Tried, before: Made, after: Made): void {
  const regrouped = regroup(before, after)
  const label = unknownLabel(regrouped)
  if (label === undefined) holdRegrouped(nodes, before.rendered, regrouped)
  else {
    assert.is(label, before.label)
    holdRegrouped(nodes, before.rendered, regroup(before, after, { withInventoryOf: before }))
  }
}

/** On each node the pods that are rendered may start or stay just where the template's may. */
function holdPlaces({ nodes, template }: Tried, { rendered }: Made): void {
  for (const node of nodes) {
    const standings = rendered.map(({ spec }) => standingOn(spec.template.spec, node)).filter((each) => each !== 'none')
    const before = standingOn(template.spec.template.spec, node)
    assert.equal(standings, before === 'none' ? [] : [before], node.metadata.name)
  }
}

/** Each container as the policy sizes it, and all others as in the template. */
function holdSizes(tried: Tried, made: Made): void {
  const sized = sizedContainer(tried, made)
  const { initContainers: starting = [], containers } = tried.template.spec.template.spec
  for (const daemonSet of made.rendered) {
    const pod = daemonSet.spec.template.spec
    const rendered = [...(pod.initContainers ?? []), ...pod.containers]
    for (const { name, resources } of [...starting, ...containers]) {
      const now = rendered.find((container) => container.name === name)
      const where = `${daemonSet.metadata.name}, ${name}`
      if (name !== sized) assert.equal(now?.resources ?? {}, resources ?? {}, where)
      else
        for (const { name: amountName, place, resource, amount } of expectedSizes(
          daemonSet,
          made.policy,
          tried.nodes,
        )) {
          const printed = now?.resources?.[place]?.[resource]
          assert.is(printed === undefined ? undefined : nano(printed), amount, `${where}, ${amountName}: ${printed}`)
        }
    }
  }
}

/** The one that the policy names, or the only one. */
function sizedContainer({ template }: Tried, { policy }: Made): string {
  return policy.containers?.[0]?.name ?? template.spec.template.spec.containers[0]?.name ?? ''
}

function names(daemonSets: Tried['made'][number]['rendered']): readonly string[] {
  return daemonSets.map(({ metadata }) => metadata.name).sort()
}
