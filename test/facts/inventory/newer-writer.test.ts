/** Inventories and snapshots of a later minor version: fields that it adds anywhere change no byte of what is rendered, and are said. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { render } from '../../../src/face/render.ts'
import { newItem, readResourceList, writeResourceList } from '../../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../../src/krm/types.ts'
import { readReleased } from '../../../tools/release/released.ts'
import { suite } from '../../support/suite.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: unknown
}

const FILES = { NodeInventory: 'node-inventory', WorkloadSnapshot: 'workload-snapshot' }
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const schemas = Object.entries(FILES).map(([kind, file]): [string, Schema] => [
  kind,
  JSON.parse(readFileSync(join(ROOT, `fn-config/${file}.schema.json`), 'utf8')),
])
const schemaOf = new Map(schemas)

/** The value with a field more in every object whose fields the schema lists; counts them. */
function grown(value: unknown, schema: Schema, count: { fields: number }): unknown {
  if (Array.isArray(value)) return value.map((entry) => grown(entry, schema.items ?? {}, count))
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value
  count.fields++
  const members = Object.entries(value).map(([key, member]) => [
    key,
    grown(member, schema.properties?.[key] ?? {}, count),
  ])
  return { ...Object.fromEntries(members), newerField: { newer: [1, 'two', null] } }
}

function newer(item: Item, count: { fields: number }): Item {
  const { spec: schema = {} } = schemaOf.get(item.object.kind)?.properties ?? {}
  const { spec, ...object } = item.object as KubernetesObject & { spec?: unknown }
  return schemaOf.has(object.kind) ? newItem({ ...object, spec: grown(spec, schema, count) }) : item
}

/** What is not an inventory or snapshot, as text. */
function applied(items: readonly Item[]): string {
  const others = items.filter(({ object }) => !schemaOf.has(object.kind))
  return writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: others, results: [] })
}

suite('a later writer', (test) => {
  const totals = { packages: 0, fields: 0, said: 0 }
  for (const [name, { input, errors }] of Object.entries(readReleased().packages)) {
    const list = readResourceList(input)
    const count = { fields: 0 }
    const items = list.items.map((item) => newer(item, count))
    if (count.fields === 0 || errors.length > 0) continue
    totals.packages++
    totals.fields += count.fields
    test(`${name}: ${count.fields} objects have a field more`, () => {
      const before = render(list)
      const after = render({ ...list, items })
      assert.is(applied(after.items), applied(before.items))
      const said = after.results.filter(({ tags }) => tags?.code === 'InventoryFieldUnknown')
      assert.ok(said.every(({ severity }) => severity === 'warning'))
      // nothing is said where no enabled policy reads the inventory
      if (said.length > 0) totals.said++
    })
  }
  test('is tried on many, and said', () => {
    assert.ok(totals.packages > 100 && totals.fields > 500, JSON.stringify(totals))
    assert.ok(totals.said > 0.85 * totals.packages, JSON.stringify(totals))
  })
})
