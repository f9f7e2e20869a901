import { isNodeAction } from '../../kinds/index.ts'
import { plural } from '../../krm/finding.ts'
import { newItem } from '../../krm/item.ts'
import { setMember } from '../../krm/map.ts'
import type { Item, ResourceList } from '../../krm/types.ts'
import type { Plan, PlanOptions } from '../../rules/plan.ts'
import { plan } from '../../rules/run.ts'
import { optimizeLate } from './optimize-late.ts'
import { endProgress, progress } from './terminal.ts'
import { UserError } from './user-error.ts'

/** From this number of actions on a run is one of many. */
const MANY = 100

/** Plans the items that a command read; `set` has flat keys as KEY=VALUE, for a look unless `flat` says otherwise. */
export function planItems(
  items: readonly Item[],
  { set, earlier, ...options }: { set?: readonly string[]; earlier?: readonly Item[] } & Omit<PlanOptions, 'earlier'>,
): Plan {
  const list: ResourceList = {
    apiVersion: 'config.kubernetes.io/v1',
    items,
    results: [],
    functionConfig: flatConfig(set),
  }
  if (items.filter(({ object }) => isNodeAction(object)).length >= MANY) optimizeLate()
  progress(`planning ${plural(items.length, 'object')}`)
  const result = plan(list, {
    flat: 'look',
    ...options,
    earlier: earlier === undefined ? undefined : { ...list, items: earlier },
  })
  endProgress()
  return result
}

/** The flat keys as a functionConfig. */
function flatConfig(set: readonly string[] | undefined): Item | undefined {
  if (set === undefined) return undefined
  const data: Record<string, string> = {}
  for (const entry of set) {
    const equals = entry.indexOf('=')
    if (equals < 1) throw new UserError(`--set ${entry} is not KEY=VALUE`)
    const key = entry.slice(0, equals)
    if (Object.hasOwn(data, key)) throw new UserError(`--set ${key}=… is given twice`)
    setMember(data, key, entry.slice(equals + 1))
  }
  return newItem({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'set' }, data })
}
