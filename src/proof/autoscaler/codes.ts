import { codesAbout } from '../../finding/index.ts'

/** Codes about what an autoscaler makes of the rendered DaemonSets; said only where a RenderConfig names it. */
export const AUTOSCALER_CODES = codesAbout('Autoscalers', {
  AutoscalerCounts: {
    severity: 'warning',
    meaning:
      'On a new node the autoscaler counts other requests for the rendered DaemonSets than will run there: counted too high it makes larger nodes than it needs, or none; counted too low, pods that it made the node for do not fit.',
    mend: 'Group by what the autoscaler knows of a node before it is there (docs/karpenter.md): instance type, architecture, NodePool, ranges or classes; or a label that each NodePool gives with one value.',
  },
  AutoscalerUnknown: {
    severity: 'warning',
    meaning:
      'The package does not show what the autoscaler knows of a label by which groups go, so nobody can say what it counts.',
    mend: 'Put the NodePools into the package, beside the policy.',
  },
  AutoscalerSlow: {
    severity: 'warning',
    meaning:
      'So many DaemonSets are rendered that counting them takes the autoscaler a second or more, each time it simulates a scheduling.',
    mend: 'Render fewer: group by ranges (nodeGroupRanges) or by classes.',
  },
})
