import { BETA_SPELLINGS, NODEFIT, NODEFIT_BETA, toBeta } from '../../kinds/index.ts'
import { edit } from '../../krm/edit.ts'
import { apiGroup } from '../../krm/identity.ts'
import { isDeepEqual } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { manifestTexts } from '../files/manifest.ts'
import { objectsIn, placedItems } from '../files/objects-in.ts'

/** What every resource of ours has, in YAML or JSON. */
const OURS = /(?:^|[{,\s])"?apiVersion"?\s*:\s*["']?nodefit\.dev\//m

/**
 * Returns the file with our resources in the newest version that is read, else undefined where it has none of ours.
 * Comments, order and other objects stay as they are. Throws `KrmError` for a file that cannot be read.
 */
export function convertVersions(text: string, name: string): string | undefined {
  if (!OURS.test(text)) return undefined
  const items = placedItems(objectsIn(text, name), name, {})
  if (!items.some(({ object }) => apiGroup(object.apiVersion) === apiGroup(NODEFIT))) return undefined
  return manifestTexts(items.map(converted)).join('---\n')
}

function converted(item: Item): Item {
  const object = toBeta(item.object as KubernetesObject & { spec?: unknown })
  if (object === item.object) return item
  const text = item.text === undefined ? undefined : convertedText(item.text)
  const isRight = text !== undefined && isSame(text, object)
  return isRight ? { object, text } : edit(item, () => object)
}

/** The words of the older version replaced where they stand first on a line: only a guess, which is read again. */
function convertedText(text: string): string {
  const spelt = Object.entries(BETA_SPELLINGS).reduce(
    (before, [name, other]) => before.replace(new RegExp(`^([ \\t]+["']?)${name}(?=["']?[ \\t]*:)`, 'm'), `$1${other}`),
    text,
  )
  return spelt.replace(/^(apiVersion:[ \t]*["']?)[^\s"'#]+/m, `$1${NODEFIT_BETA}`)
}

function isSame(text: string, object: KubernetesObject): boolean {
  const [document] = placedItems(objectsIn(text, 'the output'), 'the output', {})
  return isDeepEqual(withoutPlace(document?.object), withoutPlace(object))
}

/** Without the annotations, which hold the place in the file. */
function withoutPlace(object: KubernetesObject | undefined): unknown {
  return object && { ...object, metadata: { ...object.metadata, annotations: undefined } }
}
