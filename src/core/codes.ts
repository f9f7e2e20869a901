import { INVENTORY_CODES } from '../facts/inventory/codes.ts'
import { POLICY_CODES } from '../kinds/codes.ts'
import { BETA_KINDS, NODEFIT, NODEFIT_BETA, OWN_KINDS, TEST_KIND } from '../kinds/index.ts'
import { codesAbout, findingOf } from '../krm/finding.ts'

/** Codes about the input and its packages. */
export const WORLD_CODES = codesAbout('Input and package', {
  UnknownFunctionConfig: {
    severity: 'error',
    meaning: 'The functionConfig is of a kind that nodefit does not support.',
    mend: 'Pass a SizingPolicy, a RenderConfig, or a ConfigMap with the flat keys of a SizingPolicy.',
  },
  UseTransformers: {
    severity: 'error',
    meaning: 'The function receives no resources: it runs as a generator, or the kustomization has none.',
    mend: 'List the policy under transformers and resources in kustomization.yaml, and inventory and template under resources: docs/deliver/kustomize.md.',
  },
  UnknownKind: {
    severity: 'error',
    meaning:
      'A resource of nodefit.dev, or of a misspelling of it or of korder’s group, has a kind or version that this nodefit does not support.',
    mend: `Use a kind of ${NODEFIT}: ${[...OWN_KINDS, TEST_KIND].join(', ')}. ${NODEFIT_BETA} has ${BETA_KINDS.join(', ')}.`,
  },
  TwoRenderConfigs: {
    severity: 'error',
    meaning: 'A package holds more than one RenderConfig.',
    mend: 'Remove all but one.',
  },
  DuplicatePolicy: {
    severity: 'error',
    meaning:
      'Two policies or Orders of a package have one name and namespace, or one lists the other’s in spec.formerNames: each would claim the other’s output.',
    mend: 'Give each a distinct name.',
  },
  SelectorsInUse: {
    severity: 'error',
    allowable: true,
    meaning:
      'The Kptfile passes only a selection of the package, which hides the earlier output: it would be rendered again.',
    mend: 'Remove selectors and exclude from the function in the Kptfile.',
  },
  PolicyMissing: {
    severity: 'error',
    meaning:
      'A policy that spec.expect of a RenderConfig or the caller expects is missing. Its output would be pruned, and its static DaemonSet applied again.',
    mend: 'Restore the policy: look for a file that is commented out, empty, hidden, or does not end in .yaml, .yml or .json. If it was removed on purpose, correct spec.expect, or the plugin’s parameter policies.',
  },
  PolicyNotExpected: {
    severity: 'error',
    meaning: 'A policy is not in spec.expect of a RenderConfig or of the caller: its later loss would not be noticed.',
    mend: 'Add it to spec.expect, or to the parameter policies of the Argo CD plugin; or remove the policy.',
  },
  NoPolicy: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'No SizingPolicy, Order in DaemonSet mode, ActionPolicy or PoolPolicy: nothing is rendered, other Orders pass through.',
    mend: 'Add a SizingPolicy to the package.',
  },
  NoTime: {
    severity: 'error',
    meaning: 'A schedule or rollout depends on the time, and the input gives none.',
    mend: 'Set observedAt of the NodeInventory, or spec.now of a RenderConfig.',
  },
  TimeSetBack: {
    severity: 'warning',
    meaning:
      'A time in the package is later than the clock of the machine that runs nodefit: a clock was ahead when it was written. The clock counts in its place; what was done stays done, and no act that may have begun begins again.',
    mend: 'Correct the clock that wrote it (NTP), and export the nodes again.',
  },
  NeedsEarlierOutput: {
    severity: 'error',
    allowable: true,
    meaning: 'A field depends on the earlier output, which is not in the input.',
    mend: 'Render in place with kpt, pass --earlier DIR to nodefit build, or remove the field.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES)
