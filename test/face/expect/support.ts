import { type Mismatch, type PolicyTest, readTest, runTest } from '../../../src/face/expect/index.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { listOf } from '../../support/objects.ts'

/** A NodefitTest of this specification. */
export function nodefitTest(spec: object, name = 't', metadata: object = {}): KubernetesObject {
  return { apiVersion: 'nodefit.dev/v1alpha1', kind: 'NodefitTest', metadata: { name, ...metadata }, spec }
}

/** Reads a test that is known to be valid. */
export function readValid(spec: object, name?: string, metadata?: object): PolicyTest {
  const { value, findings } = readTest(newItem(nodefitTest(spec, name, metadata)))
  if (value === undefined) throw new Error(findings.map(({ message }) => message).join('; '))
  return value
}

/** What comes out otherwise than a test of this specification expects, in a package of these objects. */
export function mismatchesOf(spec: object, objects: readonly KubernetesObject[]): readonly Mismatch[] {
  const { items } = listOf([nodefitTest(spec), ...objects])
  const [item = newItem(nodefitTest(spec))] = items
  const { value, findings } = readTest(item)
  if (value === undefined) throw new Error(findings.map(({ message }) => message).join('; '))
  return runTest(value, items, (own, isFirst) =>
    plan({ ...listOf([]), items: own }, isFirst ? { earlier: listOf([]), keepsFiles: false } : {}),
  ).mismatches
}

/** The same as lines, expected and got side by side. */
export function sidesOf(spec: object, objects: readonly KubernetesObject[]): string[] {
  return mismatchesOf(spec, objects).map(({ what, expected, got }) => `${what} | ${expected} | ${got}`)
}
