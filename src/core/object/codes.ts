import { codesAbout, findingOf } from '../../krm/finding.ts'

/** Codes about templates of any kind. */
export const OBJECT_CODES = codesAbout('Templates', {
  TargetMissing: {
    severity: 'error',
    meaning: 'The target of a policy is not in its scope.',
    mend: 'Put the target into the package of the policy, or correct spec.targetRef.',
  },
  TargetNotUnique: {
    severity: 'error',
    meaning: 'Several objects match the target.',
    mend: 'Set metadata.namespace of the policy, or remove the copies.',
  },
  InstanceLabelCopied: {
    severity: 'warning',
    meaning:
      'The template’s app.kubernetes.io/instance was copied: an Argo CD that tracks by label takes the rendered object for part of that application and may prune it.',
    mend: 'Use annotation tracking in Argo CD, or remove the label from the template. If no Argo CD tracks by label, set this code to off.',
  },
})

export const finding = findingOf(OBJECT_CODES)
