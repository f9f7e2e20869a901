import { isNodeInventory } from '../../kinds/index.ts'
import { listNames } from '../../krm/finding.ts'
import type { Item } from '../../krm/types.ts'
import type { Plan } from '../../rules/plan.ts'
import { compareTest, type Mismatch } from './compare-test.ts'
import type { PolicyTest } from './read-test.ts'
import { itemsOfTest } from './test-items.ts'

/** Plans the items of a test; `isFirst`: nothing was rendered before. */
export type PlanTest = (items: readonly Item[], isFirst: boolean) => Plan

/** A test, and what came out otherwise than it expects; it holds where that is nothing. */
export interface TestOutcome {
  readonly test: PolicyTest
  readonly mismatches: readonly Mismatch[]
}

/** An outcome, where its test begins, and how many seconds it took. */
export interface PlacedOutcome extends TestOutcome {
  /** The path from the working directory; absent for a test that is in no file. */
  readonly file?: string
  /** From 1. */
  readonly line?: number
  readonly seconds: number
}

/** Runs a test on the items that a command read. */
export function runTest(test: PolicyTest, all: readonly Item[], plan: PlanTest): TestOutcome {
  const { inventory, earlier = false } = test.spec
  const items = itemsOfTest(test, all)
  if (inventory !== undefined && !items.some(({ object }) => isNodeInventory(object)))
    return { test, mismatches: [{ what: 'inventory', expected: inventory, got: inventoriesText(all) }] }
  return { test, mismatches: compareTest(test, plan(items, !earlier)) }
}

function inventoriesText(all: readonly Item[]): string {
  const names = all.filter(({ object }) => isNodeInventory(object)).map(({ object }) => object.metadata.name)
  return names.length === 0 ? 'no NodeInventory' : listNames(names)
}
