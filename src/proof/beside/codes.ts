import { codesAbout } from '../../finding/index.ts'

/** Codes about what stands beside the template: what an agent gets otherwise than its author wrote. */
export const BESIDE_CODES = codesAbout('Beside the template', {
  BelowTemplate: {
    severity: 'warning',
    meaning:
      'A container gets less than its template gives it, or a request of the template is gone: what the author of the agent measured no longer holds.',
    mend: 'Raise the percentage, or set minResources to what the template has (limitCPU and limitMemory for its limits), with maxResources no lower; nodefit init writes a policy that starts there.',
  },
  LimitAdded: {
    severity: 'warning',
    meaning:
      'A container gets a limit that its template does not have: above it its cpu is throttled, or it is killed for want of memory.',
    mend: 'Set the percentage to null where the agent is meant to have no limit.',
  },
  LimitRemoved: {
    severity: 'warning',
    meaning: 'A limit that the template has is gone: the container may take all that its node has left.',
    mend: 'Set a percentage where the agent is meant to have the limit.',
  },
  RequestDefaulted: {
    severity: 'warning',
    meaning:
      'A container has a limit and no request, since the policy takes the request away: Kubernetes then requests as much as the limit.',
    mend: 'Set a percentage for the request, or set that of the limit to null, too.',
  },
  QosClassChanged: {
    severity: 'warning',
    meaning:
      'The pods have another quality of service class than those of the template, which decides whom a node evicts and kills first.',
    mend: 'Where the class matters: equal percentages and bounds for requests and limits make Guaranteed, requests below limits Burstable.',
  },
  HeapAboveLimit: {
    severity: 'warning',
    meaning:
      'A variable or flag of the template says how much memory a runtime may take, and that is more than the new limit: it is killed before it collects.',
    mend: 'Raise limitMemory, or derive it: GOMEMLIMIT with goMemLimitPercentage, a flag from a variable in env that the template already sets before it is used.',
  },
  AmountReadBack: {
    severity: 'warning',
    meaning:
      'The template reads a request or limit of its own back with resourceFieldRef, and that amount differs from node group to node group now.',
    mend: 'Check that the agent may be told another amount on each; set the severity of this code to off if it may.',
  },
})
