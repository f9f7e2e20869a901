import { codesAbout, findingOf } from '../../../krm/finding/index.ts'

/** Codes about sizes from usage. */
export const USAGE_CODES = codesAbout('Sizes from usage', {
  SizedByUsage: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'How many groups usage sizes, what their agents request before and after, and how many pods restart.',
    mend: '',
  },
  UsageSays: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'The policy has usage with updateMode "Off": what Auto would change.',
    mend: 'If that is what you want, set updateMode: Auto.',
  },
  UsageLearning: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Containers of a group have not been seen for seven days, or the regular time has not come since: neighbours, percentages or the template size them until then. They borrow the largest limit of all groups: a raise in another group that makes it larger restarts their pods too.',
    mend: '',
  },
  OOMKilled: {
    severity: 'warning',
    meaning:
      'The kernel killed containers for want of memory within fourteen days. nodefit sync doubles the limit at once if that happens again and again, else at the regular time.',
    mend: 'If the limit is too low, raise minResources.limitMemory for the group, and maxResources where it holds the limit.',
  },
  OOMKilledAgain: {
    severity: 'warning',
    meaning:
      'Containers are killed for want of memory though their limit was raised three times within fourteen days: a leak, or a burst that grows.',
    mend: 'Look for a leak in the agent. If it needs more, raise minResources.limitMemory for the group, and maxResources where it holds the limit.',
  },
  UsageFollowsLimit: {
    severity: 'warning',
    meaning:
      'The memory of a container stays near its limit all week and it is not killed: page cache, or a heap that fills what it gets. More would be filled too, so its memory is not sized by usage.',
    mend: 'Leave memory to percentages: controlledResources: [cpu]; lower the limit by maxResources.limitMemory and see whether the agent works as well.',
  },
  UsageAboveMaximum: {
    severity: 'warning',
    meaning: 'A container is held by maxResources below what it used or was killed at.',
    mend: 'Raise maxResources for the group, if the agent is to work.',
  },
  UsageGrowsWithAge: {
    severity: 'warning',
    meaning:
      'Pods seven days old or more use half as much memory again as pods in their first day: a leak, and requests follow it.',
    mend: 'Look for a leak in the agent. Until then maxResources.memory holds its request.',
  },
  UsageStale: {
    severity: 'warning',
    meaning: 'The newest day of usage is older than three days: sizes stay as they are.',
    mend: 'See whether nodefit sync runs with collect: [usage] and the metrics API answers; of imported usage, import it again.',
  },
  UsageNotCollected: {
    severity: 'error',
    allowable: true,
    meaning:
      'A policy is sized by usage, and no WorkloadSnapshot of its cluster has usage: percentages would size all groups.',
    mend: 'Let nodefit sync collect it (collect: [usage]), or write it with nodefit inventory --usage; a first run may allow the code.',
  },
})

export const finding = findingOf(USAGE_CODES)
