import { WORLD_CODES } from '../../core/codes.ts'
import { POLICY_CODES } from '../../kinds/codes.ts'
import { codesAbout, findingOf } from '../../krm/finding.ts'
import { SIZING_CODES } from '../sizing/codes.ts'

/** Codes about templates and the DaemonSets rendered from them. */
export const DAEMONSET_CODES = codesAbout('Templates', {
  TemplateInvalid: {
    severity: 'error',
    meaning: 'The target holds no valid DaemonSet.',
    mend: 'Correct the field named: a template is a valid DaemonSet, or the ConfigMap that the chart renders.',
  },
  PodLevelResources: {
    severity: 'error',
    meaning:
      'The template has resources for the whole pod, which hold all its containers together: the scheduler counts them in place of the containers’ requests, and the sizes of a group would have no effect above them.',
    mend: 'Remove spec.template.spec.resources from the template.',
  },
  SELinuxTypeDropped: {
    severity: 'warning',
    meaning:
      'A group has Bottlerocket nodes and privileged containers: containerd drops seLinuxOptions of these, so they run as control_t (bottlerocket-os/bottlerocket#3791).',
    mend: 'If the agent needs super_t, list the capabilities that it needs in place of privileged: true.',
  },
  MixedOperatingSystems: {
    severity: 'warning',
    meaning: 'A group mixes Bottlerocket nodes with others; all its pods get Bottlerocket’s SELinux type.',
    mend: 'Group by a label that separates them.',
  },
  VariableTwice: {
    severity: 'warning',
    meaning:
      'A container of the template lists a variable more than once. Only the last, which the kubelet uses, is rendered; in Kubescape’s template your GOMEMLIMIT is kept.',
    mend: 'Remove the other entries. To let GOMEMLIMIT follow the memory limit, keep only the chart’s entry.',
  },
  SelectorChanged: {
    severity: 'error',
    meaning: 'The selector of a rendered DaemonSet would change, which Kubernetes does not allow.',
    mend: 'Undo the edit of the selector or of the template’s pod labels; or set a new name in spec.names, which replaces the DaemonSet. If a function such as set-labels sets the label, restore its value: docs/deliver/kpt.md#other-functions.',
  },
})

/** Codes about which agents a change of the template restarts, and which groups keep their earlier pod template. */
export const ROLLOUT_CODES = codesAbout('Rollouts', {
  RolloutHeldBack: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Groups keep their earlier pod template, or a gentler update strategy, because rollout.maxNodes nodes have changed within rollout.every. A later render changes them.',
    mend: 'Render again at the time named, with a newer inventory or spec.now of a RenderConfig; or raise rollout.maxNodes.',
  },
  WavesWait: {
    severity: 'warning',
    meaning:
      'A node is not ready: Argo CD neither applies later waves nor prunes. Or nodes wait without an agent: their DaemonSet, without PruneLast=true in the cluster yet, is deleted some waves before the next is applied.',
    mend: 'Make the node ready, or remove it; or remove rollout.waves for this change.',
  },
  AdoptionInWaves: {
    severity: 'error',
    allowable: true,
    meaning:
      'A policy with rollout.waves would adopt a static DaemonSet, which Argo CD deletes in the first wave: nodes of later waves have no agent until theirs is healthy, forever if one node is not ready.',
    mend: 'Adopt without waves: remove spec.rollout.waves, render and sync; set it again when the groups are healthy. If the DaemonSet is not applied itself, annotate it with config.kubernetes.io/local-config: "true".',
  },
  WavesDeadlock: {
    severity: 'error',
    allowable: true,
    meaning:
      'Another DaemonSet takes over nodes of a deleted one, and a host port or anti-affinity keeps their pods apart: with sync waves Argo CD waits forever for the new pods before it deletes the old ones.',
    mend: 'Make the change in two steps. Undo it, remove spec.rollout.waves, render and sync. Then make it again, render and sync: each node is without an agent for one pod start. Set spec.rollout.waves again when the groups are healthy.',
  },
  RolloutExceeded: {
    severity: 'warning',
    meaning:
      'New DaemonSets, and those whose node selection changes, cover more nodes than rollout.maxNodes. Held back, they would leave nodes with no agent, or two.',
    mend: 'Apply when restarts are acceptable, or introduce types, label values and classes one at a time.',
  },
})

export const finding = findingOf(POLICY_CODES, WORLD_CODES, SIZING_CODES, DAEMONSET_CODES, ROLLOUT_CODES)
