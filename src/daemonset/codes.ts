import { codesAbout, findingOf } from '../finding/index.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { SIZING_CODES } from '../sizing/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes about templates and the DaemonSets made of them. */
export const DAEMONSET_CODES = codesAbout('Templates', {
  TemplateInvalid: {
    severity: 'error',
    meaning: 'The target is not a DaemonSet that can serve as a template.',
    mend: 'Take a DaemonSet that the API server accepts, or the template as the chart writes it.',
  },
  PodLevelResources: {
    severity: 'error',
    meaning: 'The template sets resources for the pod as a whole, which would cap the sizes of its containers.',
    mend: 'Remove spec.template.spec.resources from the template.',
  },
  MixedOperatingSystems: {
    severity: 'warning',
    meaning: 'A group mixes Bottlerocket with other nodes, and all of them get the SELinux type of Bottlerocket.',
    mend: 'Group by a label that tells them apart.',
  },
  VariableTwice: {
    severity: 'warning',
    meaning:
      'A container of the template has a variable more than once. Kubernetes goes by the last, and server-side apply refuses the list: one stays. Of Kubescape’s template that is your own GOMEMLIMIT, and none is computed.',
    mend: 'Remove the others from the template; a GOMEMLIMIT that grows with the limit is the chart’s own.',
  },
  SelectorChanged: {
    severity: 'error',
    meaning:
      'The selector of a rendered DaemonSet would change, which Kubernetes does not allow: it would have to be deleted and made anew.',
    mend: 'Undo the edit, of the selector or of the template’s pod labels; or choose a new name in spec.names, so that the old DaemonSet is replaced by one with the new selector.',
  },
})

/** Codes about what a change of the template restarts, and what is kept back. */
export const ROLLOUT_CODES = codesAbout('Rollouts', {
  RolloutHeldBack: {
    severity: 'info',
    meaning:
      'Groups keep their earlier pod template for now, since rollout.maxNodes within rollout.every is used up. Nothing is lost: they change in a later render.',
    mend: 'Render again at the time that is named, with an inventory that is newer or with spec.now of a RenderConfig; or raise maxNodes.',
  },
  WavesWait: {
    severity: 'warning',
    meaning:
      'A node that is not ready keeps its DaemonSet from being healthy, and Argo CD from applying the waves behind it.',
    mend: 'Bring the node back or remove it; or leave waves out for this change.',
  },
  RolloutExceeded: {
    severity: 'warning',
    meaning:
      'More nodes get another DaemonSet, or one that chooses its nodes otherwise, than rollout.maxNodes allows. They cannot be kept back: a node would be left without, or get two agents.',
    mend: 'Apply in a quiet hour; or bring node types, label values and classes one after another.',
  },
})

export const finding = findingOf(POLICY_CODES, WORLD_CODES, SIZING_CODES, DAEMONSET_CODES, ROLLOUT_CODES)
