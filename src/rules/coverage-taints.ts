import type { Planned } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import type { Finding } from '../krm/finding/index.ts'
import { describe } from '../krm/identity.ts'
import { uncoveredTaint } from '../kube/index.ts'
import { taintText } from '../kube/taint.ts'
import { finding } from './codes.ts'

/** Reports rendered objects that do not tolerate exactly the taints that template and policy together tolerate. */
export function taintFindings({ constraints, objects, subject }: Planned): Finding[] {
  if (constraints === undefined) return []
  const wanted = [...(constraints.pod.tolerations ?? []), ...constraints.tolerations]
  return objects.flatMap(({ object }) => {
    const own = podSpecOf(object).tolerations ?? []
    const missing = uncoveredTaint(wanted, own)
    const added = uncoveredTaint(own, wanted)
    const place = (taint: object) => ({
      subject: subject.object,
      field: { path: 'spec', currentValue: { taints: [taint] } },
    })
    return [
      ...(missing === undefined
        ? []
        : [
            finding(
              'Uncovered',
              `${describe(object)} does not tolerate ${taintText(missing)}, unlike template and policy`,
              place(missing),
            ),
          ]),
      ...(added === undefined
        ? []
        : [
            finding(
              'RunsElsewhere',
              `${describe(object)} tolerates ${taintText(added)}, which neither template nor policy tolerates`,
              place(added),
            ),
          ]),
    ]
  })
}
